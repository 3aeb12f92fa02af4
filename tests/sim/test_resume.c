/* A diagnosis that was killed after its k-th trial and resumed from its log finds what it finds
 * undisturbed, for every k; what the log answers is not run again. */
#include "check.h"
#include "sim.h"

#include "base/fdio.h"
#include "search/logged.h"

#include <fcntl.h>
#include <unistd.h>

static char path[64];

static void no_log(void)
{
    snprintf(path, sizeof path, "/tmp/fr-resume-%d", (int)getpid());
    (void)unlink(path);
}

static void begin(struct trial_log *l)
{
    *l = TRIAL_LOG_NONE;
    l->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    trial_log_begin(l);
}

/* Keeps the first `lines` of the log, and half of the next. */
static void kill_after(const char *all, size_t lines)
{
    const char *end = all;
    for (size_t i = 0; i <= lines; i++)
        end = strchr(end, '\n') + 1;
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    CHECK(fdio_write_all(fd, all, (size_t)(end - all) + strlen(end) / 2 % 40) == 0);
    close(fd);
}

/* Reads what is left; appends behind its last whole line. */
static size_t resume(struct trial_log *l)
{
    struct err e = {0};
    size_t whole = 0;
    CHECK(trial_log_read(path, l, &whole, &e) == 0);
    CHECK(truncate(path, (off_t)whole) == 0);
    l->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return l->n;
}

static unsigned diagnose_logged(struct trial_log *log, rule *fails, double p, double budget_s,
                                struct finding *f)
{
    struct scripted s;
    struct logged l;
    struct err e = {0};
    scripted_init(&s, fails, p, 9);
    s.before[BEFORE_FILE] = 12;
    s.needs[s.needed++] = 7;
    s.now_ns = log->n ? 1000000 * NS_PER_S : 0; /* no instant comes twice */
    logged_init(&l, &s.base, log, "test_x.py::test_x");
    const struct diagnosis d = {.budget_ns = (int64_t)(budget_s * (double)NS_PER_S),
                                .seed = 4,
                                .first = {.kind = OUTCOME_PASS, .took_ns = 240 * NS_PER_MS}};
    diagnose(&l.base, &d, NULL, f, &e);
    return s.trials;
}

static void same(const struct finding *a, const struct finding *b)
{
    CHECK_EQ(a->verdict, b->verdict);
    CHECK_EQ(a->claim, b->claim);
    CHECK_EQ(a->strength, b->strength);
    CHECK_EQ(a->causes, b->causes);
    for (size_t i = 0; i < a->causes; i++) {
        CHECK_STR(a->cause[i].value, b->cause[i].value);
        CHECK_STR(a->cause[i].benign, b->cause[i].benign);
    }
    CHECK_EQ(a->baseline.runs, b->baseline.runs);
    CHECK_EQ(a->baseline.failed, b->baseline.failed);
    CHECK_EQ(a->verify.failed, b->verify.failed);
    CHECK_EQ(a->evidence.n, b->evidence.n);
    for (size_t i = 0; i < a->evidence.n && i < b->evidence.n; i++) {
        CHECK_STR(a->evidence.at[i].label, b->evidence.at[i].label);
        CHECK_EQ(a->evidence.at[i].runs, b->evidence.at[i].runs);
        CHECK_EQ(a->evidence.at[i].failed, b->evidence.at[i].failed);
    }
    CHECK_EQ(a->stats.trials, b->stats.trials);
}

static void at_every_trial(rule *fails, double p, size_t step)
{
    own_finding struct finding whole = {0};
    own_text struct text all = {0};
    struct err e = {0};
    own_trial_log struct trial_log log = TRIAL_LOG_NONE;
    no_log();
    begin(&log);
    unsigned trials = diagnose_logged(&log, fails, p, 300, &whole);
    CHECK(fdio_read_file(path, (size_t)1 << 28, &all, &e) == 0);
    size_t lines = 0;
    for (const char *c = text_str(&all); *c; c++)
        lines += *c == '\n';
    CHECK_EQ(lines, trials + 1);
    for (size_t k = 0; k < trials && !check_failed; k += step) {
        own_finding struct finding f = {0};
        own_trial_log struct trial_log left = TRIAL_LOG_NONE;
        kill_after(text_str(&all), k);
        CHECK_EQ(resume(&left), k);
        CHECK_EQ(diagnose_logged(&left, fails, p, 300, &f), trials - k);
        same(&whole, &f);
        if (check_failed)
            printf("killed after trial %zu of %u\n", k, trials);
    }
    (void)unlink(path);
}

TEST(a_natural_failure)
{
    at_every_trial(rule_rng, .1, 1);
}

TEST(a_process_that_fails)
{
    at_every_trial(rule_hashseed, .3, 1);
}

TEST(two_causes)
{
    at_every_trial(rule_hashseed_and_rng, .5, 7);
}

TEST(a_value_that_has_to_be_provoked)
{
    at_every_trial(rule_time_value, .02, 13);
}

TEST(a_polluter)
{
    at_every_trial(rule_polluted, 0, 1);
}

TEST(a_stable_test)
{
    at_every_trial(rule_never, 0, 29);
}

TEST(a_broken_test)
{
    at_every_trial(rule_always, 0, 5);
}

