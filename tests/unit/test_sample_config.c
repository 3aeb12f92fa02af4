/* Options and marks of a sampling session: what they take, what they refuse and in which words. */
#include "../check.h"

#include "base/text.h"
#include "sample/config.h"
#include "sample/mark.h"

#define CLI(n, v) {n, v, "--prob-" n}
#define INI(n, v) {n, v, "prob_" n}
#define READ(c, ...)                                                                               \
    read_all((const struct sample_option[]){__VA_ARGS__},                                          \
             sizeof((const struct sample_option[]){__VA_ARGS__}) / sizeof(struct sample_option), c)

static void read_all(const struct sample_option *o, size_t n, struct sample_config *c)
{
    struct err e = {0};
    if (sample_config_read(o, n, c, &e) < 0)
        CHECK_SAY("refused: %s", e.what);
}

static void refused(const char *name, const char *value, const char *from, const char *want)
{
    struct sample_config c;
    struct err e = {0};
    own_text struct text got = {0};
    struct sample_option o = {name, value, from};
    CHECK_EQ(sample_config_read(&o, 1, &c, &e), -1);
    CHECK_EQ(e.kind, ERR_USAGE);
    text_addf(&got, "%s%s%s", e.what, *e.hint ? "; " : "", e.hint);
    CHECK_STR(text_str(&got), want);
}

TEST(without_options_the_defaults_hold)
{
    struct sample_config c;
    struct err e = {0};
    CHECK_EQ(sample_config_read(NULL, 0, &c, &e), 0);
    CHECK(c.runs == 1 && !c.runs_typed && c.delay == 0 && !c.transpose && c.intervals);
    CHECK(c.method == METHOD_EXACT && c.confidence == .95 && c.prior.a == 1 && c.prior.b == 1);
    CHECK(isnan(c.min_rate) && isnan(c.margin) && isnan(c.timeout));
    CHECK(!c.undecided_passes && !c.errors_excluded && !c.explain && !c.plan && !c.latency);
    CHECK(c.resamples == 5000 && c.seed == 0 && c.min_inputs == 10 && c.metrics == 0);
    CHECK(c.plan_assume == .97 && c.plan_flakes == 2 && c.plan_flake[0] == .1);
    CHECK(c.stop == STOP_OFF && c.gate_items && !c.isolate && c.latency_quantile == .95);
    CHECK(!c.compare && !c.baseline && !c.json && !c.plan_report);
}

TEST(the_command_line_comes_last_and_wins)
{
    struct sample_config c;
    READ(&c, INI("runs", "5"), INI("confidence", "0.8"), CLI("runs", "10"));
    CHECK(c.runs == 10 && c.runs_typed && c.confidence == .8);
    READ(&c, INI("runs", "5"));
    CHECK(c.runs == 5 && !c.runs_typed);
}

TEST(too_few_runs_are_one)
{
    struct sample_config c;
    READ(&c, CLI("runs", "0"));
    CHECK_EQ(c.runs, 1);
    READ(&c, CLI("runs", "-7"), CLI("delay", "-1"));
    CHECK(c.runs == 1 && c.delay == 0);
}

TEST(metrics_add_up_but_those_of_the_ini_file_give_way)
{
    struct sample_config c;
    char name[32];
    READ(&c, INI("metric", "pass^2 pass^9"), CLI("metric", "pass^3,pass@5"), CLI("metric", "pass^3"),
         CLI("metric", "pass@1"));
    CHECK_EQ(c.metrics, 3);
    metric_name(&c.metric[0], name, sizeof name);
    CHECK_STR(name, "pass^3");
    metric_name(&c.metric[1], name, sizeof name);
    CHECK_STR(name, "pass@5");
    metric_name(&c.metric[2], name, sizeof name);
    CHECK_STR(name, "pass@1");
    READ(&c, CLI("plan-flake", "0.5,0.05, 0.005"));
    CHECK(c.plan_flakes == 3 && c.plan_flake[2] == .005);
}

TEST(runs_of_tests_and_limited_ones_get_a_process_of_their_own)
{
    struct sample_config c;
    READ(&c, CLI("tests", "true"));
    CHECK(c.isolate && !c.isolate_bench);
    READ(&c, CLI("timeout", "2.5"));
    CHECK(c.isolate && c.isolate_bench && c.timeout == 2.5);
    READ(&c, CLI("isolate", "off"), CLI("tests", "true"));
    CHECK(!c.isolate && !c.isolate_bench);
    READ(&c, CLI("isolate", "fork"));
    CHECK(c.isolate && c.isolate_bench);
}

