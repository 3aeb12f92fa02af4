#include "triage/rerun_json.h"

#include "model/read_json.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>

typedef struct json_object json;

static void add_text(json *o, const char *key, const char *s)
{
    json_object_object_add(o, key, s ? json_object_new_string(s) : NULL);
}

static void add_count(json *o, const char *key, unsigned n)
{
    json_object_object_add(o, key, json_object_new_int64(n));
}

static json *runs_json(unsigned runs, unsigned failed)
{
    json *o = json_object_new_object();
    add_count(o, "runs", runs);
    add_count(o, "failed", failed);
    return o;
}

static json *cause_json(const struct rerun_cause *c)
{
    json *o = json_object_new_object(), *tests = json_object_new_array();
    add_text(o, "axis", c->axis);
    add_text(o, "value", c->value);
    add_text(o, "passes", c->passes);
    for (size_t i = 0; i < c->tests.n; i++)
        json_object_array_add(tests, json_object_new_string(c->tests.at[i]));
    json_object_object_add(o, "tests", tests);
    return o;
}

static json *kind_json(const struct rerun_kind *k)
{
    json *o = json_object_new_object();
    add_text(o, "type", k->type);
    add_text(o, "site", k->site);
    add_text(o, "message", k->message);
    add_count(o, "count", k->count);
    return o;
}

static json *seconds_json(double s)
{
    char shown[40];
    snprintf(shown, sizeof shown, "%.1f", isfinite(s) ? s : 0);
    return json_object_new_double_s(s, shown);
}

json *rerun_json(const struct rerun *r)
{
    json *o = json_object_new_object(), *causes = json_object_new_array(),
         *kinds = json_object_new_array(), *repro = NULL;
    for (size_t i = 0; i < r->causes; i++)
        json_object_array_add(causes, cause_json(&r->cause[i]));
    for (size_t i = 0; i < r->kinds; i++)
        json_object_array_add(kinds, kind_json(&r->kind[i]));
    if (r->command) {
        repro = json_object_new_object();
        add_text(repro, "command", r->command);
        add_text(repro, "blob", r->blob);
    }
    add_text(o, "status", r->status);
    add_text(o, "reason", r->reason);
    add_count(o, "runs", r->runs);
    add_count(o, "failed", r->failed);
    add_count(o, "trials", r->trials);
    json_object_object_add(o, "seconds", seconds_json(r->seconds));
    json_object_object_add(o, "causes", causes);
    json_object_object_add(o, "verify",
                           r->verify_runs ? runs_json(r->verify_runs, r->verify_failed) : NULL);
    json_object_object_add(o, "counterfactual",
                           r->passing_runs ? runs_json(r->passing_runs, r->passing_failed) : NULL);
    if (r->after_runs)
        json_object_object_add(o, "after", runs_json(r->after_runs, r->after_failed));
    json_object_object_add(o, "repro", repro);
    add_text(o, "look_at", r->look_at);
    json_object_object_add(o, "failures", kinds);
    return o;
}

/* No more than anybody has run: the sums of them stay numbers. */
static unsigned count_of(json *o, const char *key)
{
    size_t n = o ? json_read_count(o, key) : 0;
    return n > 1000000 ? 1000000 : (unsigned)n;
}

static json *inner(json *o, const char *key)
{
    json *v;
    return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_object) ? v
                                                                                             : NULL;
}

static void read_cause(json *o, struct rerun_cause *c)
{
    c->axis = json_read_copy(o, "axis");
    c->value = json_read_copy(o, "value");
    c->passes = json_read_copy(o, "passes");
    json_read_texts(o, "tests", &c->tests);
}

static void read_kind(json *o, struct rerun_kind *k)
{
    k->type = json_read_copy(o, "type");
    k->site = json_read_copy(o, "site");
    k->message = json_read_copy(o, "message");
    k->count = count_of(o, "count");
}

void rerun_read(json *o, struct rerun *ret)
{
    size_t n;
    json *v, *verify = inner(o, "verify"), *passing = inner(o, "counterfactual"),
             *after = inner(o, "after"), *repro = inner(o, "repro");
    ret->status = json_read_copy(o, "status");
    ret->reason = json_read_copy(o, "reason");
    ret->runs = count_of(o, "runs");
    ret->failed = count_of(o, "failed");
    ret->trials = count_of(o, "trials");
    if (json_object_object_get_ex(o, "seconds", &v))
        ret->seconds = json_object_get_double(v);
    ret->verify_runs = count_of(verify, "runs");
    ret->verify_failed = count_of(verify, "failed");
    ret->passing_runs = count_of(passing, "runs");
    ret->passing_failed = count_of(passing, "failed");
    ret->after_runs = count_of(after, "runs");
    ret->after_failed = count_of(after, "failed");
    ret->command = repro ? json_read_copy(repro, "command") : NULL;
    ret->blob = repro ? json_read_copy(repro, "blob") : NULL;
    ret->look_at = json_read_copy(o, "look_at");
    json *list = json_read_list(o, "causes", &n);
    for (size_t i = 0; i < n && ret->causes < RERUN_CAUSES_MAX; i++)
        if (json_object_is_type(json_object_array_get_idx(list, i), json_type_object))
            read_cause(json_object_array_get_idx(list, i), &ret->cause[ret->causes++]);
    list = json_read_list(o, "failures", &n);
    for (size_t i = 0; i < n && ret->kinds < RERUN_KINDS_MAX; i++)
        if (json_object_is_type(json_object_array_get_idx(list, i), json_type_object))
            read_kind(json_object_array_get_idx(list, i), &ret->kind[ret->kinds++]);
}
