/* The findings of tests/cli/report_cases.h. */
#include "../cli/report_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void case_target(struct target *t, const char *nodeid)
{
    t->spec = str_or_die(nodeid);
    t->nodeid = str_or_die(nodeid);
    t->rootdir = str_or_die("/home/me/shop");
    t->cwd = str_or_die("/home/me/shop");
    t->python = str_or_die("3.11.2");
    t->pytest = str_or_die("7.2.1");
    argv_add(&t->say, "pytest");
    argv_add(&t->plugins, "pytest-cov 4.0.0");
}

void case_stats(struct finding *f, unsigned warm, unsigned fresh, double seconds)
{
    f->stats.trials = warm + fresh;
    f->stats.warm = warm;
    f->stats.fresh = fresh;
    f->stats.seconds = seconds;
    f->seed = UINT64_C(18446744073709551615);
    argv_add(&f->layers, "preload");
}

void case_print(struct fingerprint *p, const char *type, const char *site)
{
    text_copy(p->phase, sizeof p->phase, "call");
    text_copy(p->type, sizeof p->type, type);
    text_copy(p->site, sizeof p->site, site);
}

void case_baseline(struct finding *f, unsigned runs, unsigned failed, double low, double high)
{
    struct baseline *b = &f->baseline;
    b->runs = b->units = runs;
    b->failed = b->units_failed = failed;
    b->rate = (double)failed / runs;
    b->low = low;
    b->high = high;
    b->median_ns = 5200000;
    struct row *r = evidence_add(&f->evidence, "baseline", TIER_WARM);
    r->runs = runs;
    r->failed = failed;
}

static void seen(struct finding *f, const char *type, const char *site, const char *message,
                 unsigned times)
{
    struct outcome o = {.kind = OUTCOME_FAIL};
    case_print(&o.print, type, site);
    text_copy(o.message, sizeof o.message, message);
    while (times-- > 0)
        baseline_note(&f->baseline, &o);
}

void case_row(struct finding *f, const char *label, enum fd_axis a, const char *value,
                unsigned runs, unsigned failed)
{
    struct row *r = evidence_add(&f->evidence, label, TIER_FRESH);
    row_about(r, a, value);
    r->runs = runs;
    r->failed = failed;
}

static struct row *last(struct finding *f)
{
    return &f->evidence.at[f->evidence.n - 1];
}

struct cause *case_cause(struct finding *f, enum fd_axis a, const char *value,
                           const char *benign)
{
    struct cause *c = &f->cause[f->causes++];
    c->axis = a;
    text_copy(c->value, sizeof c->value, value);
    text_copy(c->benign, sizeof c->benign, benign);
    setting_hold(&f->repro.setting, a, value);
    return c;
}

void case_reads(struct cause *c, const char *call, const char *file, unsigned line,
                  const char *function)
{
    struct witness *w = &c->witness[c->witnesses++];
    w->axis = c->axis;
    w->line = line;
    w->count = c->witnesses;
    text_copy(w->call, sizeof w->call, call);
    text_copy(w->file, sizeof w->file, file);
    text_copy(w->function, sizeof w->function, function);
}

void case_verified(struct finding *f, unsigned failed, double low, unsigned passes_failed)
{
    const struct cause *c = &f->cause[0];
    f->verify.runs = 10;
    f->verify.failed = failed;
    f->verify.low = low;
    case_row(f, "VERIFY", c->axis, c->value, 10, failed);
    last(f)->p = 1.1e-5;
    last(f)->p_adjusted = 3.3e-5;
    text_copy(last(f)->note, sizeof last(f)->note, failed == 10 ? "deterministic" : "");
    f->counterfactual.runs = 10;
    f->counterfactual.failed = passes_failed;
    text_copy(f->counterfactual.value, sizeof f->counterfactual.value, c->benign);
    case_row(f, "counterfactual", c->axis, c->benign, 10, passes_failed);
    text_copy(last(f)->note, sizeof last(f)->note, passes_failed ? "" : "passes");
}