TEST(every_kind_of_value_is_read)
{
    struct sample_config c;
    READ(&c, CLI("method", "bayes"), INI("prior", "0.5, 2"), CLI("undecided", "pass"),
         INI("errors", "exclude"), CLI("seed", "-1"), CLI("adjust", "bh"), CLI("stop", "curtail"),
         CLI("intervals", "false"), CLI("bootstrap", "10"), {"min-inputs", "2", "prob_min_inputs"});
    CHECK(c.method == METHOD_BAYES && c.prior.a == .5 && c.prior.b == 2 && c.undecided_passes);
    CHECK(c.errors_excluded && (int64_t)c.seed == -1 && c.adjust == ADJUST_BH);
    CHECK(c.stop == STOP_CURTAIL && !c.intervals && c.resamples == 10);
    CHECK_STR(adjustment_name(c.adjust), "bh");
    CHECK_STR(stopping_name(c.stop), "curtail");
    CHECK_STR(method_name(c.method), "bayes");
}

TEST(what_cannot_be_is_refused_by_its_name)
{
    refused("runs", "x", "--prob-runs", "--prob-runs: \"x\" is no whole number");
    refused("runs", " 1", "prob_runs", "prob_runs: \" 1\" is no whole number");
    refused("runs", "99999999999999999999", "--prob-runs",
            "--prob-runs: \"99999999999999999999\" is no whole number");
    refused("delay", "x", "--prob-delay", "--prob-delay: \"x\" is not a number of seconds");
    refused("delay", "inf", "--prob-delay", "--prob-delay: \"inf\" is not a number of seconds");
    refused("method", "wald", "--prob-method",
            "--prob-method: \"wald\" is nothing it can be; one of exact, wilson, bayes");
    refused("method", "bayse", "prob_method",
            "prob_method: \"bayse\" is nothing it can be; did you mean bayes?");
    refused("confidence", "95", "--prob-confidence",
            "--prob-confidence must lie between 0 and 1, not 95; did you mean 0.95?");
    refused("confidence", "1", "--prob-confidence",
            "--prob-confidence must lie between 0 and 1, not 1");
    refused("min-rate", "90", "--prob-min-rate",
            "--prob-min-rate must lie between 0 and 1, not 90; did you mean 0.9?");
    refused("min-rate", "0", "--prob-min-rate", "--prob-min-rate must lie between 0 and 1, not 0");
    refused("min-rate", "0x1", "--prob-min-rate",
            "--prob-min-rate: \"0x1\" is not a number between 0 and 1");
    refused("undecided", "no", "--prob-undecided",
            "--prob-undecided: \"no\" is nothing it can be; one of fail, pass");
    refused("errors", "ignore", "prob_errors",
            "prob_errors: \"ignore\" is nothing it can be; one of count, exclude");
    refused("bootstrap", "0", "--prob-bootstrap", "--prob-bootstrap must be at least 1, not 0");
    refused("bootstrap", "1.5", "--prob-bootstrap",
            "--prob-bootstrap: \"1.5\" is no whole number");
    refused("min-inputs", "1", "prob_min_inputs", "prob_min_inputs must be at least 2, not 1");
    refused("seed", "x", "--prob-seed", "--prob-seed: \"x\" is no whole number");
    refused("prior", "1", "prob_prior",
            "prob_prior: 1 are not the two positive numbers of a Beta prior; as in 1,1 or 0.5,0.5");
    refused("prior", "0,1", "prob_prior",
            "prob_prior: 0,1 are not the two positive numbers of a Beta prior; as in 1,1 or "
            "0.5,0.5");
    refused("metric", "pass^0", "--prob-metric",
            "--prob-metric: \"pass^0\" is no metric; pass^K: all K runs of an input pass; pass@K: "
            "at least one of K does; as in pass^3,pass@5");
    refused("plan-flake", ",", "--prob-plan-flake",
            "--prob-plan-flake names no rate; failure rates between 0 and 1, as in 0.1,0.01");
    refused("plan-flake", "a", "--prob-plan-flake",
            "--prob-plan-flake: \"a\" is not a number between 0 and 1");
    refused("transpose", "maybe", "prob_transpose",
            "prob_transpose: \"maybe\" is neither true nor false");
    refused("margin", "0.1", "--prob-margin",
            "--prob-margin is a margin to nothing; it goes with --prob-baseline=PATH, the report "
            "to compare with");
    refused("timeout", "0", "--prob-timeout",
            "--prob-timeout: a run needs more than 0 seconds");
    refused("isolate", "thread", "--prob-isolate",
            "--prob-isolate: \"thread\" is nothing it can be; one of off, fork");
}

