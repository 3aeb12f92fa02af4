#include "triage/failed.h"

#include "base/clock.h"
#include "triage/rerun_json.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct json_object json;

static void add_string(json *o, const char *key, const char *s)
{
    json_object_object_add(o, key, s ? json_object_new_string(s) : NULL);
}

/* As many digits as the clock has. */
static json *number(double x, double unit)
{
    char shown[40];
    x = round(x / unit) * unit;
    snprintf(shown, sizeof shown, "%.9f", x);
    size_t n = strlen(shown);
    while (n > 3 && shown[n - 1] == '0' && shown[n - 2] != '.')
        shown[--n] = 0;
    return json_object_new_double_s(x, shown);
}

static json *strings(const struct argv *v)
{
    json *list = json_object_new_array();
    for (size_t i = 0; i < v->n; i++)
        json_object_array_add(list, json_object_new_string(v->at[i]));
    return list;
}

static json *verdict_json(const struct failure *f)
{
    const struct opinion *v = &f->verdict;
    if (!f->judged)
        return NULL;
    json *o = json_object_new_object();
    add_string(o, "category", category_words[v->category]);
    add_string(o, "hypothesis", v->hypothesis ? v->hypothesis : "");
    add_string(o, "confidence", confidence_words[v->confidence]);
    add_string(o, "suggested_fix", v->fix);
    add_string(o, "source", f->by_evidence ? "evidence" : "model");
    return o;
}

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

static json *failure_json(const struct failure *f)
{
    json *o = json_object_new_object();
    add_string(o, "nodeid", or_empty(f->nodeid));
    json_object_object_add(o, "pytest_args", strings(&f->select));
    add_string(o, "phase", f->phase ? f->phase : "call");
    add_string(o, "outcome", f->outcome ? f->outcome : "failed");
    add_string(o, "exc_type", f->exc_type);
    add_string(o, "exc_message", f->exc_message);
    add_string(o, "traceback", or_empty(f->traceback));
    json_object_object_add(o, "duration", number(isfinite(f->duration) ? f->duration : 0, 1e-9));
    add_string(o, "stdout_tail", or_empty(f->out));
    add_string(o, "stderr_tail", or_empty(f->err));
    add_string(o, "log_tail", or_empty(f->log));
    json_object_object_add(o, "verdict", verdict_json(f));
    json_object_object_add(o, "evidence", f->looked_into ? rerun_json(&f->rerun) : NULL);
    json_object_object_add(o, "count", json_object_new_int64((int64_t)f->count));
    return o;
}

/* Each once, in the order of the failures. */
static json *all_arguments(const struct failures *f)
{
    json *list = json_object_new_array(), *seen = json_object_new_object();
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < f->at[i].select.n; k++) {
            const char *s = f->at[i].select.at[k];
            if (json_object_object_get_ex(seen, s, NULL))
                continue;
            json_object_object_add(seen, s, NULL);
            json_object_array_add(list, json_object_new_string(s));
        }
    json_object_put(seen);
    return list;
}

static void print(json *o, struct text *out)
{
    text_add(out,
             json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
                                                   JSON_C_TO_STRING_NOSLASHESCAPE));
    text_addc(out, '\n');
}

void failed_json(const struct failed_report *r, struct text *out)
{
    char created[40] = "";
    time_t at = (time_t)(r->created_ns / NS_PER_S);
    struct tm tm;
    size_t verdicts = 0;
    json *o = json_object_new_object(), *list = json_object_new_array();
    if (gmtime_r(&at, &tm))
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &tm);
    for (size_t i = 0; i < r->failures->n; i++) {
        verdicts += r->failures->at[i].judged;
        json_object_array_add(list, failure_json(&r->failures->at[i]));
    }
    json_object_object_add(o, "schema_version", json_object_new_int(FAILED_SCHEMA));
    add_string(o, "created_at", created);
    add_string(o, "ai_model", r->model);
    json_object_object_add(o, "triage_duration", r->seconds < 0 ? NULL : number(r->seconds, 1e-3));
    json_object_object_add(o, "pytest_args", all_arguments(r->failures));
    json_object_object_add(o, "failures", list);
    json_object_object_add(o, "total_failures", json_object_new_int64((int64_t)r->failures->n));
    json_object_object_add(o, "total_verdicts", json_object_new_int64((int64_t)verdicts));
    if (r->counts.others)
        json_object_object_add(o, "other_failures",
                               json_object_new_int64((int64_t)r->counts.others));
    if (r->counts.unrun)
        json_object_object_add(o, "not_run", json_object_new_int64((int64_t)r->counts.unrun));
    print(o, out);
    json_object_put(o);
}

/* In place of what the report has, so that all else stays as it was. */
void failed_revise(struct text *text, const struct failures *failures)
{
    json *o = json_tokener_parse(text_str(text)), *list;
    size_t verdicts = 0;
    if (!json_object_object_get_ex(o, "failures", &list) ||
        json_object_array_length(list) != failures->n) {
        json_object_put(o);
        return;
    }
    for (size_t i = 0; i < failures->n; i++) {
        const struct failure *f = &failures->at[i];
        json *told = json_object_array_get_idx(list, i);
        json_object_object_add(told, "verdict", verdict_json(f));
        json_object_object_add(told, "evidence", f->looked_into ? rerun_json(&f->rerun) : NULL);
        verdicts += f->judged;
    }
    json_object_object_add(o, "total_verdicts", json_object_new_int64((int64_t)verdicts));
    text_clear(text);
    print(o, text);
    json_object_put(o);
}