static void hashseed_observed(struct target *t, struct finding *f)
{
    case_target(t, "tests/test_formats.py::test_first_format_wins");
    case_stats(f, 0, 84, 8.52);
    f->verdict = VERDICT_FLAKY;
    f->claim = CLAIM_OBSERVED;
    f->strength = STRENGTH_ALWAYS;
    text_add(&f->headline, "depends on the order of a set or dict (hashseed)");
    text_add(&f->explanation,
             "The outcome follows the hash seed of the interpreter: with PYTHONHASHSEED=2 the "
             "names come out of a set in an order that the test does not expect.");
    case_baseline(f, 60, 19, 0.203, 0.450);
    f->baseline.by_process = true;
    f->baseline.processes = 60;
    seen(f, "AssertionError", "tests/test_formats.py:31", "assert 'yaml' == 'json'", 19);
    case_print(&f->print, "AssertionError", "tests/test_formats.py:31");
    text_copy(f->message, sizeof f->message, "assert 'yaml' == 'json'");
    struct cause *c = case_cause(f, FD_AXIS_HASHSEED, "2", "0");
    case_reads(c, "value", "formats.py", 18, "enable");
    case_row(f, "replay", FD_AXIS_HASHSEED, "2", 2, 2);
    case_row(f, "replay", FD_AXIS_HASHSEED, "0", 2, 0);
    case_verified(f, 10, 0.7411, 0);
    f->repro.command =
        str_or_die("PYTHONHASHSEED=2 pytest tests/test_formats.py::test_first_format_wins");
    f->repro.blob = str_or_die("fd1:eNpVjUEKwjAQRa8Ssq4FV");
    finding_skip(f, FD_AXIS_RNG, "the test never asked for entropy");
    finding_skip(f, FD_AXIS_TIME, "the test never read the clock");
}

static void time_latent(struct target *t, struct finding *f)
{
    case_target(t, "tests/test_renewal.py::TestRenewal::test_runs_for_one_year[monthly::plan]");
    case_stats(f, 412, 31, 14.06);
    f->verdict = VERDICT_FLAKY;
    f->claim = CLAIM_LATENT;
    f->strength = STRENGTH_ALWAYS;
    text_add(&f->headline, "fails on a leap day (time)");
    text_add(&f->explanation, "On 29 February the test raises ValueError; on the day before and "
                              "after it passes.");
    case_baseline(f, 300, 0, 0, 0.0122);
    case_print(&f->print, "ValueError", "renewal.py:12");
    text_copy(f->message, sizeof f->message, "day is out of range for month");
    struct cause *c = case_cause(f, FD_AXIS_TIME, "2028-02-29T00:00:00Z", "2027-06-10T12:00:00Z");
    case_reads(c, "clock_gettime", "src/shop/billing/renewal.py", 12, "add_year");
    case_reads(c, "clock_gettime", "tests/test_renewal.py", 40, "<module>");
    c->witness[0].first = c->witness[0].last = 3;
    c->witness[1].first = 4;
    c->witness[1].last = 9;
    for (int i = 0; i < 6; i++) {
        char value[32];
        snprintf(value, sizeof value, "2027-%02d-01T00:00:00Z", i + 1);
        case_row(f, "provoke", FD_AXIS_TIME, value, 2, 0);
    }
    case_row(f, "provoke", FD_AXIS_TIME, "2028-02-29T00:00:00Z", 2, 2);
    case_row(f, "provoke", FD_AXIS_RNG, "", 40, 0);
    text_copy(last(f)->note, sizeof last(f)->note, "40 values, all pass");
    case_verified(f, 10, 0.7411, 0);
    struct requirement *r = &f->requirement[f->requirements++];
    r->axis = FD_AXIS_TIME;
    text_copy(r->value, sizeof r->value, "2038-01-19T03:14:08Z");
    text_copy(r->exception, sizeof r->exception, "OverflowError");
    text_copy(r->site, sizeof r->site, "src/shop/stamp.py:7");
    f->repro.command = str_or_die(
        "LD_PRELOAD=libfd.so FD_TIME=2028-02-29T00:00:00Z pytest "
        "\"tests/test_renewal.py::TestRenewal::test_runs_for_one_year[monthly::plan]\"");
    f->repro.marker = str_or_die(
        "@pytest.mark.flakedoctor_repro(\"fd1:eNptTzFuwzAM_Atn1zBrJ0a1ZcgrisJQKroRokgCqTgxA\")");
    finding_warn(f, "the printed instant assumes the time zone of this machine (Europe/Paris); "
                    "set TZ too when you paste the command elsewhere");
}