TEST(what_does_not_go_together_is_refused)
{
    struct sample_config c;
    struct err e = {0};
    const struct sample_option limited[] = {CLI("timeout", "1"), CLI("isolate", "off")};
    const struct sample_option loose[] = {CLI("stop", "sequential"), CLI("confidence", "0.4")};
    CHECK_EQ(sample_config_read(limited, 2, &c, &e), -1);
    CHECK_STR(e.what, "--prob-timeout needs runs of their own process");
    CHECK_STR(e.hint, "leave out --prob-isolate, or give it \"fork\"");
    CHECK_EQ(sample_config_read(loose, 2, &c, &e), -1);
    CHECK_STR(e.what, "--prob-confidence: with --prob-stop=sequential it must be at least 0.5, not "
                      "0.4");
}

/* Marks. */
#define NUM(n, x)  {.name = n, .kind = ARGUMENT_NUMBER, .number = x}
#define INT(n, x)  {.name = n, .kind = ARGUMENT_NUMBER, .number = x, .whole = true}
#define STR(n, x)  {.name = n, .kind = ARGUMENT_TEXT, .text = x}
#define YES(n)     {.name = n, .kind = ARGUMENT_BOOL, .number = 1}
#define TWO(n, a, b) {.name = n, .kind = ARGUMENT_PAIR, .number = a, .second = b}
#define ODD(n, r)  {.name = n, .kind = ARGUMENT_OTHER, .text = r}
#define MARK(...)                                                                                  \
    (struct mark)                                                                                  \
    {                                                                                              \
        (const struct mark_argument[]){__VA_ARGS__},                                               \
            sizeof((const struct mark_argument[]){__VA_ARGS__}) / sizeof(struct mark_argument),    \
            false                                                                                  \
    }

static struct sample_config defaults(void)
{
    struct sample_config c;
    struct err e;
    sample_config_read(NULL, 0, &c, &e);
    return c;
}

static int both(const struct mark *m, size_t n, const struct sample_config *c, struct rule *r,
                struct compare_rule *k, struct err *e)
{
    *k = (struct compare_rule){0};
    return mark_rule(m, n, c, r, e) < 0 || mark_compare(m, n, c, k, e) < 0 ? -1 : 0;
}

static void wrong(struct mark m, const char *want)
{
    struct sample_config c = defaults();
    struct rule r;
    struct compare_rule k;
    struct err e = {0};
    own_text struct text got = {0};
    CHECK_EQ(both(&m, 1, &c, &r, &k, &e), -1);
    compare_rule_done(&k);
    text_addf(&got, "%s%s%s", e.what, *e.hint ? "; " : "", e.hint);
    CHECK_STR(text_str(&got), want);
}

TEST(a_mark_that_cannot_be_is_refused)
{
    wrong(MARK(INT("min_rate", 90)), "min_rate must lie between 0 and 1, not 90; did you mean 0.9?");
    wrong(MARK(NUM("min_rate", 1)), "min_rate must lie between 0 and 1, not 1");
    wrong(MARK(YES("min_rate")), "min_rate must be a number between 0 and 1, not True");
    wrong(MARK(NUM("min_rate", .9), INT("min_passes", 3)),
          "min_rate and min_passes exclude one another; a case is held to a rate or to a count");
    wrong(MARK(NUM("min_rte", .9)),
          "min_rte is no argument of this mark; did you mean min_rate?");
    wrong(MARK(NUM("speed", .9)),
          "speed is no argument of this mark; one of min_rate, min_passes, runs, confidence, "
          "method, prior, latency_quantile, max_latency, compare, baseline, margin, equivalence");
    wrong(MARK(NUM(NULL, .9)),
          "an argument is given by position; every argument has a name, as in min_rate=0.9");
    wrong(MARK(INT("runs", 0)), "runs must be a whole number from 1 on, not 0");
    wrong(MARK(NUM("runs", 2.5)), "runs must be a whole number from 1 on, not 2.5");
    wrong(MARK(YES("runs")), "runs must be a whole number from 1 on, not True");
    wrong(MARK(INT("min_passes", 0)), "min_passes must be a whole number from 1 on, not 0");
    wrong(MARK(INT("confidence", 95)),
          "confidence must lie between 0 and 1, not 95; did you mean 0.95?");
    wrong(MARK(STR("method", "wald")),
          "method: \"wald\" is nothing it can be; one of exact, wilson, bayes");
    wrong(MARK(INT("method", 1)), "method must be exact, wilson or bayes, not 1");
    wrong(MARK(TWO("prior", 0, 1)),
          "prior: (0, 1) are not the two positive numbers of a Beta prior; as in 1,1 or 0.5,0.5");
    wrong(MARK(ODD("prior", "[1]")),
          "prior: [1] are not the two positive numbers of a Beta prior; as in 1,1 or 0.5,0.5");
    wrong(MARK(STR("max_latency", "x")),
          "max_latency must be a number of seconds above 0, not \"x\"");
    wrong(MARK(INT("max_latency", 0)), "max_latency must be a number of seconds above 0, not 0");
    wrong(MARK(INT("latency_quantile", 2)),
          "latency_quantile must lie between 0 and 1, not 2; did you mean 0.02?");
    wrong(MARK(NUM("margin", .1)),
          "margin says nothing without compare; compare=\"ARGUMENT\" names what is compared");
    wrong(MARK(STR("baseline", "x")),
          "baseline says nothing without compare; compare=\"ARGUMENT\" names what is compared");
    wrong(MARK(STR("compare", "a"), YES("equivalence")),
          "equivalence says nothing without margin; margin=0.02: within 2 points of one another");
    wrong(MARK(STR("compare", "a"), INT("margin", 2)),
          "margin must lie between 0 and 1, not 2; did you mean 0.02?");
    wrong(MARK(INT("compare", 1)), "compare must be the name of an argument of parametrize, not 1");
    struct mark of_case = MARK(STR("compare", "a"));
    of_case.of_case = true;
    wrong(of_case, "compare is asked of a whole function, not of one case; put it on the mark of "
                   "the function");
}

