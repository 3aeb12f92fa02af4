#include "report/comparisons.h"

#include <json-c/json.h>
#include <math.h>

#include "base/own.h"
#include "model/number_json.h"
#include "report/explain.h"
#include "report/points.h"

typedef struct json_object json; /* owned by the object it is added to */

static void put(json *o, const char *key, json *value)
{
    json_object_object_add(o, key, value);
}

static json *string(const char *s)
{
    return s ? json_object_new_string(s) : NULL;
}

static json *count(size_t n)
{
    return json_object_new_int64((int64_t)n);
}

static json *strings(char *const *of, size_t n)
{
    json *a = json_object_new_array();
    for (size_t i = 0; i < n; i++)
        json_object_array_add(a, string(of[i]));
    return a;
}

static json *interval(const char *method, double level, struct interval i)
{
    if (isnan(i.low))
        return NULL;
    json *o = json_object_new_object();
    put(o, "method", string(method));
    put(o, "level", json_number(level));
    put(o, "low", json_number(i.low));
    put(o, "high", json_number(i.high));
    return o;
}

static json *runs(const struct compared_runs *r)
{
    json *o = json_object_new_object();
    put(o, "passes", json_object_new_int64(r->pass));
    put(o, "total", json_object_new_int64(r->runs));
    return o;
}

static json *inputs(const struct comparison *c, const struct sample_config *config)
{
    json *a = json_object_new_array();
    for (size_t i = 0; i < c->pairs; i++) {
        const struct compared_input *in = &c->of[i];
        json *o = json_object_new_object();
        put(o, "input", string(in->input));
        put(o, "baseline", runs(&in->baseline));
        put(o, "arm", runs(&in->arm));
        put(o, "difference", json_number(in->difference));
        put(o, "ci", interval("newcombe", config->confidence, in->interval));
        put(o, "p", json_number(in->p));
        put(o, "p_method", string("fisher"));
        json_object_array_add(a, o);
    }
    return a;
}

static json *whole_interval(const struct comparison *c, const struct sample_config *config)
{
    json *o = interval(c->pairs == 1 ? "newcombe" : "bootstrap", config->confidence, c->interval);
    if (o && c->pairs > 1) {
        put(o, "bootstrap", string(c->percentile ? "percentile" : "bca"));
        put(o, "few_inputs", json_object_new_boolean(c->pairs < FEW_FOR_BOOTSTRAP));
    }
    return o;
}

static json *verdict(enum gate_verdict v)
{
    return v == GATE_OPEN ? NULL : string(v == GATE_PASS   ? "pass"
                                          : v == GATE_FAIL ? "fail"
                                                           : "undecided");
}

static void put_test(json *o, const struct comparison *c, const struct comparisons *all,
                     const struct sample_config *config)
{
    bool tested = c->by != COMPARED_NOT;
    put(o, "p", json_number(c->p));
    put(o, "p_method", tested ? string(c->by == COMPARED_FISHER ? "fisher" : "sign-flip") : NULL);
    put(o, "exact", tested ? json_object_new_boolean(c->exact) : NULL);
    put(o, "p_adjusted", json_number(c->p_adjusted));
    put(o, "adjustment", string(adjustment_name(config->adjust)));
    put(o, "family", count(all->family));
    put(o, "exploratory",
        json_object_new_boolean(config->adjust == ADJUST_NONE && all->family > 1));
}

void comparison_suppressed(const struct comparison *c, const struct sample_config *config,
                           struct text *out)
{
    if (c->hidden == HIDDEN_NO_PAIRS)
        text_add(out, "no paired inputs");
    else if (c->hidden == HIDDEN_FEW)
        text_addf(out, "fewer than %lld paired inputs", (long long)config->min_inputs);
    else if (c->hidden == HIDDEN_STOPPED)
        text_addf(out, "%zu case%s stopped early", c->stopped, plural((int64_t)c->stopped));
}

static json *comparison_json(const struct comparison *c, const struct comparisons *all,
                             const struct sample_config *config)
{
    own_text struct text why = {0}, words = {0};
    json *o = json_object_new_object();

    put(o, "function", string(c->function));
    put(o, "axis", string(c->axis));
    put(o, "baseline", string(c->baseline));
    put(o, "arm", string(c->arm));
    put(o, "pairs", count(c->pairs));
    put(o, "unpaired", strings(c->unpaired, c->unpaired_n));
    put(o, "difference", json_number(c->difference));
    put(o, "ci", whole_interval(c, config));
    put_test(o, c, all, config);
    put(o, "margin", json_number(c->margin));
    put(o, "equivalence", json_object_new_boolean(c->equivalence));
    put(o, "verdict", verdict(c->verdict));
    comparison_suppressed(c, config, &why);
    put(o, "suppressed", why.len ? string(text_str(&why)) : NULL);
    put(o, "resamples", json_object_new_int64(config->resamples));
    put(o, "seed", json_object_new_uint64(config->seed));
    put(o, "cost_ratio", json_number(c->cost_ratio));
    put(o, "inputs", inputs(c, config));
    put(o, "stopped", count(c->stopped));
    if (config->explain) {
        explain_comparison(c, all, config, &words);
        put(o, "explanation", string(text_str(&words)));
    }
    return o;
}

json *comparisons_json(const struct comparisons *c, const struct sample_config *config)
{
    json *a = json_object_new_array();
    for (size_t i = 0; i < c->n; i++)
        json_object_array_add(a, comparison_json(&c->of[i], c, config));
    return a;
}

json *baseline_json(const struct against *a, const struct sample_config *config)
{
    own_text struct text words = {0};
    json *o = json_object_new_object();

    put(o, "path", string(a->earlier->path));
    put(o, "created", string(a->earlier->created));
    put(o, "margin", json_number(config->margin));
    put(o, "paired", count(a->paired));
    put(o, "only_current", strings(a->only_here, a->only_here_n));
    put(o, "only_baseline", strings(a->only_there, a->only_there_n));
    put(o, "comparisons", comparisons_json(&a->comparisons, config));
    if (config->explain) {
        explain_baseline(a, config, &words);
        put(o, "explanation", string(text_str(&words)));
    }
    return o;
}
