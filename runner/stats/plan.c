#include "stats/plan.h"

#include <math.h>
#include <stdlib.h>

#include "stats/binomial.h"

static const struct plan NO_PLAN = {NAN, NAN, NAN, NAN};

struct plan plan_fixed(const struct gate_rule *rule, int64_t runs, double rate)
{
    if (!gate_rule_sane(rule) || runs < 0 || !(rate >= 0 && rate <= 1))
        return NO_PLAN;

    struct gate_cutoffs c = gate_cutoffs(rule, runs);
    struct plan ret = {.runs = (double)runs};

    if (c.pass_at >= 0)
        ret.pass = binomial_tails(c.pass_at, runs, rate).upper;
    if (c.fail_at >= 0)
        ret.fail = binomial_tails(c.fail_at, runs, rate).lower;
    /* What lies between; from its ends, so that a small chance is not a difference of large. */
    int64_t from = c.fail_at + 1, to = (c.pass_at >= 0 ? c.pass_at : runs + 1) - 1;

    if (from <= to) {
        double below = binomial_tails(to, runs, rate).lower - ret.fail;
        double above = binomial_tails(from, runs, rate).upper - ret.pass;

        ret.undecided = fmax(0, ret.fail < ret.pass ? below : above);
    }
    return ret;
}

/* The chance of k passes and no stop yet, for k in [low, high] of at. */
struct alive {
    double *at;
    int64_t low, high;
};

static void alive_run(struct alive *s, double rate)
{
    s->high++;
    s->at[s->high] = 0;
    for (int64_t k = s->high; k > s->low; k--)
        s->at[k] = s->at[k] * (1 - rate) + s->at[k - 1] * rate;
    s->at[s->low] *= 1 - rate;
}

/* Takes those out whose verdict is there; returns their chance. */
static double alive_stop(struct alive *s, const struct gate_stop *stop, struct plan *p)
{
    double stopped = 0;

    for (int64_t k = s->low; k <= s->high; k++) {
        enum gate_verdict v = gate_stop_verdict(stop, k);
        double chance = s->at[k];

        if (v == GATE_OPEN)
            continue;
        *(v == GATE_PASS ? &p->pass : v == GATE_FAIL ? &p->fail : &p->undecided) += chance;
        stopped += chance;
        s->at[k] = 0;
    }
    while (s->high > s->low && s->high >= stop->pass_at)
        s->high--;
    while (s->low < s->high && s->low <= stop->fail_at)
        s->low++;
    return stopped;
}

struct plan plan_stopped(const struct gate_stop *stops, int64_t planned, double rate)
{
    if (planned < 1 || !(rate >= 0 && rate <= 1))
        return NO_PLAN;

    struct alive s = {.at = calloc((size_t)planned + 1, sizeof(*s.at))};
    struct plan ret = {0};

    if (s.at == NULL)
        return NO_PLAN;
    s.at[0] = 1;
    for (int64_t n = 1; n <= planned; n++) {
        alive_run(&s, rate);
        ret.runs += (double)n * alive_stop(&s, &stops[n - 1], &ret);
    }
    free(s.at);
    return ret;
}

/* I_x(a, b) kept while a and b grow by one: DLMF 8.17.20 and 8.17.21, with
 * mass = x^a (1-x)^b / B(a, b).  Its error grows with the steps, so it is set anew now and then. */
struct walk {
    double a, b, x;
    double tail, mass;
};

static struct walk walk_at(double a, double b, double x)
{
    return (struct walk){
        .a = a,
        .b = b,
        .x = x,
        .tail = beta_tails(a, b, x, 1 - x).lower,
        .mass = exp(log_binomial(a, b, x, 1 - x)) * a * b / (a + b),
    };
}

static void walk_fail(struct walk *w)
{
    w->tail += w->mass / w->b;
    w->mass *= (1 - w->x) * (w->a + w->b) / w->b;
    w->b++;
}

static void walk_pass(struct walk *w)
{
    w->tail -= w->mass / w->a;
    w->mass *= w->x * (w->a + w->b) / w->a;
    w->a++;
}

/* The number of runs, the fewest passes that give PASS, the tail at the bar that says so, and the
 * chance of it at the rate.  From run to run the passes stay or grow by one. */
