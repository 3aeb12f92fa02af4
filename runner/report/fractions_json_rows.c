#include "report/fractions_json_impl.h"

#include "base/own.h"
#include "report/explain.h"

#include <math.h>

void fractions_put_usages(struct json_out *j, const struct usages *u)
{
    json_open(j, "usage", '{');
    for (size_t i = 0; i < u->n; i++) {
        json_open(j, u->of[i].model, '{');
        json_count(j, "input_tokens", u->of[i].input);
        json_count(j, "output_tokens", u->of[i].output);
        json_count(j, "cached_input_tokens", u->of[i].cached);
        json_double(j, "cost", u->of[i].cost);
        json_close(j, '}');
    }
    json_close(j, '}');
}

void fractions_put_prior(struct json_out *j, double a, double b)
{
    json_open(j, "prior", '[');
    json_double(j, NULL, a);
    json_double(j, NULL, b);
    json_close(j, ']');
}

double fractions_percent(int64_t passes, int64_t runs)
{
    return runs > 0 ? 100.0 * (double)passes / (double)runs : 0;
}

static void put_gate(struct json_out *j, const struct sample_case *c,
                     const struct sample_config *config)
{
    struct rate_judged r;
    struct gate_rule g = rule_gate(&c->rule, config);
    bool count = c->rule.bar == BAR_COUNT, sequential = rule_sequential(&c->rule, config);
    if (c->rule.bar == BAR_NONE) {
        json_null(j, "gate");
        return;
    }
    case_judge_rate(c, config, &r);
    json_open(j, "gate", '{');
    json_text(j, "rule", count ? "count" : "rate");
    if (count)
        json_count(j, "min_passes", c->rule.min_passes);
    else
        json_double(j, "min_rate", c->rule.min_rate);
    json_double(j, "confidence", c->rule.confidence);
    json_text(j, "method", r.shown.method);
    fractions_put_prior(j, sequential ? g.a : c->rule.prior.a, sequential ? g.b : c->rule.prior.b);
    json_text(j, "errors", config->errors_excluded ? "exclude" : "count");
    json_count(j, "runs", c->rule.runs);
    json_count(j, "passes", r.passes);
    json_count(j, "total", r.total);
    json_count(j, "excluded", r.excluded);
    json_double(j, "low", r.shown.ends.low);
    json_double(j, "high", r.shown.ends.high);
    json_text(j, "verdict", verdict_word(r.verdict));
    json_close(j, '}');
}

static void put_rank(struct json_out *j, int64_t rank)
{
    if (rank > 0)
        json_count(j, NULL, rank);
    else
        json_null(j, NULL);
}

static void put_latency(struct json_out *j, const struct sample_case *c,
                        const struct sample_config *config)
{
    struct latency_judged l;
    case_judge_latency(c, config, &l);
    json_open(j, "latency", '{');
    json_double(j, "quantile", c->rule.latency_quantile);
    json_count(j, "total", l.total);
    json_count(j, "excluded", l.excluded);
    json_double(j, "estimate", l.estimate);
    json_open(j, "ci", '{');
    json_text(j, "method", "order-statistic");
    json_double(j, "level", c->rule.confidence);
    json_double(j, "low", l.low);
    json_double(j, "high", l.high);
    json_open(j, "ranks", '[');
    put_rank(j, l.ranks.low);
    put_rank(j, l.ranks.high);
    json_close(j, ']');
    json_double(j, "coverage", l.ranks.coverage);
    json_close(j, '}');
    json_count(j, "min_runs", l.min_runs);
    json_double(j, "max_latency", c->rule.max_latency);
    json_text(j, "verdict", l.verdict == GATE_OPEN ? NULL : verdict_word(l.verdict));
    if (config->explain) {
        own_text struct text words = {0};
        explain_latency(c, config, &words);
        json_text(j, "explanation", text_str(&words));
    }
    json_close(j, '}');
}

/* What the runs that were left out would have cost; NaN where no cost was recorded. */
double fractions_avoided(const struct sample_case *c)
{
    int64_t runs = case_total(c);
    return c->costs && runs > 0 ? c->cost / (double)runs * (double)c->cut : NAN;
}

static void put_stopped(struct json_out *j, const struct sample_case *c,
                        const struct sample_config *config)
{
    struct rate_judged r;
    if (!case_cut(c)) {
        json_null(j, "stopped");
        return;
    }
    case_judge_rate(c, config, &r);
    json_open(j, "stopped", '{');
    json_count(j, "after", case_total(c));
    json_count(j, "planned", case_total(c) + c->cut);
    json_count(j, "skipped", c->cut);
    json_text(j, "verdict", verdict_word(r.verdict));
    json_double(j, "cost_avoided", fractions_avoided(c));
    json_close(j, '}');
}