static void two_axes_elevate(struct target *t, struct finding *f)
{
    case_target(t, "test_coupon.py::test_code is \"unique\" for $5");
    case_stats(f, 520, 44, 61.4);
    f->verdict = VERDICT_FLAKY;
    f->claim = CLAIM_OBSERVED;
    f->strength = STRENGTH_ELEVATES;
    text_add(&f->headline, "random numbers and the clock together (rng+time)");
    case_baseline(f, 200, 31, 0.108, 0.213);
    seen(f, "AssertionError", "test_coupon.py:9", "codes collide", 30);
    seen(f, "KeyError", "coupon.py:44", "'A7'", 1);
    case_print(&f->print, "AssertionError", "test_coupon.py:9");
    struct cause *c = case_cause(f, FD_AXIS_RNG, "7", "1");
    for (unsigned i = 1; i <= 6; i++)
        case_reads(c, "getrandom", "coupon.py", 10 * i, "draw");
    (void)case_cause(f, FD_AXIS_TIME, "2026-03-01T00:00:00.999999Z", "2026-03-01T00:00:00.2Z");
    case_verified(f, 7, 0.3934, 1);
    last(f)->has_axis = false; /* what the search writes when two axes are needed */
    text_copy(last(f)->value, sizeof last(f)->value, "rng=1,time=2026-03-01T00:00:00.2Z");
    f->repro.command = str_or_die("pytest --doctor-repro=fd1:eNpVjUEKwjAQRa8Ssq4FV "
                                  "'test_coupon.py::test_code is \"unique\" for $5'");
}

static void rng_unconfirmed(struct target *t, struct finding *f)
{
    case_target(t, "test_ids.py::test_short_ids");
    case_stats(f, 90, 2, 20);
    f->verdict = VERDICT_FLAKY;
    f->claim = CLAIM_OBSERVED;
    f->strength = STRENGTH_UNCONFIRMED;
    text_add(&f->headline, "random numbers, not confirmed (rng)");
    case_baseline(f, 80, 6, 0.028, 0.156);
    seen(f, "AssertionError", "test_ids.py:5", "", 6);
    (void)case_cause(f, FD_AXIS_RNG, "11", "");
    finding_warn(f, "the budget ended before the cause was confirmed");
}

static void unattributed(struct target *t, struct finding *f)
{
    case_target(t, "test_coin.py::test_coin");
    case_stats(f, 700, 60, 118.25);
    f->verdict = VERDICT_UNATTRIBUTED;
    f->claim = CLAIM_OBSERVED;
    case_baseline(f, 200, 99, 0.424, 0.567);
    seen(f, "AssertionError", "test_coin.py:4", "assert False", 94);
    seen(f, "TimeoutError", "test_coin.py:9", "", 3);
    seen(f, "KeyError", "test_coin.py:8", "", 1);
    seen(f, "OSError", "test_coin.py:7", "", 1);
    for (int i = 0; i < 3; i++)
        case_row(f, "provoke", FD_AXIS_HASHSEED, i == 0 ? "0" : i == 1 ? "1" : "2", 8, 4);
    case_row(f, "transplant", FD_AXIS_RNG, "123456789", 20, 9);
    last(f)->p = 0.62;
    text_copy(last(f)->note, sizeof last(f)->note, "no different from the baseline");
}

/* There is nothing to compare. */
static void unattributed_one_kind(struct target *t, struct finding *f)
{
    case_target(t, "test_coin.py::test_toss");
    case_stats(f, 700, 60, 118.25);
    f->verdict = VERDICT_UNATTRIBUTED;
    f->claim = CLAIM_OBSERVED;
    case_baseline(f, 200, 99, 0.424, 0.567);
    seen(f, "AssertionError", "test_coin.py:4", "assert False", 99);
}

static void unattributed_unfinished(struct target *t, struct finding *f)
{
    case_target(t, "test_shop.py::test_labels");
    case_stats(f, 28, 9, 29.9);
    f->verdict = VERDICT_UNATTRIBUTED;
    f->claim = CLAIM_OBSERVED;
    f->unfinished = true;
    case_baseline(f, 24, 15, 0.406, 0.812);
    seen(f, "AssertionError", "test_shop.py:5", "assert 'd' in 'abc'", 15);
    case_row(f, "transplant", FD_AXIS_HASHSEED, "11", 3, 3);
}