TEST(closer_marks_win_and_further_ones_fill_in)
{
    struct sample_config c = defaults();
    struct rule r;
    struct compare_rule k;
    struct err e = {0};
    struct mark m[] = {MARK(INT("min_passes", 3)),
                       MARK(NUM("min_rate", .9), INT("runs", 40), NUM("confidence", .9)),
                       MARK(INT("runs", 7), NUM("max_latency", 2), STR("method", "wilson"))};
    m[0].of_case = true;
    CHECK_EQ(both(m, 3, &c, &r, &k, &e), 0);
    CHECK(r.bar == BAR_COUNT && r.min_passes == 3);
    CHECK(r.runs == 40 && r.confidence == .9 && r.max_latency == 2 && r.method == METHOD_WILSON);
    CHECK(!k.axis && isnan(k.margin));
    c.runs_typed = true;
    c.runs = 12;
    CHECK_EQ(both(m, 3, &c, &r, &k, &e), 0);
    CHECK_EQ(r.runs, 12);
}

TEST(the_session_s_rate_is_for_cases_without_a_bar)
{
    struct sample_config c = defaults();
    struct rule r;
    struct compare_rule k;
    struct err e = {0};
    struct mark count = MARK(INT("min_passes", 3));
    c.min_rate = .8;
    CHECK_EQ(both(NULL, 0, &c, &r, &k, &e), 0);
    CHECK(r.bar == BAR_RATE && r.min_rate == .8 && r.runs == 1 && isnan(r.max_latency));
    CHECK_EQ(both(&count, 1, &c, &r, &k, &e), 0);
    CHECK(r.bar == BAR_COUNT);
}

TEST(a_comparison_is_of_the_mark_or_of_the_session)
{
    struct sample_config c = defaults();
    struct rule r;
    struct compare_rule k;
    struct err e = {0};
    struct mark m = MARK(STR("compare", "style"), INT("baseline", 3), STR("margin", "0.05"),
                         YES("equivalence"));
    CHECK_EQ(both(&m, 1, &c, &r, &k, &e), 0);
    CHECK_STR(k.axis, "style");
    CHECK_STR(k.baseline, "3");
    CHECK(k.margin == .05 && k.equivalence);
    compare_rule_done(&k);
    CHECK(!k.axis && isnan(k.margin));
    c.compare = "text";
    struct mark margin = MARK(NUM("margin", .1));
    CHECK_EQ(both(&margin, 1, &c, &r, &k, &e), 0);
    CHECK_STR(k.axis, "text");
    CHECK(!k.baseline && k.margin == .1 && !k.equivalence);
    compare_rule_done(&k);
}

TEST(a_sequential_gate_needs_half_a_confidence)
{
    struct sample_config c = defaults();
    struct rule r;
    struct err e = {0};
    struct mark m = MARK(NUM("confidence", .4), NUM("min_rate", .9));
    CHECK_EQ(mark_rule(&m, 1, &c, &r, &e), 0);
    c.stop = STOP_SEQUENTIAL;
    CHECK_EQ(mark_rule(&m, 1, &c, &r, &e), -1);
    CHECK_STR(e.what, "confidence must be at least 0.5 with --prob-stop=sequential, not 0.4");
}
