/* Questions and answers as JSON: the border between pytest's process and ours. */
#include "cli/session.h"

#include "base/own.h"

#include <json-c/json.h>
#include <string.h>

typedef struct json_object json;

static const char *string(json *o, const char *key)
{
    json *v;
    if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
        return NULL;
    return json_object_get_string(v);
}

static bool flag(json *o, const char *key)
{
    json *v;
    return json_object_object_get_ex(o, key, &v) && json_object_get_boolean(v);
}

static void strings(json *o, const char *key, struct argv *out)
{
    json *v;
    if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_array))
        return;
    for (size_t i = 0; i < json_object_array_length(v); i++) {
        const char *s = json_object_get_string(json_object_array_get_idx(v, i));
        argv_add(out, s ? s : "");
    }
}

/* ["10", "--doctor-runs"]: a value, and how the user wrote its name. */
static struct asked_option option(json *o, const char *key)
{
    json *v;
    if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_array) ||
        json_object_array_length(v) != 2)
        return (struct asked_option){0};
    return (struct asked_option){json_object_get_string(json_object_array_get_idx(v, 0)),
                                 json_object_get_string(json_object_array_get_idx(v, 1))};
}

static void take_tests(json *o, struct question *q)
{
    json *v;
    if (!json_object_object_get_ex(o, "tests", &v) || !json_object_is_type(v, json_type_array))
        return;
    size_t n = json_object_array_length(v);
    q->test = mem_or_die((n + 1) * sizeof *q->test);
    for (size_t i = 0; i < n; i++) {
        json *one = json_object_array_get_idx(v, i);
        const char *id = string(one, "id");
        if (!id)
            continue;
        struct asked_test *t = &q->test[q->tests++];
        t->id = id;
        strings(one, "before", &t->before);
    }
}

int question_parse(const char *line, struct question *ret, struct err *e)
{
    json *o = json_tokener_parse(line), *v;
    *ret = (struct question){.json = o};
    if (!json_object_is_type(o, json_type_object) || !string(o, "ask") ||
        !json_object_object_get_ex(o, "v", &v)) {
        err_set(e, ERR_USAGE, "session: \"%.60s\" is no question", line);
        return err_hint(e, "our pytest plugin starts it; by hand there is nothing to ask");
    }
    if (json_object_get_int(v) != SESSION_VERSION)
        return err_set(e, ERR_SETUP, "session: the plugin speaks version %d, this program %d",
                       json_object_get_int(v), SESSION_VERSION);
    ret->ask = string(o, "ask");
    ret->python = string(o, "python");
    ret->script = string(o, "script");
    ret->cwd = string(o, "cwd");
    ret->rootdir = string(o, "rootdir");
    ret->blob = string(o, "blob");
    ret->id = string(o, "id");
    ret->reports = string(o, "reports");
    ret->runs = option(o, "runs");
    ret->budget = option(o, "budget");
    ret->max = option(o, "max");
    ret->path = option(o, "json");
    ret->repro_too = flag(o, "repro_too");
    ret->allow_side_effects = flag(o, "allow_side_effects");
    ret->colour = flag(o, "color");
    ret->quiet = flag(o, "quiet");
    strings(o, "args", &ret->args);
    strings(o, "selected", &ret->selected);
    strings(o, "blobs", &ret->blobs);
    take_tests(o, ret);
    return 0;
}

void question_done(struct question *q)
{
    for (size_t i = 0; i < q->tests; i++)
        argv_done(&q->test[i].before);
    free(q->test);
    argv_done(&q->args);
    argv_done(&q->selected);
    argv_done(&q->blobs);
    json_object_put(q->json);
    *q = (struct question){0};
}

void answer_done(struct answer *a)
{
    text_done(&a->text);
    argv_done(&a->become);
}

static void print(json *o, struct text *out)
{
    json_object_object_add(o, "v", json_object_new_int(SESSION_VERSION));
    text_add(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    text_addc(out, '\n');
    json_object_put(o);
}

void answer_line(const struct answer *a, struct text *out)
{
    json *o = json_object_new_object(), *become = json_object_new_array();
    for (size_t i = 0; i < a->become.n; i++)
        json_object_array_add(become, json_object_new_string(a->become.at[i]));
    json_object_object_add(o, "status", json_object_new_int(a->status));
    json_object_object_add(o, "diagnosed", json_object_new_int((int)a->diagnosed));
    json_object_object_add(o, "none", json_object_new_boolean(a->none));
    json_object_object_add(o, "text", json_object_new_string(text_str(&a->text)));
    json_object_object_add(o, "become", become);
    print(o, out);
}

void answer_refusal(const struct err *e, struct text *out)
{
    json *o = json_object_new_object();
    json_object_object_add(o, "refused", json_object_new_string(e->what));
    json_object_object_add(o, "hint", json_object_new_string(e->hint));
    print(o, out);
}
