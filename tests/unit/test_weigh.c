/* What reruns say of a failure: a finding becomes evidence, evidence a verdict. */
#include "../check.h"
#include "../cli/report_cases.h"

#include "base/clock.h"
#include "base/own.h"
#include "triage/prompt.h"
#include "triage/triage.h"
#include "triage/weigh.h"

#include <string.h>

struct told { /* a failure as it was reported */
    const char *type, *message, *traceback, *phase;
};

struct shown { /* and what its reruns came to */
    const char *status;
    unsigned runs, failed;
    const char *type, *site; /* of the kind seen */
};

struct weighed {
    const char *what;
    struct told told;
    struct shown shown;
    const char *want; /* "flaky, low", or "nothing" */
    const char *words; /* within the hypothesis */
};

#define ID "tests/test_a.py::test_x"
#define ASSERT {"AssertionError", "assert 1 == 2", "tests/test_a.py:3: AssertionError", "call"}

static void fill(struct failure *f, const struct told *t, const struct shown *s)
{
    *f = (struct failure){.nodeid = str_or_die(ID),
                          .exc_type = t->type ? str_or_die(t->type) : NULL,
                          .exc_message = t->message ? str_or_die(t->message) : NULL,
                          .traceback = str_or_die(t->traceback ? t->traceback : ""),
                          .phase = str_or_die(t->phase ? t->phase : "call"),
                          .count = 1,
                          .looked_into = true};
    f->rerun.status = s->status ? str_or_die(s->status) : NULL;
    f->rerun.runs = s->runs;
    f->rerun.failed = s->failed;
    if (s->type)
        f->rerun.kind[f->rerun.kinds++] = (struct rerun_kind){
            str_or_die(s->type), s->site ? str_or_die(s->site) : NULL, NULL, s->failed};
}

static void verdict_of(const struct failure *f, bool ours, struct text *out, char **ret_why)
{
    struct opinion v = {0};
    if (!weigh(f, ours, &v)) {
        text_add(out, "nothing");
        return;
    }
    text_addf(out, "%s, %s", category_words[v.category], confidence_words[v.confidence]);
    *ret_why = str_or_die(v.hypothesis);
    opinion_done(&v);
}

static void check_row(const struct weighed *r)
{
    struct failure f;
    own_text struct text got = {0};
    char *why = NULL;
    fill(&f, &r->told, &r->shown);
    verdict_of(&f, false, &got, &why);
    if (strcmp(text_str(&got), r->want) != 0 || (r->words && (!why || !strstr(why, r->words))))
        printf("# %s: %s: %s\n", r->what, text_str(&got), why ? why : "");
    CHECK_STR(text_str(&got), r->want);
    CHECK(!r->words || (why && strstr(why, r->words)));
    free(why);
    failure_done(&f);
}

#define NAME_ERROR {"NameError", "name 'foo' is not defined", "tests/test_a.py:3: NameError", "call"}
#define MISSING                                                                                    \
    {"ModuleNotFoundError", "No module named 'yaml.nodes'", "tests/test_a.py:1: in <module>\n",    \
     "collect"}
#define REFUSED {"ConnectionRefusedError", "[Errno 111]", "a/socket.py:8: ConnectionRefusedError", NULL}

#define NO_FILE(path)                                                                              \
    {"FileNotFoundError", "[Errno 2] No such file or directory: " path, "shop.py:9: in read", "call"}

