#include "report/comparisons.h"

#include <math.h>

#include "base/own.h"
#include "report/explain.h"
#include "report/points.h"
#include "sample/aggregate.h"
#include "sample/verdict.h"

static void names(struct json_out *j, const char *key, char *const *of, size_t n)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < n; i++)
        json_text(j, NULL, of[i]);
    json_close(j, ']');
}

static void put_interval(struct json_out *j, const char *method, double level, struct interval i)
{
    json_text(j, "method", method);
    json_double(j, "level", level);
    json_double(j, "low", i.low);
    json_double(j, "high", i.high);
}

static void put_runs(struct json_out *j, const char *key, const struct compared_runs *r)
{
    json_open(j, key, '{');
    json_count(j, "passes", r->pass);
    json_count(j, "total", r->runs);
    json_close(j, '}');
}

static void put_inputs(struct json_out *j, const struct comparison *c,
                       const struct sample_config *config)
{
    json_open(j, "inputs", '[');
    for (size_t i = 0; i < c->pairs; i++) {
        const struct compared_input *in = &c->of[i];
        json_open(j, NULL, '{');
        json_text(j, "input", in->input);
        put_runs(j, "baseline", &in->baseline);
        put_runs(j, "arm", &in->arm);
        json_double(j, "difference", in->difference);
        json_open(j, "ci", '{');
        put_interval(j, "newcombe", config->confidence, in->interval);
        json_close(j, '}');
        json_double(j, "p", in->p);
        json_text(j, "p_method", "fisher");
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_whole(struct json_out *j, const struct comparison *c,
                      const struct sample_config *config)
{
    if (isnan(c->interval.low)) {
        json_null(j, "ci");
        return;
    }
    json_open(j, "ci", '{');
    put_interval(j, c->pairs == 1 ? "newcombe" : "bootstrap", config->confidence, c->interval);
    if (c->pairs > 1) {
        json_text(j, "bootstrap", c->percentile ? "percentile" : "bca");
        json_flag(j, "few_inputs", c->pairs < AGGREGATE_FEW);
    }
    json_close(j, '}');
}

static const char *verdict(enum gate_verdict v)
{
    return v == GATE_OPEN ? NULL : verdict_word(v);
}

static void put_test(struct json_out *j, const struct comparison *c, const struct comparisons *all,
                     const struct sample_config *config)
{
    static const char *const methods[] = {
        [COMPARED_NOT] = NULL, [COMPARED_FISHER] = "fisher", [COMPARED_SIGN_FLIP] = "sign-flip"};

    json_double(j, "p", c->p);
    json_text(j, "p_method", methods[c->by]);
    if (c->by == COMPARED_NOT)
        json_null(j, "exact");
    else
        json_flag(j, "exact", c->exact);
    json_double(j, "p_adjusted", c->p_adjusted);
    json_text(j, "adjustment", adjustment_name(config->adjust));
    json_count(j, "family", (int64_t)all->family);
    json_flag(j, "exploratory", config->adjust == ADJUST_NONE && all->family > 1);
}

static void suppressed(const struct comparison *c, const struct sample_config *config,
                       struct text *out)
{
    if (c->hidden == HIDDEN_NO_PAIRS)
        text_add(out, "no paired inputs");
    else if (c->hidden == HIDDEN_FEW)
        text_addf(out, "fewer than %lld paired inputs", (long long)config->min_inputs);
    else if (c->hidden == HIDDEN_STOPPED)
        text_addf(out, "%zu case%s stopped early", c->stopped, plural((int64_t)c->stopped));
}

static void put_comparison(struct json_out *j, const struct comparison *c,
                           const struct comparisons *all, const struct sample_config *config)
{
    own_text struct text why = {0}, words = {0};

    json_open(j, NULL, '{');
    json_text(j, "function", c->function);
    json_text(j, "axis", c->axis);
    json_text(j, "baseline", c->baseline);
    json_text(j, "arm", c->arm);
    json_count(j, "pairs", (int64_t)c->pairs);
    names(j, "unpaired", c->unpaired, c->unpaired_n);
    json_double(j, "difference", c->difference);
    put_whole(j, c, config);
    put_test(j, c, all, config);
    json_double(j, "margin", c->margin);
    json_flag(j, "equivalence", c->equivalence);
    json_text(j, "verdict", verdict(c->verdict));
    suppressed(c, config, &why);
    json_text(j, "suppressed", why.len ? text_str(&why) : NULL);
    json_count(j, "resamples", config->resamples);
    json_count(j, "seed", (int64_t)config->seed);
    json_double(j, "cost_ratio", c->cost_ratio);
    put_inputs(j, c, config);
    json_count(j, "stopped", (int64_t)c->stopped);
    if (config->explain) {
        explain_comparison(c, all, config, &words);
        json_text(j, "explanation", text_str(&words));
    }
    json_close(j, '}');
}

void comparisons_json(struct json_out *j, const char *key, const struct comparisons *c,
                      const struct sample_config *config)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < c->n; i++)
        put_comparison(j, &c->of[i], c, config);
    json_close(j, ']');
}

void baseline_json(struct json_out *j, const char *key, const struct against *a,
                   const struct sample_config *config)
{
    own_text struct text words = {0};

    json_open(j, key, '{');
    json_text(j, "path", a->earlier->path);
    json_text(j, "created", a->earlier->created);
    json_double(j, "margin", config->margin);
    json_count(j, "paired", (int64_t)a->paired);
    names(j, "only_current", a->only_here, a->only_here_n);
    names(j, "only_baseline", a->only_there, a->only_there_n);
    comparisons_json(j, "comparisons", &a->comparisons, config);
    if (config->explain) {
        explain_baseline(a, config, &words);
        json_text(j, "explanation", text_str(&words));
    }
    json_close(j, '}');
}
