#include "model/concurrency_json.h"

#include "model/number_json.h"

#include <json-c/json.h>
#include <stdio.h>

typedef struct json_object json;

static void put(json *o, const char *key, json *value)
{
    json_object_object_add(o, key, value);
}

static json *string(const char *s)
{
    return json_object_new_string(s);
}

static json *count(unsigned n)
{
    return json_object_new_int64(n);
}

static json *number_if(bool known, double x)
{
    return known ? json_number(x) : NULL;
}

static void put_counts(json *o, const struct counts *n)
{
    put(o, "runs", count(counts_total(n)));
    put(o, "passed", count(n->passed));
    put(o, "failed", count(n->failed));
    put(o, "unknown", count(n->unknown));
    put(o, "rate", number_if(counts_judged(n) > 0, counts_rate(n)));
}

static void put_name(json *o, const struct condition *c)
{
    char name[48];
    condition_name(c, name, sizeof name);
    put(o, "type", string(condition_type_word(c->type)));
    put(o, "condition", string(name));
}

static json *condition(const struct condition *c)
{
    json *o = json_object_new_object();
    bool known = counts_judged(&c->n) > 0, compared = c->p >= 0;
    put_name(o, c);
    put(o, "workers", count(c->workers));
    put(o, "delay_ms", count(c->delay_ms));
    put(o, "xdist", json_object_new_boolean(c->xdist));
    put_counts(o, &c->n);
    put(o, "low", number_if(known, c->rate_low));
    put(o, "high", number_if(known, c->rate_high));
    put(o, "delta", number_if(compared, c->delta_pp));
    put(o, "delta_low", number_if(compared, c->low_pp));
    put(o, "delta_high", number_if(compared, c->high_pp));
    put(o, "p", number_if(compared, c->p));
    put(o, "p_adjusted", number_if(compared && c->p_adjusted >= 0, c->p_adjusted));
    put(o, "signal", string(signal_word(c->signal)));
    return o;
}

static json *stage(const struct stage *s, const char *word)
{
    json *o = json_object_new_object(), *n = json_object_new_object(),
         *ref = json_object_new_object();
    put_counts(n, &s->n);
    put_counts(ref, &s->reference);
    put(o, "result", string(word));
    put(o, "repetitions", count(s->ran ? REPETITIONS : 0));
    put(o, "consistency", number_if(s->ran, s->consistency));
    put(o, "delta", number_if(s->ran, s->mean_pp));
    put(o, "p", number_if(s->ran, s->p));
    put(o, "p_adjusted", number_if(s->ran, s->p_adjusted));
    put(o, "counts", n);
    put(o, "reference", ref);
    return o;
}

json *concurrency_json(const struct concurrency *k)
{
    json *o = json_object_new_object(), *all = json_object_new_array(),
         *ranked = json_object_new_array();
    for (size_t i = 0; i < k->conditions; i++)
        json_object_array_add(all, condition(&k->condition[i]));
    for (size_t i = 0; i < k->candidates; i++) {
        const struct ranked *r = &k->candidate[i];
        json *one = json_object_new_object();
        put_name(one, &k->condition[r->condition]);
        put(one, "signal", string(signal_word(k->condition[r->condition].signal)));
        put(one, "score", json_number(r->score));
        put(one, "confirmation",
            stage(&r->confirmation, confirmation_word(r->confirmation.standing)));
        put(one, "reproduction", stage(&r->reproduction, reproduction_word(&r->reproduction)));
        json_object_array_add(ranked, one);
    }
    put(o, "status", string(k->flaky ? "FLAKY" : "STABLE"));
    put(o, "unfinished", json_object_new_boolean(k->unfinished));
    put(o, "conditions", all);
    put(o, "candidates", ranked);
    put(o, "trend_p", number_if(k->trend_p >= 0, k->trend_p));
    return o;
}