static const struct weighed rows[] = {
    {"it fails every time", ASSERT, {"deterministic-failure", 36, 36, "AssertionError",
     "tests/test_a.py:3"}, "regression, high",
     "It failed again in all 36 runs with AssertionError at tests/test_a.py:3."},
    {"it hangs every time", {"Failed", NULL, NULL, NULL}, {"hang", 2, 2, "<hang>", NULL},
     "regression, low", "with <hang>"},
    {"it hangs, and no type was told", {NULL, NULL, NULL, NULL}, {"hang", 2, 2, "<hang>", NULL},
     "regression, high", "<hang>"},
    {"a few runs, all failed", ASSERT, {"incomplete", 3, 3, "AssertionError", NULL},
     "regression, low", "in all 3 runs"},
    {"one more run, and it failed", ASSERT, {"incomplete", 1, 1, "AssertionError", NULL},
     "regression, low", "once more"},
    {"it fails otherwise", ASSERT, {"deterministic-failure", 36, 36, "OSError", "a.py:1"},
     "regression, low", "The run that was reported ended with AssertionError"},
    {"a name in the test", NAME_ERROR, {"deterministic-failure", 26, 26, "NameError",
     "tests/test_a.py:3"}, "test_bug, high", "in the test itself"},
    {"a name in the code under test", NAME_ERROR, {"deterministic-failure", 26, 26, "NameError",
     "shop/cart.py:3"}, "regression, high", "shop/cart.py:3"},
    {"another file of that name", NAME_ERROR, {"deterministic-failure", 26, 26, "NameError",
     "my_tests/test_a.py:3"}, "regression, high", NULL},
    {"a name in the test, told by the traceback alone", NAME_ERROR, {"incomplete", 2, 2, NULL,
     NULL}, "test_bug, medium", NULL},
    {"another failure in reruns", NAME_ERROR, {"deterministic-failure", 26, 26, "KeyError",
     "tests/test_a.py:9"}, "regression, low", NULL},
    {"a fixture that is not there", {"FixtureLookupError", "('nofix', …)", "file t.py, line 3",
     "setup"}, {"deterministic-failure", 26, 26, "FixtureLookupError", NULL}, "test_bug, high",
     NULL},
    {"a fixture that is called", {"Failed", "Fixture \"f\" called directly. Fixtures are not",
     NULL, NULL}, {"incomplete", 5, 5, "Failed", NULL}, "test_bug, medium", NULL},
    {"failed by hand", {"Failed", "by hand", NULL, NULL}, {"incomplete", 5, 5, "Failed", NULL},
     "regression, medium", NULL},
    {"no Python in the test", {"SyntaxError", "invalid syntax (test_a.py, line 3)", NULL,
     "collect"}, {"usage-error", 1, 1, NULL, NULL}, "test_bug, medium", "once more"},
    {"no Python in the code under test", {"SyntaxError", "invalid syntax (cart.py, line 3)", NULL,
     "collect"}, {"usage-error", 1, 1, NULL, NULL}, "regression, medium", NULL},
    {"a call that does not fit", {"TypeError", "f() takes 1 positional argument", NULL, NULL},
     {"incomplete", 5, 5, "TypeError", "tests/test_a.py:3"}, "regression, medium", NULL},
    {"a name that is not exported", {"ImportError", "cannot import name 'x'", NULL, "collect"},
     {"usage-error", 1, 1, NULL, NULL}, "regression, medium", NULL},
    {"a package is missing", MISSING, {"usage-error", 1, 1, NULL, NULL}, "env, medium",
     "the module \"yaml.nodes\" is not installed"},
    {"pytest breaks, and never comes to the test", ASSERT,
     {"deterministic-failure", 24, 24, "<exit 3>", NULL}, "nothing", NULL},
    {"a file of the machine is missing", NO_FILE("'/etc/shop/licence.key'"),
     {"deterministic-failure", 28, 28, "FileNotFoundError", "pathlib.py:9"}, "env, medium",
     "it wants the file /etc/shop/licence.key"},
    {"a program is missing",
     {"FileNotFoundError", "[Errno 2] No such file or directory: 'ffmpeg'",
      "python3.11/subprocess.py:1901: FileNotFoundError", "call"},
     {"deterministic-failure", 28, 28, "FileNotFoundError", "subprocess.py:9"}, "env, medium",
     "it wants the program ffmpeg"},
    {"a file of the project is missing", NO_FILE("'data/rates.json'"),
     {"deterministic-failure", 28, 28, "FileNotFoundError", "shop.py:9"}, "regression, high", NULL},
    {"nobody answers", REFUSED, {"deterministic-failure", 26, 26, "ConnectionRefusedError", NULL},
     "env, medium", "does not answer"},
    {"a timeout of a connection", {"TimeoutError", "", "sock.connect(sa)\n", NULL},
     {"incomplete", 3, 3, "TimeoutError", NULL}, "env, medium", NULL},
    {"another timeout", {"TimeoutError", "", "queue.get(timeout=1)\n", NULL},
     {"incomplete", 3, 3, "TimeoutError", NULL}, "regression, low", NULL},
    {"it flips", ASSERT, {"flaky-unattributed", 30, 24, "AssertionError", NULL}, "flaky, medium",
     "It failed in 24 of 30 runs after the one reported"},
    {"it flips in a few runs", ASSERT, {"incomplete", 4, 1, "AssertionError", NULL},
     "flaky, medium", "1 of 4"},
    {"it passes", ASSERT, {"not-flaky", 100, 0, NULL, NULL}, "flaky, medium",
     "passed in all 100 runs after it; what made it fail was not met again."},
    {"it passes in fewer runs", ASSERT, {"incomplete", 99, 0, NULL, NULL}, "flaky, low",
     "all 99 runs"},
    {"it passes once", ASSERT, {"incomplete", 1, 0, NULL, NULL}, "flaky, low", "once more"},
    {"nothing ran", ASSERT, {"incomplete", 0, 0, NULL, NULL}, "nothing", NULL},
    {"it acts on the world", ASSERT, {"held-side-effects", 0, 0, NULL, NULL}, "nothing", NULL},
    {"it is skipped", ASSERT, {"skipped", 0, 0, NULL, NULL}, "nothing", NULL},
    {"it is not found", ASSERT, {"usage-error", 0, 0, NULL, NULL}, "nothing", NULL},
    {"it was not run again", ASSERT, {NULL, 0, 0, NULL, NULL}, "nothing", NULL},
};

