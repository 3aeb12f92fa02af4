#include "sample/plan.h"

#include <math.h>
#include <stdlib.h>

#include "base/own.h"
#include "base/text.h"
#include "sample/stop.h"
#include "sample/verdict.h"
#include "stats/binomial.h"
#include "stats/catch.h"
#include "stats/plan.h"
#include "stats/quantile.h"

/* A case that must make all its runs is judged after them. */
static bool stops(const struct suite *s, const struct sample_case *c, enum stopping how)
{
    return s->config.stop == how && stop_may(s, c);
}

static struct gate_rule gate_of(const struct suite *s, const struct sample_case *c)
{
    struct sample_config config = s->config;
    if (!stops(s, c, STOP_SEQUENTIAL))
        config.stop = STOP_OFF;
    return rule_gate(&c->rule, &config);
}

static int64_t needed_sequential(const struct gate_rule *g, double rate)
{
    int64_t runs = plan_runs_stopped(g, rate, PLAN_POWER, PLAN_MOST);
    return runs < 0 ? PLAN_BEYOND : runs;
}

static int64_t needed_count(int64_t min_passes, double rate)
{
    if (!(rate > 0))
        return PLAN_NEVER;
    for (int64_t n = min_passes; n <= PLAN_MOST; n++)
        if (binomial_tails(min_passes, n, rate).upper >= PLAN_POWER)
            return n;
    return PLAN_BEYOND;
}

static struct plan stopped(const struct gate_rule *g, int64_t runs, double rate)
{
    own_mem struct gate_stop *table = mem_or_die((size_t)runs * sizeof *table);
    gate_stops_each(g, runs, true, table);
    return plan_stopped(table, runs, rate);
}

static double expected_curtailed(struct gate_cutoffs c, int64_t runs, double rate)
{
    own_mem struct gate_stop *table = mem_or_die((size_t)runs * sizeof *table);
    gate_stops_fixed(c, runs, table);
    return plan_stopped(table, runs, rate).runs;
}

static void plan_rate(const struct suite *s, const struct sample_case *c, struct plan_row *row)
{
    struct gate_rule g = gate_of(s, c);
    double rate = s->config.plan_assume;

    row->min_runs = gate_min_runs(&g);
    if (row->min_runs < 0)
        row->min_runs = PLAN_BEYOND;
    bool above = rate > g.bar;
    if (g.method == GATE_SEQUENTIAL) {
        struct plan p = stopped(&g, row->runs, rate);
        row->chance = p.pass;
        row->expected = p.runs;
        row->needed = above ? needed_sequential(&g, rate) : PLAN_NEVER;
        return;
    }
    row->chance = plan_fixed(&g, row->runs, rate).pass;
    row->needed = above ? plan_runs(&g, rate, PLAN_POWER, PLAN_MOST) : PLAN_NEVER;
    if (row->needed < 0 && above)
        row->needed = PLAN_BEYOND;
    if (s->config.stop != STOP_OFF)
        row->expected = stops(s, c, STOP_CURTAIL)
                            ? expected_curtailed(gate_cutoffs(&g, row->runs), row->runs, rate)
                            : (double)row->runs;
}

static void plan_count(const struct suite *s, const struct sample_case *c, struct plan_row *row)
{
    double rate = s->config.plan_assume;

    row->min_runs = c->rule.min_passes;
    row->needed = needed_count(c->rule.min_passes, rate);
    row->chance = row->runs < c->rule.min_passes
                      ? 0
                      : binomial_tails(c->rule.min_passes, row->runs, rate).upper;
    if (s->config.stop != STOP_OFF)
        row->expected =
            isnan(c->rule.max_latency)
                ? expected_curtailed(gate_cutoffs_of_count(c->rule.min_passes), row->runs, rate)
                : (double)row->runs;
}

static void plan_latency(const struct sample_case *c, struct plan_row *row)
{
    int64_t least = quantile_min_draws(c->rule.latency_quantile, c->rule.confidence);
    row->latency = true;
    if (row->min_runs != PLAN_BEYOND && least > row->min_runs)
        row->min_runs = least;
}

static bool same_number(double a, double b)
{
    return isnan(a) ? isnan(b) : !(a < b || a > b);
}

/* Cases of one function mostly have one rule: what is dear is not computed again. */
static bool same_question(const struct rule *a, const struct rule *b)
{
    return a->bar == b->bar && a->min_passes == b->min_passes && a->method == b->method &&
           same_number(a->min_rate, b->min_rate) && same_number(a->confidence, b->confidence) &&
           same_number(a->prior.a, b->prior.a) && same_number(a->prior.b, b->prior.b) &&
           isnan(a->max_latency) == isnan(b->max_latency) &&
           same_number(a->latency_quantile, b->latency_quantile);
}

static void plan_gates(const struct suite *s, const struct sample_case *c, struct plan_row *row)
{
    row->rate = c->rule.bar != BAR_NONE;
    if (c->rule.bar == BAR_RATE)
        plan_rate(s, c, row);
    else if (c->rule.bar == BAR_COUNT)
        plan_count(s, c, row);
}

static void plan_cost(const struct earlier *costs, struct plan_row *row, struct sample_plan *ret)
{
    const struct earlier_row *before = costs ? earlier_find(costs, row->name) : NULL;
    if (!before)
        return;
    row->cost = before->cost / (double)before->runs.runs * (double)row->runs;
    ret->cost += row->cost;
    ret->costs_known++;
}

void sample_plan_make(const struct suite *s, const int64_t *runs, const struct earlier *costs,
                      struct sample_plan *ret)
{
    const struct sample_case *last = NULL;
    *ret = (struct sample_plan){.of = mem_or_die((s->n + 1) * sizeof *ret->of),
                                .sequential = s->config.stop == STOP_SEQUENTIAL};
    for (size_t i = 0; i < s->n; i++) {
        const struct sample_case *c = &s->of[i];
        if (runs[i] <= 0)
            continue;
        struct plan_row *row = &ret->of[ret->n];
        const struct plan_row *above = ret->n ? row - 1 : NULL;
        if (above && last && same_question(&last->rule, &c->rule) && above->runs == runs[i]) {
            *row = *above;
        } else {
            *row = (struct plan_row){.min_runs = PLAN_NO_GATE, .needed = PLAN_NO_GATE};
            row->runs = runs[i];
            row->chance = row->expected = NAN;
            plan_gates(s, c, row);
        }
        row->name = c->name;
        row->cost = NAN;
        if (!isnan(c->rule.max_latency))
            plan_latency(c, row);
        for (size_t k = 0; k < s->config.plan_flakes; k++)
            row->catches[k] = chance_to_catch(s->config.plan_flake[k], row->runs);
        plan_cost(costs, row, ret);
        ret->runs += row->runs;
        ret->n++;
        last = c;
    }
}

void sample_plan_done(struct sample_plan *p)
{
    free(p->of);
    *p = (struct sample_plan){0};
}
