#include "sample/comparison_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "stats/adjust.h"
#include "stats/bootstrap.h"
#include "stats/compare.h"
#include "stats/permute.h"

struct comparison *comparisons_add(struct comparisons *c, const char *function, const char *axis,
                                   const char *baseline, const char *arm)
{
    c->of = mem_grow_or_die(c->of, (c->n + 1) * sizeof *c->of);
    struct comparison *one = &c->of[c->n++];
    *one = (struct comparison){
        .function = str_or_die(function),
        .axis = axis ? str_or_die(axis) : NULL,
        .baseline = str_or_die(baseline),
        .arm = str_or_die(arm),
        .difference = NAN,
        .interval = {NAN, NAN},
        .p = NAN,
        .p_adjusted = NAN,
        .margin = NAN,
        .cost_ratio = NAN,
    };
    return one;
}

void comparison_pair(struct comparison *c, const char *input, const struct side *baseline,
                     const struct side *arm)
{
    c->of = mem_grow_or_die(c->of, (c->pairs + 1) * sizeof *c->of);
    c->of[c->pairs++] = (struct compared_input){
        .input = str_or_die(input),
        .baseline = baseline->runs,
        .arm = arm->runs,
        /* one division: 8/10 - 10/10 is then the double nearest to -.2 */
        .difference =
            (double)(arm->runs.pass * baseline->runs.runs - baseline->runs.pass * arm->runs.runs) /
            ((double)arm->runs.runs * (double)baseline->runs.runs),
    };
    c->stopped += (size_t)baseline->stopped + (size_t)arm->stopped;
    c->cost[0] += baseline->cost;
    c->cost[1] += arm->cost;
}

void comparison_leave_out(struct comparison *c, const char *input)
{
    c->unpaired = mem_grow_or_die(c->unpaired, (c->unpaired_n + 1) * sizeof *c->unpaired);
    c->unpaired[c->unpaired_n++] = str_or_die(input);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_input(const void *a, const void *b)
{
    const struct compared_input *const *x = a, *const *y = b;
    return strcmp((*x)->input, (*y)->input);
}

/* In the order of their names: what a seed gives must not depend on which run ended first. */
static struct compared_input **canonical(const struct comparison *c)
{
    struct compared_input **in = mem_or_die(c->pairs * sizeof(struct compared_input *));
    for (size_t i = 0; i < c->pairs; i++)
        in[i] = &c->of[i];
    qsort(in, c->pairs, sizeof(struct compared_input *), by_input);
    return in;
}

static void bootstrap(struct comparison *c, const struct sample_config *config)
{
    own_mem struct compared_input **in = canonical(c);
    own_mem double *differences = mem_or_die(c->pairs * sizeof *differences);
    struct bootstrap_plan plan = {.seed = config->seed,
                                  .resamples = (size_t)config->resamples,
                                  .confidence = config->confidence};
    struct bootstrap b;

    for (size_t i = 0; i < c->pairs; i++)
        differences[i] = in[i]->difference;
    if (bootstrap_mean(differences, c->pairs, &plan, &b) < 0)
        return;
    c->percentile = isnan(b.bca.interval.low);
    c->interval = c->percentile ? b.percentile : b.bca.interval;
}

static void test_signs(struct comparison *c, const struct sample_config *config)
{
    own_mem struct compared_input **in = canonical(c);
    own_mem struct run_pair *pairs = mem_or_die(c->pairs * sizeof *pairs);
    struct flip_draws draws = {.seed = config->seed, .resamples = (size_t)config->resamples};

    for (size_t i = 0; i < c->pairs; i++)
        pairs[i] = (struct run_pair){in[i]->arm.pass, in[i]->arm.runs, in[i]->baseline.pass,
                                     in[i]->baseline.runs};
    struct sign_flip f = sign_flip(pairs, c->pairs, &draws);
    if (isnan(f.p))
        return;
    c->by = COMPARED_SIGN_FLIP;
    c->p = f.p;
    c->exact = f.exact;
}

static void each_input(struct comparison *c, double confidence)
{
    for (size_t i = 0; i < c->pairs; i++) {
        struct compared_input *in = &c->of[i];
        in->interval = difference_newcombe(in->arm.pass, in->arm.runs, in->baseline.pass,
                                           in->baseline.runs, confidence);
        in->p = fisher_two_sided(in->arm.pass, in->arm.runs, in->baseline.pass, in->baseline.runs);
    }
}

/* The interval against the margin; an end that lies on it decides nothing. */
static enum gate_verdict verdict(const struct comparison *c)
{
    if (isnan(c->margin))
        return GATE_OPEN;
    if (c->hidden || isnan(c->interval.low))
        return GATE_UNDECIDED;
    bool above = c->interval.low > -c->margin;
    bool below = c->interval.high < -c->margin;
    if (!c->equivalence)
        return above ? GATE_PASS : below ? GATE_FAIL : GATE_UNDECIDED;
    if (above && c->interval.high < c->margin)
        return GATE_PASS;
    return below || c->interval.low > c->margin ? GATE_FAIL : GATE_UNDECIDED;
}

static double mean_difference(const struct comparison *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->pairs; i++)
        sum += c->of[i].difference;
    return sum / (double)c->pairs;
}