TEST(reruns_are_weighed)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
}

TEST(a_module_of_the_project_is_no_package)
{
    struct failure f;
    own_text struct text module = {0}, got = {0};
    char *why = NULL;
    fill(&f, &(struct told)MISSING, &(struct shown){"usage-error", 1, 1, NULL, NULL});
    CHECK(weigh_missing_module(&f, &module));
    CHECK(!weigh_missing_file(&f, &module));
    CHECK_STR(text_str(&module), "yaml.nodes");
    verdict_of(&f, true, &got, &why);
    CHECK_STR(text_str(&got), "regression, medium");
    free(why);
    failure_done(&f);
}

static void reported(struct failure *f, const char *type)
{
    const struct told t = {type, "", "tests/test_a.py:3: X", NULL};
    fill(f, &t, &(struct shown){0});
}

TEST(what_was_seen_of_the_network_counts)
{
    static const struct {
        bool untouched, cut;
        const char *want, *words;
    } of[] = {{true, true, "regression, medium", "ConnectionRefusedError"},
              {false, true, "env, medium", "which these runs did not have"},
              {false, false, "env, medium", "does not answer"}};
    for (size_t i = 0; i < 3; i++) {
        struct failure f;
        own_text struct text got = {0};
        char *why = NULL;
        fill(&f, &(struct told)REFUSED,
             &(struct shown){"incomplete", 9, 9, "ConnectionRefusedError", NULL});
        f.rerun.network_untouched = of[i].untouched;
        f.rerun.network_cut = of[i].cut;
        verdict_of(&f, false, &got, &why);
        CHECK_STR(text_str(&got), of[i].want);
        CHECK(why && strstr(why, of[i].words));
        free(why);
        failure_done(&f);
    }
    struct failure held;
    own_text struct text got = {0}, other = {0};
    char *why = NULL;
    fill(&held, &(struct told)REFUSED, &(struct shown){"held-side-effects", 0, 0, NULL, NULL});
    held.rerun.reached = str_or_die("192.0.2.7:25");
    verdict_of(&held, false, &got, &why);
    CHECK_STR(text_str(&got), "env, medium");
    CHECK_STR(why, "It reaches for another machine (192.0.2.7:25) and ended with "
                   "ConnectionRefusedError.");
    free(why);
    free(held.exc_type);
    held.exc_type = str_or_die("AssertionError");
    verdict_of(&held, false, &other, &why);
    CHECK_STR(text_str(&other), "nothing"); /* that it does so explains no other failure */
    failure_done(&held);
}

