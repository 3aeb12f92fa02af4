/* Golden cases of gates: their verdicts, when they stop, and what they promise before. */
#include "golden.h"

#include <stdlib.h>
#include <string.h>

#include "stats/plan.h"

static struct gate_rule rule_of(struct golden *g, enum gate_method method)
{
    struct gate_rule rule = {
        .bar = real(g, "min_rate"),
        .confidence = real(g, "confidence"),
        .method = method,
    };

    if (method == GATE_BAYES || method == GATE_SEQUENTIAL) {
        rule.a = real(g, "a");
        rule.b = real(g, "b");
    }
    require(g, "the rule is not sane", gate_rule_sane(&rule));
    return rule;
}

static struct gate_rule rule_named(struct golden *g)
{
    const char *method = word(g, "method");

    return rule_of(g, strcmp(method, "exact") == 0    ? GATE_EXACT
                      : strcmp(method, "wilson") == 0 ? GATE_WILSON
                      : strcmp(method, "bayes") == 0  ? GATE_BAYES
                                                      : GATE_SEQUENTIAL);
}

static const char *word_of(enum gate_verdict v)
{
    static const char *const words[] = {
        [GATE_OPEN] = NULL,
        [GATE_PASS] = "PASS",
        [GATE_FAIL] = "FAIL",
        [GATE_UNDECIDED] = "UNDECIDED",
    };

    return words[v];
}

static void run_min_runs(struct golden *g)
{
    struct gate_rule rule = rule_named(g);

    expect_count(g, "n", gate_min_runs(&rule));
}

static void run_verdict(struct golden *g)
{
    struct gate_rule rule = rule_named(g);

    expect_word(g, "verdict", word_of(gate_verdict(&rule, count(g, "k"), count(g, "n"))));
}

static void run_cutoffs(struct golden *g)
{
    struct gate_rule rule = rule_named(g);
    int64_t n = count(g, "n");
    struct gate_cutoffs c = gate_cutoffs(&rule, n);

    expect_count(g, "pass_at", c.pass_at);
    expect_count(g, "fail_at", c.fail_at);
    expect_count(g, "failures_rule_out_pass", gate_failures_against_pass(c, n));
    expect_count(g, "failures_secure_fail", gate_failures_for_fail(c, n));
    expect_count(g, "passes_secure_pass", c.pass_at);
    expect_count(g, "passes_rule_out_fail", c.fail_at + 1);
}

static struct gate_stop *stops_fixed(const struct gate_rule *rule, int64_t planned)
{
    struct gate_stop *stops = memory((size_t)planned, sizeof(*stops));

    gate_stops_fixed(gate_cutoffs(rule, planned), planned, stops);
    return stops;
}

static void run_decision(struct golden *g)
{
    struct gate_rule rule = rule_named(g);
    int64_t planned = count(g, "planned"), passes = count(g, "passes"), fails = count(g, "fails");
    enum gate_verdict v = gate_decide(gate_cutoffs(&rule, planned), planned, passes, fails);

    expect_word(g, "decision", word_of(v));
    if (passes + fails == 0)
        return;

    struct gate_stop *stops = stops_fixed(&rule, planned);

    require(g, "the table decides otherwise",
            gate_stop_verdict(&stops[passes + fails - 1], passes) == v);
    free(stops);
}

static void run_power(struct golden *g)
{
    struct gate_rule rule = rule_named(g);
    struct plan p = plan_fixed(&rule, count(g, "n"), real(g, "true_rate"));

    expect(g, "pass", p.pass);
    expect(g, "fail", p.fail);
}

static void run_runs_for_power(struct golden *g)
{
    struct gate_rule rule = rule_named(g);

    expect_count(g, "n",
                 plan_runs(&rule, real(g, "true_rate"), real(g, "target"), count(g, "cap")));
}

static void expect_plan(struct golden *g, struct plan p)
{
    expect(g, "expected_runs", p.runs);
    expect(g, "p_pass", p.pass);
    expect(g, "p_fail", p.fail);
    expect(g, "p_undecided", p.undecided);
}

static void run_curtailed(struct golden *g)
{
    struct gate_rule rule = rule_named(g);
    int64_t n = count(g, "n");
    struct gate_stop *stops = stops_fixed(&rule, n);

    expect_plan(g, plan_stopped(stops, n, real(g, "true_rate")));
    free(stops);
}

static void run_sequential(struct golden *g)
{
    struct gate_rule rule = rule_of(g, GATE_SEQUENTIAL);
    int64_t n = count(g, "max_runs");
    struct gate_stop *stops = memory((size_t)n, sizeof(*stops));

    gate_stops_each(&rule, n, json_object_get_boolean(input(g, "futility")), stops);
    expect_plan(g, plan_stopped(stops, n, real(g, "true_rate")));
    expect_count(g, "first_all_pass", gate_first_all_pass(stops, n));
    expect_count(g, "first_all_fail", gate_first_all_fail(stops, n));
    free(stops);
}

const struct golden_function golden_gates[] = {
    {"gate_min_runs", run_min_runs},
    {"gate_verdict", run_verdict},
    {"gate_cutoffs", run_cutoffs},
    {"curtail_decision", run_decision},
    {"gate_power", run_power},
    {"runs_for_power", run_runs_for_power},
    {"curtailed_expected", run_curtailed},
    {"sequential_expected", run_sequential},
    {NULL, NULL},
};
