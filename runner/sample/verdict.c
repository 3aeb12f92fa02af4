#include "sample/verdict.h"

#include "base/own.h"
#include "base/text.h"
#include "stats/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum case_status case_status(const struct sample_case *c)
{
    if (c->fail > 0)
        return c->pass > 0 ? CASE_FLAKY : CASE_FAIL;
    if (c->error > 0)
        return c->pass > 0 ? CASE_ERRORED : CASE_ERROR;
    return CASE_PASS;
}

const char *case_status_word(enum case_status s)
{
    static const char *const words[] = {
        [CASE_PASS] = "pass", [CASE_FLAKY] = "flaky", [CASE_ERRORED] = "errored",
        [CASE_FAIL] = "fail", [CASE_ERROR] = "error",
    };
    return words[s];
}

const char *verdict_word(enum gate_verdict v)
{
    static const char *const words[] = {
        [GATE_OPEN] = "none",
        [GATE_PASS] = "pass",
        [GATE_FAIL] = "fail",
        [GATE_UNDECIDED] = "undecided",
    };
    return words[v];
}

bool rule_sequential(const struct rule *r, const struct sample_config *config)
{
    return r->bar == BAR_RATE && config->stop == STOP_SEQUENTIAL;
}

struct gate_rule rule_gate(const struct rule *r, const struct sample_config *config)
{
    static const enum gate_method of[] = {
        [METHOD_EXACT] = GATE_EXACT,
        [METHOD_WILSON] = GATE_WILSON,
        [METHOD_BAYES] = GATE_BAYES,
    };
    struct gate_rule g = {.bar = r->min_rate,
                          .confidence = r->confidence,
                          .method = of[r->method],
                          .a = r->prior.a,
                          .b = r->prior.b};
    if (rule_sequential(r, config)) {
        g.method = GATE_SEQUENTIAL;
        g.a = MIXTURE_JEFFREYS.a;
        g.b = MIXTURE_JEFFREYS.b;
    }
    return g;
}

static struct shown_interval interval_of(int64_t k, int64_t n, enum method m, double confidence,
                                         struct prior prior)
{
    struct shown_interval ret = {{NAN, NAN}, method_name(m), confidence};
    if (n == 0)
        return ret;
    switch (m) {
    case METHOD_EXACT:
        ret.ends = interval_exact(k, n, confidence);
        break;
    case METHOD_WILSON:
        ret.ends = interval_wilson(k, n, confidence);
        break;
    case METHOD_BAYES:
        ret.ends = interval_bayes(k, n, confidence, prior.a, prior.b);
        break;
    }
    return ret;
}

/* Of k of n by the gate's own method. */
static struct shown_interval gate_interval(const struct rule *r, const struct sample_config *config,
                                           int64_t k, int64_t n)
{
    if (!rule_sequential(r, config))
        return interval_of(k, n, r->method, r->confidence, r->prior);
    struct shown_interval ret = {{NAN, NAN}, "sequential", r->confidence};
    if (n > 0)
        ret.ends = sequence_interval(k, n, r->confidence);
    return ret;
}

struct shown_interval case_interval(const struct sample_case *c, const struct sample_config *config)
{
    if (rule_sequential(&c->rule, config))
        return gate_interval(&c->rule, config, c->pass, case_total(c));
    return interval_of(c->pass, case_total(c), config->method, config->confidence, config->prior);
}

void case_judge_rate(const struct sample_case *c, const struct sample_config *config,
                     struct rate_judged *ret)
{
    const struct rule *r = &c->rule;
    *ret = (struct rate_judged){.passes = c->pass, .total = case_total(c)};
    if (r->bar == BAR_NONE)
        return;
    if (config->errors_excluded) {
        ret->excluded = c->error;
        ret->total -= c->error;
    }
    ret->shown = gate_interval(r, config, ret->passes, ret->total);
    struct gate_rule g = rule_gate(r, config);
    if (ret->total == 0)
        ret->verdict = GATE_UNDECIDED; /* every run errored: nothing speaks either way */
    else if (r->bar == BAR_RATE)
        ret->verdict = gate_verdict(&g, ret->passes, ret->total);
    else
        ret->verdict = ret->passes >= r->min_passes ? GATE_PASS : GATE_FAIL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void case_judge_latency(const struct sample_case *c, const struct sample_config *config,
                        struct latency_judged *ret)
{
    const struct rule *r = &c->rule;
    own_mem double *sorted = mem_or_die((c->timed + 1) * sizeof *sorted);
    size_t n = 0;
    bool gated = r->bar != BAR_NONE || !isnan(r->max_latency); /* it is gates that leave them out */
    *ret = (struct latency_judged){.estimate = NAN, .low = NAN, .high = NAN};
    for (size_t i = 0; i < c->timed; i++) {
        if (gated && config->errors_excluded && c->elapsed_error[i])
            ret->excluded++;
        else
            sorted[n++] = c->elapsed[i];
    }
    qsort(sorted, n, sizeof *sorted, by_size);
    ret->total = (int64_t)n;
    ret->min_runs = quantile_min_draws(r->latency_quantile, r->confidence);
    ret->ranks = quantile_ranks(ret->total, r->latency_quantile, r->confidence);
    if (n > 0)
        ret->estimate = sorted[quantile_rank(ret->total, r->latency_quantile) - 1];
    if (ret->ranks.low > 0)
        ret->low = sorted[ret->ranks.low - 1];
    if (ret->ranks.high > 0)
        ret->high = sorted[ret->ranks.high - 1];
    if (isnan(r->max_latency))
        return;
    if (ret->high < r->max_latency)
        ret->verdict = GATE_PASS;
    else
        ret->verdict = ret->low > r->max_latency ? GATE_FAIL : GATE_UNDECIDED;
}

void verdicts_add(struct verdicts *to, enum gate_verdict v)
{
    to->pass += v == GATE_PASS;
    to->fail += v == GATE_FAIL;
    to->undecided += v == GATE_UNDECIDED;
}

struct verdicts suite_verdicts(const struct suite *s)
{
    struct verdicts ret = {0};
    for (size_t i = 0; i < s->n; i++) {
        const struct sample_case *c = &s->of[i];
        struct rate_judged rate;
        if (case_total(c) == 0)
            continue;
        case_judge_rate(c, &s->config, &rate);
        verdicts_add(&ret, rate.verdict);
        if (!isnan(c->rule.max_latency)) {
            struct latency_judged latency;
            case_judge_latency(c, &s->config, &latency);
            verdicts_add(&ret, latency.verdict);
        }
    }
    return ret;
}

bool verdict_fails(enum gate_verdict v, const struct sample_config *config)
{
    return v == GATE_FAIL || (v == GATE_UNDECIDED && !config->undecided_passes);
}