static void from_case(const char *name, const char *type, struct failure *f)
{
    struct target t = {0};
    struct finding found = {0};
    reported(f, type);
    for (size_t i = 0; i < report_cases_n; i++)
        if (strcmp(report_cases[i].name, name) == 0)
            report_cases[i].fill(&t, &found);
    rerun_fill(&found, "Mend it.", &f->rerun);
    target_done(&t);
    finding_done(&found);
}

static void caused(const char *name, const char *type, const char *want, const char *words)
{
    struct failure f;
    struct opinion v = {0};
    own_text struct text got = {0};
    from_case(name, type, &f);
    CHECK(weigh(&f, false, &v));
    text_addf(&got, "%s, %s", category_words[v.category], confidence_words[v.confidence]);
    CHECK_STR(text_str(&got), want);
    CHECK_STR(v.hypothesis, words);
    opinion_done(&v);
    failure_done(&f);
}

TEST(a_cause_is_told_in_one_sentence)
{
    caused("flaky-hashseed-observed", NULL, "flaky, high",
           "It depends on the order of a set or dict (hashseed): it fails with hashseed=2 and "
           "passes with hashseed=0 (10 of 10 runs failed, against 0 of 10).");
    caused("flaky-order-latent", NULL, "flaky, high",
           "It depends on the tests that run before it: it fails after "
           "test_money.py::test_custom_currency_can_be_registered, "
           "test_money.py::test_rounding_can_be_set and passes alone (10 of 10 runs failed, "
           "against 0 of 10).");
    caused("flaky-order-brittle", NULL, "flaky, high",
           "It depends on the tests that run before it: it fails alone and passes after "
           "test_mime.py::test_application_start_up (10 of 10 runs failed, against 0 of 10).");
    caused("flaky-hashseed-order-together", NULL, "flaky, high",
           "It depends on hash order (PYTHONHASHSEED) and on the tests that run before it: it "
           "fails with hashseed=7433 and passes with hashseed=7444, and it fails after "
           "test_aliases.py::test_second_alias_is_accepted and passes alone (10 of 10 runs "
           "failed, against 0 of 10).");
    caused("flaky-rng-unconfirmed", NULL, "flaky, medium",
           "It random numbers, not confirmed (rng): it fails with rng=11.");
    caused("flaky-hashseed-observed", "ZeroDivisionError", "flaky, medium",
           "It depends on the order of a set or dict (hashseed): it fails with hashseed=2 and "
           "passes with hashseed=0 (10 of 10 runs failed, against 0 of 10), but with "
           "AssertionError, not with ZeroDivisionError as in the run.");
}