/* Per run, over the pairs. */
static double cost_ratio(const struct comparison *c)
{
    int64_t runs[2] = {0};
    for (size_t i = 0; i < c->pairs; i++) {
        runs[0] += c->of[i].baseline.runs;
        runs[1] += c->of[i].arm.runs;
    }
    if (!(c->cost[0] > 0 && c->cost[1] > 0))
        return NAN;
    return (c->cost[1] / (double)runs[1]) / (c->cost[0] / (double)runs[0]);
}

void comparison_judge(struct comparison *c, const struct sample_config *config)
{
    if (c->unpaired_n > 1)
        qsort(c->unpaired, c->unpaired_n, sizeof *c->unpaired, by_text);
    each_input(c, config->confidence);
    c->hidden = c->pairs == 0                            ? HIDDEN_NO_PAIRS
                : c->stopped                             ? HIDDEN_STOPPED
                : c->pairs == 1                          ? HIDDEN_NOT
                : (int64_t)c->pairs < config->min_inputs ? HIDDEN_FEW
                                                         : HIDDEN_NOT;
    if (c->pairs > 0) {
        c->difference = mean_difference(c);
        c->cost_ratio = cost_ratio(c);
    }
    if (c->pairs == 1 && !c->hidden) {
        c->interval = c->of[0].interval;
        c->by = COMPARED_FISHER;
        c->p = c->of[0].p;
        c->exact = true;
    } else if (c->hidden == HIDDEN_FEW || c->hidden == HIDDEN_NOT) {
        if (!c->hidden)
            bootstrap(c, config);
        test_signs(c, config);
    }
    c->verdict = verdict(c);
}

static int by_function(const void *a, const void *b)
{
    const struct comparison *x = a, *y = b;
    int d = strcmp(x->function, y->function);
    return d ? d : (x->made > y->made) - (x->made < y->made);
}

static void adjust(const double *p, double *adjusted, size_t n, enum adjustment how)
{
    switch (how) {
    case ADJUST_NONE:
        memcpy(adjusted, p, n * sizeof *p);
        break;
    case ADJUST_HOLM:
        adjust_holm(p, n, adjusted);
        break;
    case ADJUST_BONFERRONI:
        adjust_bonferroni(p, n, adjusted);
        break;
    case ADJUST_BH:
        adjust_bh(p, n, adjusted);
        break;
    }
}

void comparisons_finish(struct comparisons *c, const struct sample_config *config)
{
    own_mem double *p = mem_or_die((c->n + 1) * sizeof *p);
    own_mem double *adjusted = mem_or_die((c->n + 1) * sizeof *adjusted);
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        c->of[i].made = i;
    if (c->n > 1)
        qsort(c->of, c->n, sizeof *c->of, by_function);
    for (size_t i = 0; i < c->n; i++)
        if (c->of[i].by != COMPARED_NOT)
            p[n++] = c->of[i].p;
    adjust(p, adjusted, n, config->adjust);
    c->family = n;
    n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->of[i].by != COMPARED_NOT)
            c->of[i].p_adjusted = adjusted[n++];
}

void comparisons_done(struct comparisons *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct comparison *one = &c->of[i];
        for (size_t k = 0; k < one->pairs; k++)
            free(one->of[k].input);
        for (size_t k = 0; k < one->unpaired_n; k++)
            free(one->unpaired[k]);
        free(one->of);
        free(one->unpaired);
        free(one->function);
        free(one->axis);
        free(one->baseline);
        free(one->arm);
    }
    free(c->of);
    *c = (struct comparisons){0};
}