static void deterministic(struct target *t, struct finding *f)
{
    case_target(t, "test_money.py::test_rounding");
    case_stats(f, 0, 20, 6.1);
    f->verdict = VERDICT_DETERMINISTIC;
    case_baseline(f, 20, 20, 0.832, 1);
    seen(f, "AssertionError", "test_money.py:12", "assert Decimal('2.68') == Decimal('2.67')", 20);
    f->repro.command = str_or_die("pytest test_money.py::test_rounding");
}

static void hang(struct target *t, struct finding *f)
{
    case_target(t, "test_pump.py::test_pump_is_primed_when_full");
    case_stats(f, 0, 3, 140);
    f->verdict = VERDICT_HANG;
    case_baseline(f, 3, 3, 0.292, 1);
    seen(f, "<hang>", "pump.py:31", "", 3);
    for (int i = 0; i < 24; i++)
        text_addf(&f->stack, "File \"/usr/lib/python3.11/threading.py\", line %d in wait for the "
                             "condition that nobody sets\n", 300 + i);
    text_add(&f->stack, "File \"pump.py\", line 31 in run");
}

static void not_flaky(struct target *t, struct finding *f)
{
    case_target(t, "test_prices.py::test_total");
    case_stats(f, 400, 36, 12.9);
    f->verdict = VERDICT_NOT_FLAKY;
    text_add(&f->headline, "no failure in 300 runs: below 1.0 % (95 %)");
    case_baseline(f, 300, 0, 0, 0.0122);
    f->baseline.processes = 24;
    finding_skip(f, FD_AXIS_TIME, "the test never read the clock");
}

static void skipped(struct target *t, struct finding *f)
{
    case_target(t, "test_win.py::test_registry");
    case_stats(f, 0, 1, 0.4);
    f->verdict = VERDICT_SKIPPED;
    text_add(&f->explanation, "pytest skipped it: \"needs Windows\".");
}

static void usage_error(struct target *t, struct finding *f)
{
    case_target(t, "tests/test_gone.py");
    case_stats(f, 0, 1, 0.3);
    f->verdict = VERDICT_USAGE;
    text_add(&f->explanation, "pytest said:\nERROR: file or directory not found: "
                              "tests/test_gone.py");
    free(t->nodeid);
    t->nodeid = NULL;
}

static void no_tests(struct target *t, struct finding *f)
{
    case_target(t, "tests/helpers.py");
    case_stats(f, 0, 1, 0.3);
    f->verdict = VERDICT_NO_TESTS;
    free(t->nodeid);
    t->nodeid = NULL;
}

static void crash(struct target *t, struct finding *f)
{
    case_target(t, "test_codec.py::test_decodes");
    case_stats(f, 10, 20, 9);
    f->verdict = VERDICT_DETERMINISTIC;
    case_baseline(f, 30, 30, 0.884, 1);
    text_copy(f->print.phase, sizeof f->print.phase, "call");
    text_copy(f->print.type, sizeof f->print.type, "<SIGSEGV>");
    text_copy(f->print.site, sizeof f->print.site, "codec.py:12");
    text_add(&f->stack, "Fatal Python error: Segmentation fault\n"
                        "Thread 0x00007f0000000700 (most recent call first):\n"
                        "File \"/usr/lib/python3.11/threading.py\", line 324 in wait\n"
                        "Current thread 0x00007f0000000740 (most recent call first):\n"
                        "File \"codec.py\", line 12 in decode\n"
                        "File \"test_codec.py\", line 3 in test_decodes\n");
}

static void held(struct target *t, struct finding *f)
{
    case_target(t, "test_mail.py::test_sends");
    case_stats(f, 0, 1, 0.9);
    f->verdict = VERDICT_HELD;
    text_add(&f->explanation, "The first run reached for another machine, and wrote a file outside "
                              "the project and the temporary folders; hundreds of runs would do "
                              "that hundreds of times.");
    f->effects = 3;
    f->effect[0] = (struct effect){"outside", "192.0.2.7:25"};
    f->effect[1] = (struct effect){"program", "/usr/bin/sendmail -t 'a b' --and-more=of-it "
                                              "--until-the-line-is-full"};
    f->effect[2] = (struct effect){"written", "/srv/outbox/1.eml"};
}