TEST(a_lack_of_the_surroundings_is_no_flake)
{
    static const struct {
        enum fd_axis axis;
        const char *value, *want;
    } of[] = {{FD_AXIS_NETWORK, "block", "env"},      {FD_AXIS_NETWORK, "nxdomain", "env"},
              {FD_AXIS_NETWORK, "segment", "flaky"},  {FD_AXIS_NETWORK, "busy:8080", "flaky"},
              {FD_AXIS_FS, "plant:empty:/x", "env"},  {FD_AXIS_FS, "private", "env"},
              {FD_AXIS_FS, "leftovers", "flaky"},     {FD_AXIS_FS, "mtime:2s", "flaky"},
              {FD_AXIS_ENV, "block", "flaky"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct failure f;
        struct opinion v = {0};
        struct finding found = {.verdict = VERDICT_FLAKY, .causes = 1};
        found.cause[0].axis = of[i].axis;
        text_copy(found.cause[0].value, SETTING_VALUE_MAX, of[i].value);
        reported(&f, "OSError");
        rerun_fill(&found, NULL, &f.rerun);
        CHECK(weigh(&f, false, &v));
        CHECK_STR(category_words[v.category], of[i].want);
        CHECK(v.confidence == CONFIDENCE_MEDIUM && !v.fix);
        opinion_done(&v);
        failure_done(&f);
        finding_done(&found);
    }
}

TEST(a_missing_part_that_makes_just_this_failure_is_named)
{
    struct finding found = {.verdict = VERDICT_NOT_FLAKY, .requirements = 1};
    found.baseline.runs = 40;
    found.requirement[0] = (struct requirement){.axis = FD_AXIS_FS};
    text_copy(found.requirement[0].value, SETTING_VALUE_MAX, "private");
    text_copy(found.requirement[0].exception, 96, "FileNotFoundError");
    text_copy(found.requirement[0].site, 224, "tests/test_a.py:3");
    static const char *const types[] = {"FileNotFoundError", "KeyError"};
    static const char *const want[] = {"env, medium", "flaky, low"};
    for (int i = 0; i < 2; i++) {
        struct failure f;
        own_text struct text got = {0};
        char *why = NULL;
        reported(&f, types[i]);
        rerun_fill(&found, NULL, &f.rerun);
        verdict_of(&f, false, &got, &why);
        CHECK_STR(text_str(&got), want[i]);
        CHECK(why && (strstr(why, "fs=private") == NULL) == (i == 1));
        free(why);
        failure_done(&f);
    }
    finding_done(&found);
}

TEST(an_order_that_fails_is_a_flake_without_its_cause_too)
{
    struct finding found = {.verdict = VERDICT_INCOMPLETE};
    struct failure f;
    own_text struct text got = {0};
    char *why = NULL;
    found.baseline.runs = 14;
    case_row(&found, "after 3 other tests", FD_AXIS_ORDER, "", 2, 2);
    reported(&f, "AssertionError");
    rerun_fill(&found, NULL, &f.rerun);
    verdict_of(&f, false, &got, &why);
    CHECK_STR(text_str(&got), "flaky, medium");
    CHECK_STR(why, "It passed in all 14 runs by itself and failed in 2 of 2 after the tests that "
                   "may run before it; which of them it is was not found.");
    free(why);
    failure_done(&f);
    finding_done(&found);
}

TEST(a_finding_becomes_evidence)
{
    struct failure f;
    from_case("flaky-hashseed-observed", NULL, &f);
    const struct rerun *r = &f.rerun;
    CHECK_STR(r->status, "flaky-hashseed");
    CHECK(r->causes == 1 && r->verify_runs == 10 && r->verify_failed == 10);
    CHECK(r->passing_runs == 10 && r->passing_failed == 0 && r->runs && r->failed && r->kinds);
    CHECK_STR(r->cause[0].axis, "hashseed");
    CHECK(r->look_at && strrchr(r->look_at, ':') && r->command && r->blob && !r->reason);
    failure_done(&f);
    static const char *const reasons[][2] = {
        {"held-side-effects", "it was not run again: "},
        {"skipped", "it was skipped when it was run again"},
        {"usage-error", "pytest could not run it again: "},
        {"no-tests", "no test was collected under this id"},
        {"incomplete", "its share of the budget ended: "}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        from_case(reasons[i][0], NULL, &f);
        CHECK(f.rerun.reason && text_starts(f.rerun.reason, reasons[i][1]));
        CHECK_STR(f.rerun.status, reasons[i][0]);
        failure_done(&f);
    }
}

TEST(a_collection_that_fails_alike_is_a_run_that_failed)
{
    for (int i = 0; i < 2; i++) {
        struct rerun r = {.status = str_or_die("usage-error"), .reason = str_or_die("x"),
                          .said = str_or_die("E   KeyError: 'a'")};
        rerun_count_collection(&r, i ? "KeyError" : "OSError");
        CHECK_EQ(r.runs, (unsigned)i);
        CHECK(r.failed == r.runs && (r.reason == NULL) == (i == 1));
        rerun_done(&r);
    }
}

/* What a model says beside the evidence. */
static void beside(const char *type, enum category evidence, const char *want)
{
    own_triage struct triage t = {0};
    struct err e = {0};
    struct failure *f = failures_add(&t.failures);
    reported(f, type);
    f->looked_into = f->judged = f->by_evidence = true;
    f->verdict.category = evidence;
    f->verdict.confidence = CONFIDENCE_HIGH;
    opinion_say(&f->verdict, "measured password=hunter22", "change it");
    t.config = (struct triage_config){.triage = true, .redact = true, .provider = "fake",
                                      .budget = 10, .timeout_ns = NS_PER_S};
    CHECK_EQ(triage_run(&t, &e), 0);
    CHECK(f->by_evidence && f->verdict.category == evidence);
    CHECK_EQ(f->verdict.confidence, CONFIDENCE_HIGH);
    CHECK_STR(f->verdict.hypothesis, want);
    CHECK_STR(f->verdict.fix, "change it");
}

/* What a value of the surroundings makes, at `site`, of a failure in the standard library. */
static void lacking(const char *site, const char *want)
{
    const struct told told = {"JSONDecodeError", "Expecting value",
                              "tests/test_a.py:7: \n    load()\ntests/test_a.py:3: in load\n"
                              "/usr/lib/python3.11/json/decoder.py:355: JSONDecodeError",
                              "call"};
    const struct shown shown = {"not-flaky", 40, 0, NULL, NULL};
    struct failure f;
    own_text struct text got = {0};
    own_mem char *why = NULL;
    fill(&f, &told, &shown);
    f.rerun.need[f.rerun.needs++] = (struct rerun_need){
        str_or_die("fs"), str_or_die("full:1M"), str_or_die("JSONDecodeError"), str_or_die(site)};
    verdict_of(&f, true, &got, &why);
    CHECK_STR(text_str(&got), want);
    failure_done(&f);
}

TEST(a_need_is_known_by_a_line_on_the_way_to_where_it_was_raised)
{
    lacking("tests/test_a.py:3", "env, medium");
    lacking("/usr/lib/python3.11/json/decoder.py:355", "env, medium");
    lacking("tests/test_a.py:30", "flaky, low");
    lacking("tests/test_b.py:3", "flaky, low");
}

TEST(a_model_does_not_overrule_what_was_measured)
{
    beside("ValueError", CATEGORY_FLAKY, "measured password=[REDACTED]");
    beside("ValueError", CATEGORY_REGRESSION, "ValueError in " ID);
}

TEST(a_model_is_shown_what_was_measured)
{
    struct failure f;
    own_text struct text english = {0}, russian = {0}, bare = {0};
    from_case("flaky-hashseed-observed", NULL, &f);
    struct inquiry q = {&f, ID, 0};
    prompt_user(&q, LANGUAGE_ENGLISH, &english);
    prompt_user(&q, LANGUAGE_RUSSIAN, &russian);
    CHECK(strstr(text_str(&english), "what running the test again showed:\nstatus: flaky-hashseed\n"));
    CHECK(strstr(text_str(&english), "cause: hashseed, fails with: "));
    CHECK(strstr(text_str(&english), "verified: 10 of 10 failed, against 0 of 10\n"));
    CHECK(strstr(text_str(&english), "outweighs"));
    CHECK(strstr(text_str(&russian), "что показали повторные запуски:\nstatus: "));
    f.looked_into = false;
    prompt_user(&q, LANGUAGE_ENGLISH, &bare);
    CHECK(!strstr(text_str(&bare), "again"));
    failure_done(&f);
}

static struct failure *judged(struct triage *t, const char *id, enum category c, bool evidence)
{
    struct failure *f = failures_add(&t->failures);
    f->nodeid = str_or_die(id);
    f->judged = true;
    f->by_evidence = f->looked_into = evidence;
    f->verdict.category = c;
    return f;
}

TEST(the_summary_says_what_rests_on_evidence)
{
    own_triage struct triage t = {.evidenced = true};
    own_text struct text all = {0}, some = {0};
    judged(&t, "a", CATEGORY_REGRESSION, true);
    judged(&t, "b", CATEGORY_FLAKY, true)->rerun.command = str_or_die("pytest b\033[31m");
    judged(&t, "c", CATEGORY_FLAKY, true)->rerun.command = str_or_die("pytest b\033[31m");
    failures_add(&t.failures)->looked_into = true;
    triage_summary(&t, &all);
    CHECK_STR(text_str(&all), "pytest-triage: 2 flaky, 1 regression, 1 without a verdict (evidence)\n"
                              "pytest-triage: flaky, fails every time: pytest b\n");
    t.asked = true;
    judged(&t, "d", CATEGORY_ENV, false);
    triage_summary(&t, &some);
    CHECK(text_starts(text_str(&some), "pytest-triage: 1 env, 2 flaky, 1 regression, 1 without a "
                                       "verdict (3 by evidence)\n"));
}

static void passing(struct failure *f, unsigned runs, unsigned failed)
{
    struct told told = ASSERT;
    fill(f, &told, &(struct shown){.status = "not-flaky", .runs = runs, .failed = failed});
    f->judged = f->by_evidence = weigh(f, false, &f->verdict);
    CHECK(f->judged && f->verdict.category == CATEGORY_FLAKY);
}

TEST(only_what_did_nothing_but_pass_is_run_once_more_as_it_was)
{
    struct failure f;
    passing(&f, 5, 0);
    CHECK(weigh_passes_now(&f));
    f.rerun.after_failed = 1;
    CHECK(!weigh_passes_now(&f));
    f.rerun.after_failed = 0;
    f.by_evidence = false;
    CHECK(!weigh_passes_now(&f));
    failure_done(&f);
    passing(&f, 5, 1);
    CHECK(!weigh_passes_now(&f));
    failure_done(&f);
}

TEST(the_run_as_it_was_has_the_last_word)
{
    struct failure f;
    passing(&f, 5, 0);
    weigh_again(&f, AGAIN_PASSED, NULL);
    CHECK(f.judged && f.verdict.category == CATEGORY_FLAKY);
    CHECK_STR(f.verdict.hypothesis,
              "It failed in the run and passed in all 5 runs after it; what made it fail was not met "
              "again. It passed once more when pytest was run as it was.");
    weigh_again(&f, AGAIN_FAILED, NULL);
    CHECK(f.judged && f.verdict.category == CATEGORY_REGRESSION);
    CHECK_EQ(f.verdict.confidence, CONFIDENCE_LOW);
    CHECK_STR(f.verdict.hypothesis,
              "It passed in all 5 reruns, but failed again when pytest was run as it was: reruns "
              "leave out some of its options, its timeouts and those of the interpreter.");
    failure_done(&f);
    passing(&f, 1, 0);
    weigh_again(&f, AGAIN_UNKNOWN, "it was stopped");
    CHECK(!f.judged && !f.verdict.hypothesis);
    CHECK_STR(f.rerun.reason, "it passes now, but whether it does when pytest is run as it was is "
                              "not known: it was stopped");
    failure_done(&f);
}