struct scan {
    const struct gate_rule *rule;
    double rate;
    int64_t n, k;
    struct walk bar, power;
};

enum { ANEW = 256 }; /* steps; the error until then stays below 1e-11, the slack is 1e-9 */

static bool walks_bar(const struct scan *s)
{
    return s->rule->method == GATE_EXACT || s->rule->method == GATE_BAYES;
}

static void scan_set(struct scan *s)
{
    double k = (double)s->k, rest = (double)(s->n - s->k);
    bool exact = s->rule->method == GATE_EXACT;

    if (walks_bar(s))
        s->bar =
            walk_at(exact ? k : s->rule->a + k, exact ? rest + 1 : s->rule->b + rest, s->rule->bar);
    if (s->k > 0) /* else every number of passes is PASS, and nothing is scanned */
        s->power = walk_at(k, rest + 1, s->rate);
}

/* Whether k of n + 1 is PASS. */
static bool scan_stays(const struct scan *s)
{
    double least = .5 * (1 - s->rule->confidence);

    if (walks_bar(s)) {
        struct walk next = s->bar;

        walk_fail(&next);
        if (fabs(next.tail / least - 1) > 1e-9)
            return next.tail < least;
    }
    return gate_verdict(s->rule, s->k, s->n + 1) == GATE_PASS;
}

static void scan_next(struct scan *s)
{
    bool stays = scan_stays(s);
    void (*step)(struct walk *) = stays ? walk_fail : walk_pass;

    if (walks_bar(s))
        step(&s->bar);
    step(&s->power);
    s->k += !stays;
    s->n++;
    if (s->n % ANEW == 0)
        scan_set(s);
}

static bool scan_reaches(const struct scan *s, double target)
{
    if (s->k == 0)
        return true;
    if (fabs(s->power.tail - target) > 1e-9)
        return s->power.tail > target;
    return binomial_tails(s->k, s->n, s->rate).upper >= target * (1 - 1e-12);
}

int64_t plan_runs(const struct gate_rule *rule, double rate, double target, int64_t cap)
{
    if (!gate_rule_sane(rule) || !(rate > rule->bar && rate <= 1) || !(target > 0 && target <= 1))
        return -1;

    int64_t first = gate_min_runs(rule);

    if (first < 0 || first > cap)
        return -1;

    struct scan s = {.rule = rule, .rate = rate, .n = first};

    s.k = gate_cutoffs(rule, first).pass_at;
    scan_set(&s);
    while (!scan_reaches(&s, target)) {
        if (s.n >= cap)
            return -1;
        scan_next(&s);
    }
    return s.n;
}

/* The stop rows of as many runs as are needed, made in growing portions.  The last row of a table
 * decides everything, so that it is none for more runs. */
struct rows {
    struct gate_stop *at;
    int64_t made;
};

static const struct gate_stop *row_of(struct rows *r, const struct gate_rule *rule, int64_t run,
                                      int64_t cap)
{
    if (run >= r->made) {
        int64_t more = r->made ? 4 * r->made : 256;

        if (more > cap)
            more = cap + 1;

        struct gate_stop *at = realloc(r->at, (size_t)more * sizeof(*at));

        if (at == NULL)
            return NULL;
        *r = (struct rows){.at = at, .made = more};
        gate_stops_each(rule, more, false, at);
    }
    return &r->at[run - 1];
}

int64_t plan_runs_stopped(const struct gate_rule *rule, double rate, double target, int64_t cap)
{
    if (!gate_rule_sane(rule) || !(rate >= 0 && rate <= 1) || !(target > 0 && target <= 1) ||
        cap < 1)
        return -1;

    struct alive s = {.at = calloc((size_t)cap + 1, sizeof(*s.at))};
    struct rows rows = {0};
    struct plan so_far = {0};
    int64_t ret = -1;

    if (s.at != NULL)
        s.at[0] = 1;
    for (int64_t run = 1; s.at != NULL && ret < 0 && run <= cap; run++) {
        const struct gate_stop *row = row_of(&rows, rule, run, cap);

        if (row == NULL)
            break;
        alive_run(&s, rate);
        alive_stop(&s, row, &so_far);
        if (so_far.pass >= target)
            ret = run;
    }
    free(rows.at);
    free(s.at);
    return ret;
}
