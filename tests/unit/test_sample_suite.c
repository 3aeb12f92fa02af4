/* Cases and what their runs come to: counts, verdicts, when to stop, means, the journal. */
#include "../check.h"
#include "sample_world.h"

#include "base/fdio.h"
#include "base/own.h"
#include "sample/aggregate.h"
#include "sample/journal.h"
#include "sample/stop.h"
#include "sample/verdict.h"

#include <sys/stat.h>
#include <time.h>

TEST(a_case_is_found_by_its_name)
{
    own_suite struct suite s = world();
    CHECK(!suite_find(&s, "a::x"));
    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d::%d", i % 7, i);
        add_case(&s, name, no_rule(&s, i + 1));
    }
    CHECK_EQ(s.n, 1000);
    CHECK_EQ(s.functions, 7);
    CHECK_EQ(suite_find(&s, "f3::703")->rule.runs, 704);
    CHECK(!suite_find(&s, "f3::704") && !suite_function(&s, "f7"));
    CHECK_EQ(suite_function(&s, "f6")->n, 142);
    CHECK_EQ(suite_function(&s, "f6")->of[1], 13);
}

TEST(a_case_told_twice_keeps_its_counts)
{
    own_suite struct suite s = world();
    counted(&s, "a::x", no_rule(&s, 5), 2, 1, 0);
    struct sample_case *c = add_case(&s, "a::x", rate_rule(&s, 9, .5));
    CHECK_EQ(s.n, 1);
    CHECK_EQ(suite_function(&s, "a")->n, 1);
    CHECK(c->pass == 2 && c->fail == 1 && c->rule.runs == 9 && c->rule.bar == BAR_RATE);
}

TEST(cases_that_came_in_any_order_are_put_into_theirs)
{
    own_suite struct suite s = world();
    static const struct {
        const char *name;
        int64_t index;
    } came[] = {{"b::y", 4}, {"a::z", 2}, {"b::x", 3}, {"a::x", 0}, {"a::y", 1}, {"c", 4}};
    for (size_t i = 0; i < 6; i++)
        counted(&s, came[i].name, no_rule(&s, 9), came[i].index, 0, 0)->index = came[i].index;
    suite_sort(&s);
    static const char *const want[] = {"a::x", "a::y", "a::z", "b::x", "b::y", "c"};
    for (size_t i = 0; i < 6; i++) {
        CHECK_STR(s.of[i].name, want[i]);
        CHECK(suite_find(&s, want[i]) == &s.of[i] && s.of[i].pass == s.of[i].index);
    }
    CHECK_STR(s.function[0].name, "a");
    CHECK_STR(s.function[1].name, "b");
    CHECK(suite_function(&s, "b") == &s.function[1] && s.function[1].n == 2);
    CHECK(s.function[1].of[0] == 3 && s.function[1].of[1] == 4 && s.function[2].of[0] == 5);
    CHECK(!suite_find(&s, "d"));
    add_case(&s, "d", no_rule(&s, 1));
    CHECK_EQ(suite_find(&s, "d") - s.of, 6);
}

TEST(costs_are_of_runs_and_of_models)
{
    own_suite struct suite s = world();
    struct sample_case *c = add_case(&s, "a", no_rule(&s, 2));
    struct usage used[] = {{(char *)(uintptr_t)"m", 10, 2, 5, .25}, {(char *)(uintptr_t)"n", 1, 1, 0, 0}};
    struct sample_run free_of = {.what = RUN_PASS, .cost = NAN};
    struct sample_run r = {RUN_PASS, .5, 1, used, 2};
    case_run(c, &free_of);
    CHECK(!c->costs);
    case_run(c, &r);
    case_run(c, &r);
    CHECK(c->costs && c->cost == 2.5 && c->usages.n == 2);
    CHECK(c->usages.of[0].input == 20 && c->usages.of[0].cached == 10);
    CHECK_STR(c->usages.of[1].model, "n");
}