TEST(a_log_that_holds_everything_runs_nothing_again)
{
    own_finding struct finding once = {0}, again = {0};
    own_trial_log struct trial_log log = TRIAL_LOG_NONE, left = TRIAL_LOG_NONE;
    no_log();
    begin(&log);
    CHECK(diagnose_logged(&log, rule_coin, .5, 60, &once) > 0); /* no rule could say it twice */
    (void)resume(&left);
    CHECK_EQ(diagnose_logged(&left, rule_coin, .5, 60, &again), 0);
    same(&once, &again);
    (void)unlink(path);
}

TEST(more_budget_goes_on_where_the_log_ends)
{
    own_finding struct finding little = {0}, more = {0};
    own_trial_log struct trial_log log = TRIAL_LOG_NONE, left = TRIAL_LOG_NONE;
    no_log();
    begin(&log);
    unsigned first = diagnose_logged(&log, rule_rng, .1, 1.2, &little);
    CHECK_EQ(little.verdict == VERDICT_FLAKY, 0);
    CHECK_EQ(resume(&left), first);
    CHECK(diagnose_logged(&left, rule_rng, .1, 300, &more) > 0);
    CHECK_EQ(more.verdict, VERDICT_FLAKY);
    CHECK(more.stats.trials > little.stats.trials);
    (void)unlink(path);
}

TEST(other_tests_answers_are_not_taken)
{
    own_finding struct finding f = {0};
    own_trial_log struct trial_log log = TRIAL_LOG_NONE, left = TRIAL_LOG_NONE;
    no_log();
    begin(&log);
    unsigned all = diagnose_logged(&log, rule_rng, .1, 300, &f);
    finding_done(&f);
    size_t n = resume(&left);
    for (size_t i = 0; i < n; i++)
        left.entry[i].nodeid[0] = 'T';
    CHECK_EQ(diagnose_logged(&left, rule_rng, .1, 300, &f), all);
    (void)unlink(path);
}

TEST(what_an_outcome_holds_comes_back)
{
    no_log();
    own_trial_log struct trial_log log = TRIAL_LOG_NONE, back = TRIAL_LOG_NONE;
    log.head.tool = str_or_die("1.2");
    log.head.target = str_or_die("a b\"c\n\xc3\xa9");
    argv_add(&log.head.args, "-k x");
    log.head.seed = UINT64_MAX;
    log.head.axes = 5;
    log.fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    trial_log_begin(&log);
    struct log_entry one = {.kind = LOG_FIRST, .at_ns = 7, .wished = TIER_FRESH};
    char id[] = "test_a.py::test_x[\\'\"]", setting[] = "rng=7";
    one.nodeid = id;
    one.setting = setting;
    one.outcome = (struct outcome){.kind = OUTCOME_CRASH,
                                   .tier = TIER_FRESH,
                                   .print = {"call", "<SIGSEGV>", "a.py:3"},
                                   .message = "it said \"no\"",
                                   .took_ns = 5,
                                   .instant_ns = 1700000000123456789,
                                   .clock_reads = 3,
                                   .changed = 2,
                                   .not_covered = 1};
    one.outcome.touched[FD_AXIS_TIME] = 9;
    text_copy(one.outcome.zone[0], sizeof one.outcome.zone[0], "Europe/Paris");
    trial_log_append(&log, &one);
    CHECK_EQ(resume(&back), 1);
    CHECK_STR(back.head.target, log.head.target);
    CHECK_STR(back.head.args.at[0], "-k x");
    CHECK(back.head.seed == UINT64_MAX);
    CHECK_EQ(back.head.axes, 5);
    const struct outcome *o = &back.entry[0].outcome;
    CHECK_EQ(back.entry[0].kind, LOG_FIRST);
    CHECK_EQ(back.entry[0].at_ns, 7);
    CHECK_STR(back.entry[0].nodeid, id);
    CHECK_STR(back.entry[0].setting, setting);
    CHECK(fingerprint_same(&o->print, &one.outcome.print));
    CHECK_STR(o->message, one.outcome.message);
    CHECK(o->kind == OUTCOME_CRASH && o->tier == TIER_FRESH && o->took_ns == 5);
    CHECK(o->instant_ns == one.outcome.instant_ns && o->clock_reads == 3 && o->changed == 2);
    CHECK(o->not_covered == 1 && o->touched[FD_AXIS_TIME] == 9 && o->touched[FD_AXIS_RNG] == 0);
    CHECK_STR(o->zone[0], "Europe/Paris");
    (void)unlink(path);
}

TEST(what_is_no_log_is_told)
{
    static const char *const texts[] = {"", "x\n", "{}\n", "{\"format\":\"flaky-repro-log\"",
                                        "{\"format\":\"flaky-repro-log\",\"version\":9}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct trial_log l = TRIAL_LOG_NONE;
        struct err e = {0};
        size_t whole;
        no_log();
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        CHECK(fdio_write_all(fd, texts[i], strlen(texts[i])) == 0);
        close(fd);
        CHECK_EQ(trial_log_read(path, &l, &whole, &e), -1);
        CHECK_EQ(e.kind, ERR_STALE);
        (void)unlink(path);
    }
}
