#include "triage/failed.h"

#include "model/read_json.h"
#include "triage/rerun_json.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_object json;

static void take_verdict(json *o, struct failure *f)
{
    json *v;
    if (!json_object_object_get_ex(o, "verdict", &v) || !json_object_is_type(v, json_type_object))
        return;
    const char *hypothesis = json_read_text(v, "hypothesis");
    const char *source = json_read_text(v, "source");
    f->judged = true;
    f->by_evidence = source && strcmp(source, "evidence") == 0;
    f->verdict.category = category_of(json_read_text(v, "category"));
    f->verdict.confidence = confidence_of(json_read_text(v, "confidence"));
    opinion_say(&f->verdict, hypothesis ? hypothesis : "", json_read_text(v, "suggested_fix"));
}

static void take_failure(json *o, struct failures *ret)
{
    json *v;
    char *nodeid = json_read_copy(o, "nodeid");
    if (!nodeid)
        return;
    struct failure *f = failures_add(ret);
    f->nodeid = nodeid;
    f->phase = json_read_copy(o, "phase");
    f->outcome = json_read_copy(o, "outcome");
    f->exc_type = json_read_copy(o, "exc_type");
    f->exc_message = json_read_copy(o, "exc_message");
    f->traceback = json_read_copy(o, "traceback");
    f->out = json_read_copy(o, "stdout_tail");
    f->err = json_read_copy(o, "stderr_tail");
    f->log = json_read_copy(o, "log_tail");
    if (json_object_object_get_ex(o, "duration", &v))
        f->duration = json_object_get_double(v);
    json_read_texts(o, "pytest_args", &f->select);
    if (f->select.n == 0)
        argv_add(&f->select, nodeid);
    take_verdict(o, f);
    if (json_object_object_get_ex(o, "evidence", &v) && json_object_is_type(v, json_type_object)) {
        f->looked_into = true;
        rerun_read(v, &f->rerun);
    }
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

int failed_read_counted(const char *text, const char *what, struct failures *ret,
                        struct failed_counts *ret_counts, struct err *e)
{
    json *o = json_tokener_parse(text), *list = failures_of(o);
    if (!list) {
        json_object_put(o);
        err_set(e, ERR_STALE, "%s: this is no report of failures", what);
        return err_hint(e, "pytest --ai-report=PATH writes one; JUnit's XML is read too");
    }
    for (size_t i = 0; i < json_object_array_length(list); i++)
        take_failure(json_object_array_get_idx(list, i), ret);
    *ret_counts = (struct failed_counts){.others = json_read_count(o, "other_failures"),
                                         .unrun = json_read_count(o, "not_run")};
    json_object_put(o);
    return 0;
}

int failed_read(const char *text, const char *what, struct failures *ret, struct err *e)
{
    struct failed_counts ignored;
    return failed_read_counted(text, what, ret, &ignored, e);
}
