#include "sample/stop.h"

#include "base/text.h"
#include "sample/verdict.h"
#include "stats/quantile.h"

#include <math.h>

const char *stop_hindrance(const struct suite *s, const struct sample_case *c)
{
    const struct sample_function *f = suite_function(s, c->function);
    if (!isnan(c->rule.max_latency))
        return "latency is judged from all runs";
    if (f && f->compare.axis && !isnan(f->compare.margin))
        return "a comparison with a margin needs all runs";
    if (s->config.baseline && !isnan(s->config.margin))
        return "--prob-margin needs all runs";
    return NULL;
}

bool stop_may(const struct suite *s, const struct sample_case *c)
{
    return s->config.stop != STOP_OFF && c->rule.bar != BAR_NONE && !stop_hindrance(s, c);
}

static struct gate_cutoffs cutoffs(const struct rule *r, const struct sample_config *config,
                                   int64_t runs)
{
    struct gate_rule g = rule_gate(r, config);
    return r->bar == BAR_COUNT ? gate_cutoffs_of_count(r->min_passes) : gate_cutoffs(&g, runs);
}

struct gate_stop *stop_table(const struct suite *s, const struct sample_case *c)
{
    int64_t runs = c->rule.runs;
    struct gate_stop *ret = mem_or_die((size_t)runs * sizeof *ret);
    struct gate_rule g = rule_gate(&c->rule, &s->config);
    if (rule_sequential(&c->rule, &s->config))
        gate_stops_each(&g, runs, true, ret);
    else
        gate_stops_fixed(cutoffs(&c->rule, &s->config, runs), runs, ret);
    return ret;
}

/* Judged after every run, of `passes` and `fails` and up to `left` more. */
static enum gate_verdict sequential_now(const struct gate_rule *g, int64_t passes, int64_t fails,
                                        int64_t left)
{
    enum gate_verdict v =
        passes + fails > 0 ? gate_verdict(g, passes, passes + fails) : GATE_UNDECIDED;
    if (v != GATE_UNDECIDED)
        return v;
    bool lost = gate_verdict(g, passes + left, passes + fails + left) == GATE_UNDECIDED &&
                gate_verdict(g, passes, passes + fails + left) == GATE_UNDECIDED;
    return lost ? GATE_UNDECIDED : GATE_OPEN;
}

enum gate_verdict stop_now(const struct suite *s, const struct sample_case *c)
{
    const struct rule *r = &c->rule;
    int64_t left = r->runs - case_total(c);
    bool apart = s->config.errors_excluded;
    int64_t fails = c->fail + (apart ? 0 : c->error), counted = c->pass + fails;
    struct gate_rule g = rule_gate(r, &s->config);
    if (left < 0)
        left = 0;
    if (rule_sequential(r, &s->config))
        return sequential_now(&g, c->pass, fails, left);
    if (!apart)
        return gate_decide(cutoffs(r, &s->config, counted + left), counted + left, c->pass, fails);
    /* Errors to come would make the end come sooner: the runs left may all pass, all fail, or not
     * count at all, and nothing lies beyond these. No run counted is no verdict. */
    if (r->bar == BAR_COUNT)
        return counted == 0 ? GATE_OPEN
                            : gate_decide(gate_cutoffs_of_count(r->min_passes), counted + left,
                                          c->pass, fails);
    enum gate_verdict best = gate_verdict(&g, c->pass + left, counted + left);
    enum gate_verdict worst = gate_verdict(&g, c->pass, counted + left);
    if (best != GATE_PASS && worst != GATE_FAIL)
        return GATE_UNDECIDED;
    return best == worst && counted > 0 ? best : GATE_OPEN;
}

int64_t stop_least_runs(const struct rule *r, const struct sample_config *config)
{
    struct gate_rule g = rule_gate(r, config);
    if (r->bar == BAR_COUNT)
        return r->min_passes;
    return r->bar == BAR_RATE ? gate_min_runs(&g) : 0;
}

int64_t stop_least_runs_latency(const struct rule *r)
{
    return isnan(r->max_latency) ? 0 : quantile_min_draws(r->latency_quantile, r->confidence);
}