static void incomplete(struct target *t, struct finding *f)
{
    case_target(t, "test_prices.py::test_total");
    case_stats(f, 0, 0, 0);
    f->verdict = VERDICT_INCOMPLETE;
    text_add(&f->explanation, "The budget of 0 s allowed no run.");
}

static void odd_bytes(struct target *t, struct finding *f)
{
    case_target(t, "tests/straße/test_größe.py::test_名前は長い[価格-¥5-日本語の長いパラメータ-é::b \"q\" $x "
              "[0] 'z']-and-a-tail-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-"
              "and-on-and-on-and-on-and-on-and-on-and-on-and-on-to-the-end");
    case_stats(f, 3, 3, 2);
    f->verdict = VERDICT_FLAKY;
    f->claim = CLAIM_OBSERVED;
    f->strength = STRENGTH_ALWAYS;
    text_add(&f->headline, "random numbers (rng)");
    text_add(&f->explanation, "averyveryverylongwordwithoutanyblankinitthatdoesnotfitintooneline"
                              "averyveryverylongword 日本語 \033[31mred\033[0m \xff\xfe tail");
    case_baseline(f, 10, 5, 0.187, 0.813);
    case_print(&f->print, "UnicodeError\033]0;title\007", "tests/straße/test_größe.py:3");
    text_copy(f->message, sizeof f->message,
              "caf\xc3\xa9 \xc3( \xed\xa0\x80 \xe2\x80\xae tricky\r\n\tend");
    struct cause *c = case_cause(f, FD_AXIS_RNG, "9", "1");
    case_reads(c, "random()", "tests/straße/test_größe.py", 3, "test_名前は長い");
    case_verified(f, 10, 0.7411, 0);
    f->repro.command = str_or_die("FD_RNG=9 pytest 'tests/straße/test_größe.py::test_名前は長い[\x01]'");
}

static void workers(struct target *t, struct finding *f)
{
    case_target(t, "tests/test_cache.py::test_put");
    case_stats(f, 0, 433, 41.2);
    f->verdict = VERDICT_FLAKY;
    f->claim = CLAIM_LATENT;
    f->strength = STRENGTH_ELEVATES;
    case_baseline(f, 24, 0, 0, 0.142);
    f->concurrency = case_workers_matter();
    case_print(&f->print, "FileNotFoundError", "cache.py:12");
    (void)case_cause(f, FD_AXIS_WORKERS, "copies:8", "copies:1");
    f->verify.runs = f->verify.failed = 9;
    f->verify.low = 0.716;
    f->counterfactual.runs = 72;
    f->repro.command = str_or_die("flaky-repro replay fd1:eNabc");
}

static void coin_at_work(struct target *t, struct finding *f)
{
    case_target(t, "tests/test_devices.py::test_serial");
    case_stats(f, 0, 48, 12.9);
    f->verdict = VERDICT_UNATTRIBUTED;
    f->claim = CLAIM_OBSERVED;
    case_baseline(f, 23, 7, 0.132, 0.529);
    seen(f, "AssertionError", "tests/test_devices.py:8", "assert 2 > 2", 7);
    f->concurrency = case_a_coin();
    finding_warn(f, "the budget ended before the experiment did: give it more with --budget");
}

const struct report_case report_cases[] = {
    {"flaky-hashseed-observed", hashseed_observed},
    {"flaky-time-latent", time_latent},
    {"flaky-rng-time-elevates", two_axes_elevate},
    {"flaky-rng-unconfirmed", rng_unconfirmed},
    {"flaky-unattributed", unattributed},
    {"flaky-unattributed-unfinished", unattributed_unfinished},
    {"deterministic-failure", deterministic},
    {"hang", hang},
    {"not-flaky", not_flaky},
    {"skipped", skipped},
    {"usage-error", usage_error},
    {"no-tests", no_tests},
    {"crash", crash},
    {"held-side-effects", held},
    {"incomplete", incomplete},
    {"odd-bytes", odd_bytes},
    {"concurrency-reproduced", workers},
    {"concurrency-coin", coin_at_work},
    {"flaky-order-latent", case_order},
    {"flaky-order-brittle", case_brittle},
    {"flaky-hashseed-order-together", case_two_causes},
    {"flaky-zone-latent", case_zone},
    {"flaky-timing-async", case_async},
    {"flaky-unattributed-one-kind", unattributed_one_kind},
};
const size_t report_cases_n = sizeof report_cases / sizeof *report_cases;