static void put_row_metrics(struct json_out *j, const struct sample_case *c,
                            const struct sample_config *config)
{
    json_open(j, "metrics", '{');
    for (size_t k = 0; k < config->metrics; k++) {
        char name[32];
        metric_name(&config->metric[k], name, sizeof name);
        json_double(j, name, case_metric(c, &config->metric[k]));
    }
    json_close(j, '}');
}

void fractions_put_row(struct json_out *j, const struct sample_case *c,
                    const struct sample_config *config)
{
    struct shown_interval i = case_interval(c, config);
    json_line(j);
    json_open(j, NULL, '{');
    json_text(j, "case", c->name);
    json_text(j, "label", c->function);
    json_text(j, "nodeid", c->nodeid);
    json_count(j, "passes", c->pass);
    json_count(j, "fails", c->fail);
    json_count(j, "errors", c->error);
    json_count(j, "total", case_total(c));
    json_double(j, "pass_rate", fractions_percent(c->pass, case_total(c)));
    json_text(j, "status", case_status_word(case_status(c)));
    json_open(j, "ci", '{');
    json_text(j, "method", i.method);
    json_double(j, "level", i.level);
    json_double(j, "low", i.ends.low);
    json_double(j, "high", i.ends.high);
    json_close(j, '}');
    put_gate(j, c, config);
    put_latency(j, c, config);
    json_double(j, "cost", c->cost);
    fractions_put_usages(j, &c->usages);
    put_row_metrics(j, c, config);
    put_stopped(j, c, config);
    if (config->explain) {
        own_text struct text words = {0};
        explain_case(c, config, &words);
        json_text(j, "explanation", text_str(&words));
    }
    json_close(j, '}');
}

static void put_interval(struct json_out *j, const char *key, const char *method,
                         struct interval ends, const struct sample_config *config)
{
    if (isnan(ends.low)) {
        json_null(j, key);
        return;
    }
    json_open(j, key, '{');
    json_text(j, "method", method);
    json_double(j, "level", config->confidence);
    json_double(j, "low", ends.low);
    json_double(j, "high", ends.high);
    json_close(j, '}');
}

static void put_mean(struct json_out *j, const struct mean_of *m,
                     const struct sample_config *config)
{
    own_mem char *suppressed = suppressed_words(m, config);
    json_double(j, "estimate", m->estimate);
    put_interval(j, "ci", "bootstrap", m->ends, config);
    put_interval(j, "normal_ci", "normal", m->normal, config);
    json_text(j, "variant", m->why != SUPPRESSED_NOT ? NULL : m->bca ? "bca" : "percentile");
    json_text(j, "suppressed", suppressed);
    json_count(j, "stopped", (int64_t)m->stopped);
}

void fractions_put_aggregate(struct json_out *j, const struct aggregate *a,
                          const struct sample_config *config)
{
    json_line(j);
    json_open(j, NULL, '{');
    json_text(j, "scope", a->overall ? "overall" : "function");
    json_text(j, "name", a->name);
    json_count(j, "inputs", (int64_t)a->mean.inputs);
    json_open(j, "runs", '{');
    json_count(j, "min", a->runs_least);
    json_double(j, "mean", a->runs_mean);
    json_count(j, "max", a->runs_most);
    json_close(j, '}');
    put_mean(j, &a->mean, config);
    json_count(j, "resamples", config->resamples);
    json_count(j, "seed", (int64_t)config->seed);
    json_text(j, "resampling_unit", "input");
    json_text(j, "note", a->mean.why == SUPPRESSED_NOT && a->mean.inputs < AGGREGATE_FEW
                             ? "inputs treated as a sample; from so few the interval covers less "
                               "than its level"
                             : "inputs treated as a sample");
    json_double(j, "icc", a->icc);
    json_double(j, "width_factor", a->width_factor);
    json_open(j, "metrics", '{');
    for (size_t k = 0; k < config->metrics; k++) {
        char name[32];
        metric_name(&config->metric[k], name, sizeof name);
        json_open(j, name, '{');
        json_count(j, "k", config->metric[k].k);
        json_count(j, "inputs", (int64_t)a->metric[k].inputs);
        json_count(j, "left_out", (int64_t)a->left_out[k]);
        put_mean(j, &a->metric[k], config);
        if (config->explain) {
            own_text struct text words = {0};
            explain_metric(a, k, config, &words);
            json_text(j, "explanation", text_str(&words));
        }
        json_close(j, '}');
    }
    json_close(j, '}');
    if (config->explain) {
        own_text struct text words = {0};
        explain_mean(a, config, &words);
        json_text(j, "explanation", text_str(&words));
    }
    json_close(j, '}');
}