/* Not quadratic: ten times as many take some ten times as long, not a hundred. */
static double seconds_of(int cases)
{
    own_suite struct suite s = world();
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (int i = 0; i < cases; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d::%d", i, i);
        runs(add_case(&s, name, no_rule(&s, 1)), 'P', 3, .1, NAN);
    }
    for (int i = 0; i < cases; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d::%d", i, i);
        if (!suite_find(&s, name))
            CHECK_SAY("%s is not there", name);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

TEST(a_hundred_thousand_cases_do_not_take_quadratic_time)
{
    double few = seconds_of(10000), many = seconds_of(100000);
    CHECK_LE(many, 40 * few + .2);
}

TEST(the_status_names_the_classes_that_are_there)
{
    static const struct {
        int64_t pass, fail, error;
        const char *word;
    } all[] = {{10, 0, 0, "pass"}, {0, 10, 0, "fail"}, {0, 0, 10, "error"}, {5, 5, 0, "flaky"},
               {7, 0, 3, "errored"}, {0, 8, 2, "fail"}, {5, 4, 1, "flaky"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        own_suite struct suite s = world();
        struct sample_case *c =
            counted(&s, "a", no_rule(&s, 10), all[i].pass, all[i].fail, all[i].error);
        CHECK_STR(case_status_word(case_status(c)), all[i].word);
    }
}

static const char *rate_verdict(struct suite *s, struct rule rule, int64_t pass, int64_t fail,
                                int64_t error)
{
    char name[64];
    struct rate_judged r;
    snprintf(name, sizeof name, "case%zu", s->n);
    case_judge_rate(counted(s, name, rule, pass, fail, error), &s->config, &r);
    return verdict_word(r.verdict);
}

TEST(a_rate_is_judged_by_the_whole_interval)
{
    own_suite struct suite s = world();
    struct rule r = rate_rule(&s, 40, .9);
    CHECK_STR(rate_verdict(&s, r, 40, 0, 0), "pass");
    CHECK_STR(rate_verdict(&s, r, 37, 3, 0), "undecided");
    CHECK_STR(rate_verdict(&s, r, 3, 37, 0), "fail");
    CHECK_STR(rate_verdict(&s, r, 36, 0, 0), "pass"); /* the fewest that can */
    CHECK_STR(rate_verdict(&s, r, 35, 0, 0), "undecided");
    CHECK_STR(rate_verdict(&s, no_rule(&s, 40), 3, 37, 0), "none");
}

TEST(a_count_is_reached_or_not)
{
    own_suite struct suite s = world();
    CHECK_STR(rate_verdict(&s, count_rule(&s, 20, 19), 19, 1, 0), "pass");
    CHECK_STR(rate_verdict(&s, count_rule(&s, 20, 19), 18, 2, 0), "fail");
    CHECK_STR(rate_verdict(&s, count_rule(&s, 20, 30), 20, 0, 0), "fail");
}

TEST(errors_count_against_a_gate_or_not_at_all)
{
    own_suite struct suite s = world();
    CHECK_STR(rate_verdict(&s, rate_rule(&s, 10, .5), 7, 0, 3), "undecided");
    CHECK_STR(rate_verdict(&s, rate_rule(&s, 10, .5), 0, 0, 10), "fail");
    s.config.errors_excluded = true;
    CHECK_STR(rate_verdict(&s, rate_rule(&s, 10, .5), 7, 0, 3), "pass"); /* as 7 of 7 */
    CHECK_STR(rate_verdict(&s, rate_rule(&s, 10, .5), 0, 0, 10), "undecided");
    CHECK_STR(rate_verdict(&s, count_rule(&s, 10, 7), 7, 0, 3), "pass");
    CHECK_STR(rate_verdict(&s, count_rule(&s, 10, 1), 0, 0, 10), "undecided");
    struct rate_judged r;
    case_judge_rate(suite_find(&s, "case2"), &s.config, &r);
    CHECK(r.passes == 7 && r.total == 7 && r.excluded == 3);
}

TEST(the_session_s_method_is_for_rows_and_the_mark_s_for_the_gate)
{
    own_suite struct suite s = world();
    struct rule rule = rate_rule(&s, 40, .9);
    rule.method = METHOD_WILSON;
    rule.confidence = .8;
    struct sample_case *c = counted(&s, "a", rule, 37, 3, 0);
    struct shown_interval row = case_interval(c, &s.config);
    struct rate_judged r;
    CHECK_STR(row.method, "exact");
    CHECK_NEAR(row.ends.low, .7961, 5e-5); /* the described 80 % to 98 % */
    CHECK_NEAR(row.ends.high, .9843, 5e-5);
    case_judge_rate(c, &s.config, &r);
    CHECK_STR(r.shown.method, "wilson");
    CHECK_EQ(r.shown.level * 100, 80);
    CHECK(r.shown.ends.low > row.ends.low);
}

TEST(with_sequential_stops_rates_are_judged_by_the_sequence)
{
    own_suite struct suite s = world();
    s.config.stop = STOP_SEQUENTIAL;
    struct rule r = rate_rule(&s, 100, .9);
    CHECK_STR(rate_verdict(&s, r, 53, 0, 0), "pass");
    CHECK_STR(rate_verdict(&s, r, 52, 0, 0), "undecided");
    CHECK_STR(rate_verdict(&s, r, 45, 15, 0), "fail");
    struct shown_interval i = case_interval(suite_find(&s, "case0"), &s.config);
    CHECK_STR(i.method, "sequential");
    CHECK_NEAR(i.ends.low, .90, .005);
    CHECK_EQ(i.ends.high, 1);
    i = case_interval(suite_find(&s, "case2"), &s.config);
    CHECK_NEAR(i.ends.low, .55, .005);
    CHECK_NEAR(i.ends.high, .90, .005);
    CHECK_STR(rate_verdict(&s, count_rule(&s, 20, 19), 19, 1, 0), "pass"); /* as ever */
}

static void latency(struct suite *s, int64_t n, double from, double step, double limit,
                    struct latency_judged *ret)
{
    char name[64];
    struct rule rule = no_rule(s, n);
    rule.max_latency = limit;
    snprintf(name, sizeof name, "case%zu", s->n);
    struct sample_case *c = add_case(s, name, rule);
    for (int64_t i = n; i-- > 0;)
        runs(c, i % 3 ? 'P' : 'F', 1, from + step * (double)i, NAN);
    case_judge_latency(c, &s->config, ret);
}

TEST(a_latency_needs_72_runs_for_an_upper_end)
{
    own_suite struct suite s = world();
    struct latency_judged l;
    latency(&s, 20, 1, .1, 10, &l);
    CHECK(l.total == 20 && l.min_runs == 72 && isnan(l.high) && l.low > 0);
    CHECK_NEAR(l.estimate, 2.8, 1e-9); /* the 19th of 20 */
    CHECK_STR(verdict_word(l.verdict), "undecided");
    latency(&s, 20, 1, .1, .5, &l);
    CHECK_STR(verdict_word(l.verdict), "fail"); /* a lower end is enough for that */
    latency(&s, 71, 1, .01, 10, &l);
    CHECK(isnan(l.high));
    latency(&s, 72, 1, .01, 10, &l);
    CHECK_NEAR(l.high, 1.71, 1e-9);
    CHECK_STR(verdict_word(l.verdict), "pass");
    latency(&s, 72, 1, .01, 1.71, &l);
    CHECK_STR(verdict_word(l.verdict), "undecided"); /* not below it */
    latency(&s, 72, 1, .01, NAN, &l);
    CHECK_STR(verdict_word(l.verdict), "none");
}

TEST(errors_that_are_excluded_are_not_timed)
{
    own_suite struct suite s = world();
    struct sample_case *c = counted(&s, "a", no_rule(&s, 3), 2, 0, 0);
    struct latency_judged l;
    runs(c, 'E', 1, 9, NAN);
    case_judge_latency(c, &s.config, &l);
    CHECK(l.total == 3 && l.excluded == 0 && l.estimate == 9);
    s.config.errors_excluded = true;
    case_judge_latency(c, &s.config, &l);
    CHECK(l.total == 3 && l.excluded == 0); /* it is held to nothing */
    c->rule.bar = BAR_COUNT;
    c->rule.min_passes = 1;
    case_judge_latency(c, &s.config, &l);
    CHECK(l.total == 2 && l.excluded == 1 && l.estimate == .01);
}

/* Plays the letters by the table alone; the number of runs until it says stop. */
static int64_t played(struct suite *s, struct rule rule, const char *letters)
{
    char name[64];
    snprintf(name, sizeof name, "case%zu", s->n);
    struct sample_case *c = add_case(s, name, rule);
    own_mem struct gate_stop *stop = stop_table(s, c);
    for (int64_t i = 0; i < rule.runs; i++) {
        runs(c, letters[(size_t)i % strlen(letters)], 1, 0, NAN);
        enum gate_verdict by_table = gate_stop_verdict(&stop[i], c->pass);
        bool sure = i + 1 < rule.runs; /* after the last there is nothing to stop */
        if (!s->config.errors_excluded && sure && by_table != stop_now(s, c))
            CHECK_SAY("after %d of %s the table says %s", (int)i + 1, letters,
                      verdict_word(by_table));
        if ((s->config.errors_excluded ? stop_now(s, c) : by_table) != GATE_OPEN)
            return i + 1;
    }
    return rule.runs;
}

TEST(a_verdict_that_is_certain_stops_the_case)
{
    own_suite struct suite s = world();
    s.config.stop = STOP_CURTAIL;
    CHECK_EQ(played(&s, rate_rule(&s, 40, .9), "P"), 40);
    CHECK_EQ(played(&s, rate_rule(&s, 40, .9), "PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPF"), 38);
    CHECK_EQ(played(&s, rate_rule(&s, 40, .9), "PPPFFFFFFFFFFFFFFFF"), 12);
    CHECK_EQ(played(&s, rate_rule(&s, 40, .9), "E"), 9);
    CHECK_EQ(played(&s, count_rule(&s, 20, 19), "P"), 19);
    CHECK_EQ(played(&s, count_rule(&s, 20, 19), "PFPPPF"), 6);
    CHECK_EQ(played(&s, count_rule(&s, 40, 50), "P"), 1); /* out of reach from the start */
    s.config.errors_excluded = true;
    CHECK_EQ(played(&s, rate_rule(&s, 40, .9), "E"), 39); /* one run cannot pass or fail it */
    CHECK_EQ(played(&s, rate_rule(&s, 40, .9), "PPPFFFFFFFFFFFFFFFF"), 12);
    CHECK_EQ(played(&s, count_rule(&s, 20, 19), "EP"), 3);
}

TEST(a_sequence_stops_when_it_is_clear)
{
    own_suite struct suite s = world();
    s.config.stop = STOP_SEQUENTIAL;
    CHECK_EQ(played(&s, rate_rule(&s, 100, .9), "P"), 53);
    CHECK_EQ(played(&s, rate_rule(&s, 40, .9), "P"), 29); /* neither can be reached any more */
    CHECK_EQ(played(&s, rate_rule(&s, 40, .9), "F"), 2);
    CHECK_EQ(played(&s, count_rule(&s, 20, 19), "P"), 19);
}

/* The promise of curtailing: whatever comes, the verdict is that of all runs. */
TEST(a_curtailed_verdict_is_the_full_one)
{
    uint32_t seed = 12345;
    for (int round = 0; round < 400; round++) {
        own_suite struct suite s = world();
        s.config.stop = STOP_CURTAIL;
        s.config.errors_excluded = round % 2;
        int64_t n = 5 + round % 30;
        struct rule rule = round % 3 ? rate_rule(&s, n, .5) : count_rule(&s, n, n / 2);
        struct sample_case *early = add_case(&s, "early", rule);
        struct sample_case *c = add_case(&s, "full", rule);
        early = suite_find(&s, "early");
        bool stopped = false;
        for (int64_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            char kind = "PPPFFFE"[(seed >> 16) % 7];
            runs(c, kind, 1, 0, NAN);
            if (!stopped)
                runs(early, kind, 1, 0, NAN);
            stopped = stopped || stop_now(&s, early) != GATE_OPEN;
        }
        struct rate_judged a, b;
        case_judge_rate(early, &s.config, &a);
        case_judge_rate(c, &s.config, &b);
        CHECK_EQ(a.verdict, b.verdict);
    }
}

TEST(what_another_verdict_needs_does_not_stop)
{
    own_suite struct suite s = world();
    struct sample_case *c = add_case(&s, "a::x", rate_rule(&s, 40, .9));
    CHECK(!stop_may(&s, c)); /* off */
    s.config.stop = STOP_CURTAIL;
    CHECK(stop_may(&s, c));
    c->rule.max_latency = 1;
    CHECK_STR(stop_hindrance(&s, c), "latency is judged from all runs");
    c->rule.max_latency = NAN;
    s.function[0].compare.axis = str_or_die("x");
    CHECK(stop_may(&s, c)); /* without a margin nothing is judged */
    s.function[0].compare.margin = .1;
    CHECK_STR(stop_hindrance(&s, c), "a comparison with a margin needs all runs");
    s.function[0].compare.margin = NAN;
    s.config.baseline = "main.json";
    CHECK(stop_may(&s, c));
    s.config.margin = .05;
    CHECK_STR(stop_hindrance(&s, c), "--prob-margin needs all runs");
    CHECK(!stop_may(&s, add_case(&s, "b", no_rule(&s, 40))));
}

TEST(the_fewest_runs_that_can_pass)
{
    own_suite struct suite s = world();
    static const struct {
        double rate;
        int64_t exact, sequential;
    } rows[] = {{.8, 17, 0}, {.9, 36, 53}, {.95, 72, 116}, {.99, 368, 680}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rule r = rate_rule(&s, 1, rows[i].rate);
        s.config.stop = STOP_OFF;
        CHECK_EQ(stop_least_runs(&r, &s.config), rows[i].exact);
        s.config.stop = STOP_SEQUENTIAL;
        if (rows[i].sequential)
            CHECK_EQ(stop_least_runs(&r, &s.config), rows[i].sequential);
    }
    struct rule count = count_rule(&s, 1, 7), late = no_rule(&s, 1);
    CHECK_EQ(stop_least_runs(&count, &s.config), 7);
    CHECK_EQ(stop_least_runs_latency(&late), 0);
    late.max_latency = 1;
    CHECK_EQ(stop_least_runs_latency(&late), 72);
    late.latency_quantile = .5;
    CHECK_EQ(stop_least_runs_latency(&late), 6);
}

/* Twelve inputs of a function, in one order or the other. */
static void twelve(struct suite *s, bool backwards)
{
    for (int i = 0; i < 12; i++) {
        char name[32];
        int k = backwards ? 11 - i : i;
        snprintf(name, sizeof name, "twelve::c%d", k);
        counted(s, name, no_rule(s, 20), 20 - k % 5, k % 5, 0);
    }
}

TEST(a_mean_has_an_interval_from_drawing_inputs)
{
    own_suite struct suite s = world(), back = world();
    own_aggregates struct aggregates a = {0}, b = {0};
    twelve(&s, false);
    twelve(&back, true);
    aggregates_of(&s, &a);
    aggregates_of(&back, &b);
    CHECK_EQ(a.n, 2);
    const struct aggregate *f = &a.of[0];
    CHECK_STR(f->name, "twelve");
    CHECK(!f->overall && a.of[1].overall && f->mean.inputs == 12 && f->runs_least == 20);
    CHECK_NEAR(f->mean.estimate, 1 - (0 + 1 + 2 + 3 + 4 + 0 + 1 + 2 + 3 + 4 + 0 + 1) / 240.0, 1e-12);
    CHECK(f->mean.bca && f->mean.ends.low < f->mean.estimate && f->mean.ends.high < 1);
    CHECK(f->more_inputs < -.29 && f->more_inputs > -.2930 && isnan(f->cost));
    /* in whatever order the cases came */
    CHECK(f->mean.ends.low == b.of[0].mean.ends.low && f->mean.ends.high == b.of[0].mean.ends.high);
    CHECK(f->icc == b.of[0].icc);
    CHECK_NEAR(f->mean.normal.low + f->mean.normal.high, 2 * f->mean.estimate, 1e-12);
    CHECK(f->mean.normal.high - f->mean.normal.low > f->mean.ends.high - f->mean.ends.low);
}

TEST(an_interval_that_would_mislead_is_hidden_with_its_reason)
{
    own_suite struct suite s = world();
    own_aggregates struct aggregates a = {0};
    s.config.metrics = 2;
    s.config.metric[0] = (struct metric){true, 3};
    s.config.metric[1] = (struct metric){false, 30};
    twelve(&s, false);
    for (int i = 0; i < 10; i++) {
        char name[32];
        snprintf(name, sizeof name, "alike::c%d", i);
        counted(&s, name, no_rule(&s, 1), 1, 0, 0);
    }
    counted(&s, "few::x", no_rule(&s, 3), 2, 1, 0);
    add_case(&s, "idle::x", no_rule(&s, 3));
    suite_find(&s, "twelve::c3")->cut = 5;
    aggregates_of(&s, &a);
    CHECK_EQ(a.n, 4); /* nothing ran of idle */
    static const char *const want[] = {"all inputs are alike", "fewer than 10 inputs",
                                       "1 case stopped early", "1 case stopped early"};
    for (size_t i = 0; i < 4; i++) {
        own_mem char *why = suppressed_words(&a.of[i].mean, &s.config);
        CHECK_STR(why ? why : "none", want[i]);
        CHECK(isnan(a.of[i].mean.ends.low));
    }
    CHECK_EQ(a.of[0].left_out[0], 10); /* one run is no three */
    CHECK(isnan(a.of[0].metric[0].estimate) && a.of[0].metric[0].why == SUPPRESSED_NOTHING);
    CHECK_EQ(a.of[2].metric[0].stopped, 1);
    CHECK_EQ(a.of[2].left_out[1], 12);
    CHECK_NEAR(case_metric(suite_find(&s, "few::x"), &s.config.metric[0]), 0, 1e-15);
}

static int count_line(void *ctx, char *line, struct err *e)
{
    struct text *t = ctx;
    (void)e;
    text_addf(t, "[%s]", line);
    return 0;
}

static void folder_for(char buf[64])
{
    snprintf(buf, 64, "/tmp/fr-journal-XXXXXX");
    if (!mkdtemp(buf))
        CHECK_SAY("no folder");
}

static void add(struct journal *j, const char *json, const char *root, const char *line)
{
    journal_add(j, json, root, line, strlen(line));
}

TEST(a_journal_holds_what_came_and_ends_with_the_session)
{
    char root[64], json[96];
    struct journal j = JOURNAL_INIT;
    own_text struct text got = {0};
    struct journal_reader reader = {count_line, &got};
    struct err e = {0};
    folder_for(root);
    snprintf(json, sizeof json, "%s/deep/er/r.json", root);
    journal_prepare(&j, "one\n", 4);
    CHECK_EQ(j.fd, -1); /* nothing ran: nothing is written */
    add(&j, json, root, "two\n");
    journal_prepare(&j, "three\n", 6);
    CHECK(text_ends(j.path, "/deep/er/r.json.journal"));
    CHECK_EQ(journal_each(j.path, &reader, &e), 0);
    CHECK_STR(text_str(&got), "[one][two][three]");
    own_mem char *path = str_or_die(j.path);
    struct journal second = JOURNAL_INIT; /* the first may be all that is left of a session */
    add(&second, json, root, "other\n");
    CHECK(text_ends(second.path, "r.json.journal.2"));
    journal_remove(&second);
    journal_remove(&j);
    CHECK(!fdio_is_file(path));
    CHECK_EQ(journal_each(path, &reader, &e), -1);
    fdio_remove_tree(root);
}

TEST(a_torn_last_line_is_no_line)
{
    char root[64];
    struct journal j = JOURNAL_INIT;
    own_text struct text got = {0};
    struct journal_reader reader = {count_line, &got};
    struct err e = {0};
    folder_for(root);
    add(&j, NULL, root, "whole\n");
    add(&j, NULL, root, "{\"v\":1,\"te");
    CHECK_EQ(journal_each(j.path, &reader, &e), 0);
    CHECK_STR(text_str(&got), "[whole]");
    journal_done(&j); /* as if killed: it stays */
    own_text struct text folder = {0};
    text_addf(&folder, "%s/.flaky-repro/.gitignore", root);
    CHECK(fdio_is_file(text_str(&folder)));
    fdio_remove_tree(root);
}

TEST(the_folder_goes_too_if_it_was_made_for_the_journal)
{
    char root[64];
    own_text struct text folder = {0};
    folder_for(root);
    text_addf(&folder, "%s/.flaky-repro", root);
    struct journal j = JOURNAL_INIT;
    add(&j, NULL, root, "x\n");
    CHECK(fdio_is_dir(text_str(&folder)));
    journal_remove(&j);
    CHECK(!fdio_is_dir(text_str(&folder)));
    mkdir(text_str(&folder), 0777); /* somebody else's */
    add(&j, NULL, root, "x\n");
    journal_remove(&j);
    CHECK(fdio_is_dir(text_str(&folder)));
    fdio_remove_tree(root);
}

TEST(a_place_that_cannot_be_written_is_no_reason_to_fail)
{
    struct journal j = JOURNAL_INIT;
    journal_prepare(&j, "one\n", 4);
    add(&j, NULL, "/proc/no/such/place", "two\n");
    add(&j, NULL, "/proc/no/such/place", "three\n");
    CHECK(j.failed && j.fd == -1 && !j.path && j.early.len == 0);
    journal_remove(&j);
}
