#include "triage/failed.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_object json;

static char *take(json *o, const char *key)
{
    json *v;
    return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_string)
               ? str_or_die(json_object_get_string(v))
               : NULL;
}

static const char *word(json *o, const char *key)
{
    json *v;
    return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_string)
               ? json_object_get_string(v)
               : NULL;
}

static void take_verdict(json *o, struct failure *f)
{
    json *v;
    if (!json_object_object_get_ex(o, "verdict", &v) || !json_object_is_type(v, json_type_object))
        return;
    const char *hypothesis = word(v, "hypothesis");
    f->judged = true;
    f->verdict.category = category_of(word(v, "category"));
    f->verdict.confidence = confidence_of(word(v, "confidence"));
    opinion_say(&f->verdict, hypothesis ? hypothesis : "", word(v, "suggested_fix"));
}

static void take_arguments(json *o, struct failure *f)
{
    json *list;
    if (!json_object_object_get_ex(o, "pytest_args", &list) ||
        !json_object_is_type(list, json_type_array))
        return;
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        json *s = json_object_array_get_idx(list, i);
        if (json_object_is_type(s, json_type_string))
            argv_add(&f->select, json_object_get_string(s));
    }
}

static void take_failure(json *o, struct failures *ret)
{
    json *v;
    char *nodeid = take(o, "nodeid");
    if (!nodeid)
        return;
    struct failure *f = failures_add(ret);
    f->nodeid = nodeid;
    f->phase = take(o, "phase");
    f->outcome = take(o, "outcome");
    f->exc_type = take(o, "exc_type");
    f->exc_message = take(o, "exc_message");
    f->traceback = take(o, "traceback");
    f->out = take(o, "stdout_tail");
    f->err = take(o, "stderr_tail");
    if (json_object_object_get_ex(o, "duration", &v))
        f->duration = json_object_get_double(v);
    take_arguments(o, f);
    if (f->select.n == 0)
        argv_add(&f->select, nodeid);
    take_verdict(o, f);
}

static json *failures_of(json *o)
{
    json *version, *list;
    return json_object_object_get_ex(o, "schema_version", &version) &&
                   json_object_is_type(version, json_type_int) &&
                   json_object_get_int(version) >= FAILED_SCHEMA &&
                   json_object_object_get_ex(o, "failures", &list) &&
                   json_object_is_type(list, json_type_array)
               ? list
               : NULL;
}

int failed_read(const char *text, const char *what, struct failures *ret, struct err *e)
{
    json *o = json_tokener_parse(text), *list = failures_of(o);
    if (!list) {
        json_object_put(o);
        err_set(e, ERR_STALE, "%s: this is no report of failures", what);
        return err_hint(e, "pytest --ai-report=PATH writes one; JUnit's XML is read too");
    }
    for (size_t i = 0; i < json_object_array_length(list); i++)
        take_failure(json_object_array_get_idx(list, i), ret);
    json_object_put(o);
    return 0;
}
