#include "triage/partner.h"

#include "triage/prompt.h"
#include "triage/reply.h"

#include <json-c/json.h>

typedef struct json_object json;

static void add(json *o, const char *key, const char *s)
{
    json_object_object_add(o, key, s ? json_object_new_string(s) : NULL);
}

void partner_question(const struct inquiry *q, struct text *out)
{
    const struct failure *f = q->failure;
    own_text struct text prompt = {0};
    json *o = json_object_new_object(), *context = json_object_new_object();
    prompt_whole(q, LANGUAGE_ENGLISH, &prompt);
    json_object_object_add(o, "v", json_object_new_int(1));
    add(context, "nodeid", q->nodeid);
    add(context, "phase", f->phase ? f->phase : "call");
    add(context, "outcome", f->outcome ? f->outcome : "failed");
    add(context, "exc_type", f->exc_type);
    add(context, "exc_message", f->exc_message);
    add(context, "traceback", f->traceback ? f->traceback : "");
    json_object_object_add(context, "duration", json_object_new_double(f->duration));
    add(context, "stdout_tail", f->out ? f->out : "");
    add(context, "stderr_tail", f->err ? f->err : "");
    add(context, "log_tail", f->log ? f->log : "");
    json_object_object_add(o, "context", context);
    add(o, "prompt", text_str(&prompt));
    text_add(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    text_addc(out, '\n');
    json_object_put(o);
}

static enum asked take(json *o, struct provider *p, struct opinion *ret, struct err *e)
{
    json *v;
    if (json_object_object_get_ex(o, "model", &v) && json_object_is_type(v, json_type_string))
        text_copy(p->model, sizeof p->model, json_object_get_string(v));
    if (json_object_object_get_ex(o, "verdict", &v)) {
        reply_take(v, ret);
        return ASKED_ANSWERED;
    }
    if (json_object_object_get_ex(o, "error", &v))
        err_set(e, ERR_SYSTEM, "%s", json_object_get_string(v));
    else
        err_set(e, ERR_SYSTEM, "the provider's process gave no answer that can be read");
    return ASKED_FAILED;
}

enum asked partner_answer(const char *line, struct provider *p, struct opinion *ret, struct err *e)
{
    json *o = json_tokener_parse(line);
    enum asked how = take(o, p, ret, e);
    json_object_put(o);
    return how;
}
