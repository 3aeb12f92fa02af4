#include "sample/aggregate.h"

#include "base/own.h"
#include "base/text.h"
#include "stats/binomial.h"
#include "stats/bootstrap.h"
#include "stats/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cases of one line, by name. */
struct group {
    const struct sample_case **of;
    size_t n;
};

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct sample_case *const *)a)->name,
                  (*(const struct sample_case *const *)b)->name);
}

static void group_add(struct group *g, const struct sample_case *c)
{
    if (case_total(c) > 0)
        g->of[g->n++] = c;
}

static void resample(const double *values, const struct sample_config *config, struct mean_of *m)
{
    struct bootstrap_plan plan = {config->seed, (size_t)config->resamples, config->confidence};
    struct bootstrap b;
    if (bootstrap_mean(values, m->inputs, &plan, &b) < 0)
        return;
    m->bca = isfinite(b.bca.interval.low) && isfinite(b.bca.interval.high);
    m->ends = m->bca ? b.bca.interval : b.percentile;
}

/* Mean and standard error of the values, as if their mean were normal. */
static void take_normal(const double *values, const struct sample_config *config, struct mean_of *m)
{
    double squares = 0, n = (double)m->inputs;
    for (size_t i = 0; i < m->inputs; i++)
        squares += (values[i] - m->estimate) * (values[i] - m->estimate);
    double z = -normal_quantile((1 - config->confidence) / 2);
    double half = z * sqrt(squares / (n - 1) / n);
    m->normal = (struct interval){m->estimate - half, m->estimate + half};
}

static void take_mean(const double *values, const struct sample_config *config, struct mean_of *m)
{
    bool alike = true;
    double sum = 0;
    for (size_t i = 0; i < m->inputs; i++) {
        sum += values[i];
        alike = alike && values[i] == values[0];
    }
    m->estimate = m->inputs ? sum / (double)m->inputs : NAN;
    m->ends = m->normal = (struct interval){NAN, NAN};
    if (m->inputs == 0)
        m->why = SUPPRESSED_NOTHING;
    else if ((int64_t)m->inputs < config->min_inputs)
        m->why = SUPPRESSED_FEW;
    else if (m->stopped > 0)
        m->why = SUPPRESSED_STOPPED;
    else if (alike)
        m->why = SUPPRESSED_ALIKE;
    if (m->why != SUPPRESSED_NOT)
        return;
    resample(values, config, m);
    take_normal(values, config, m);
}

double case_metric(const struct sample_case *c, const struct metric *m)
{
    return m->hat ? metric_pass_all(c->pass, case_total(c), m->k)
                  : metric_pass_any(c->pass, case_total(c), m->k);
}

static void take_metrics(const struct group *g, const struct sample_config *config, double *values,
                         struct aggregate *ret)
{
    ret->metric = mem_or_die((config->metrics + 1) * sizeof *ret->metric);
    ret->left_out = mem_or_die((config->metrics + 1) * sizeof *ret->left_out);
    for (size_t k = 0; k < config->metrics; k++) {
        struct mean_of *m = &ret->metric[k];
        for (size_t i = 0; i < g->n; i++) {
            double value = case_metric(g->of[i], &config->metric[k]);
            if (isnan(value))
                continue;
            values[m->inputs++] = value;
            m->stopped += case_cut(g->of[i]);
        }
        ret->left_out[k] = g->n - m->inputs;
        take_mean(values, config, m);
    }
}

/* How alike the runs of an input are, and what doubling something would do to the interval. */
static void take_clustering(const struct group *g, struct aggregate *ret)
{
    own_mem struct runs_of *runs = mem_or_die((g->n + 1) * sizeof *runs);
    for (size_t i = 0; i < g->n; i++)
        runs[i] = (struct runs_of){g->of[i]->pass, case_total(g->of[i])};
    struct icc icc = metric_icc(runs, g->n);
    double k = metric_harmonic_runs(runs, g->n);
    ret->icc = icc.raw;
    ret->rho = icc.rho;
    ret->width_factor = sqrt((1 + (k - 1) * icc.rho) / k); /* the design effect: stats/metric.h */
    ret->more_runs = metric_projected_width(k, icc.rho, (struct growth){2, 1}) - 1;
    ret->more_inputs = metric_projected_width(k, icc.rho, (struct growth){1, 2}) - 1;
}

static void take_runs(const struct group *g, struct aggregate *ret)
{
    int64_t all = 0;
    bool costs = false;
    for (size_t i = 0; i < g->n; i++) {
        int64_t runs = case_total(g->of[i]);
        all += runs;
        if (i == 0 || runs < ret->runs_least)
            ret->runs_least = runs;
        if (runs > ret->runs_most)
            ret->runs_most = runs;
        ret->mean.stopped += case_cut(g->of[i]);
        ret->cost += g->of[i]->cost;
        costs = costs || g->of[i]->costs;
    }
    ret->runs_mean = (double)all / (double)g->n;
    if (!costs)
        ret->cost = NAN;
}

static void aggregate(struct group *g, const struct sample_config *config, const char *name,
                      struct aggregate *ret)
{
    own_mem double *values = mem_or_die((g->n + 1) * sizeof *values);
    qsort(g->of, g->n, sizeof *g->of, by_name);
    ret->name = name;
    for (size_t i = 0; i < g->n; i++)
        values[i] = (double)g->of[i]->pass / (double)case_total(g->of[i]);
    ret->mean.inputs = g->n;
    take_runs(g, ret);
    take_mean(values, config, &ret->mean);
    take_clustering(g, ret);
    take_metrics(g, config, values, ret);
}

static int by_function(const void *a, const void *b)
{
    return strcmp(((const struct aggregate *)a)->name, ((const struct aggregate *)b)->name);
}

void aggregates_of(const struct suite *s, struct aggregates *ret)
{
    own_mem const struct sample_case **room = mem_or_die((s->n + 1) * sizeof *room);
    *ret = (struct aggregates){.metrics = s->config.metrics};
    ret->of = mem_or_die((s->functions + 1) * sizeof *ret->of);
    for (size_t f = 0; f < s->functions; f++) {
        struct group g = {.of = room};
        for (size_t i = 0; i < s->function[f].n; i++)
            group_add(&g, &s->of[s->function[f].of[i]]);
        if (g.n > 0)
            aggregate(&g, &s->config, s->function[f].name, &ret->of[ret->n++]);
    }
    qsort(ret->of, ret->n, sizeof *ret->of, by_function);
    if (ret->n == 0)
        return;
    struct group all = {.of = room};
    for (size_t i = 0; i < s->n; i++)
        group_add(&all, &s->of[i]);
    ret->of[ret->n].overall = true;
    aggregate(&all, &s->config, "Overall", &ret->of[ret->n++]);
}

void aggregates_done(struct aggregates *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->of[i].metric);
        free(a->of[i].left_out);
    }
    free(a->of);
    *a = (struct aggregates){0};
}

char *suppressed_words(const struct mean_of *m, const struct sample_config *config)
{
    own_text struct text t = {0};
    switch (m->why) {
    case SUPPRESSED_NOT:
        return NULL;
    case SUPPRESSED_FEW:
        text_addf(&t, "fewer than %lld inputs", (long long)config->min_inputs);
        break;
    case SUPPRESSED_STOPPED:
        text_addf(&t, "%zu case%s stopped early", m->stopped, m->stopped == 1 ? "" : "s");
        break;
    case SUPPRESSED_ALIKE:
        text_add(&t, "all inputs are alike");
        break;
    case SUPPRESSED_NOTHING:
        text_add(&t, "no input has enough runs");
        break;
    }
    return text_take(&t);
}
