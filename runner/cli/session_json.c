/* Questions and answers as JSON: the border between pytest's process and ours. */
#include "cli/session.h"

#include "base/own.h"
#include "model/read_json.h"

#include <json-c/json.h>
#include <string.h>

typedef struct json_object json;

static void strings(json *o, const char *key, struct argv *out)
{
    size_t n;
    json *v = json_read_list(o, key, &n);
    for (size_t i = 0; i < n; i++) {
        const char *s = json_object_get_string(json_object_array_get_idx(v, i));
        argv_add(out, s ? s : "");
    }
}

/* ["10", "--doctor-runs"]: a value, and how the user wrote its name. */
static struct asked_option option(json *o, const char *key)
{
    size_t n;
    json *v = json_read_list(o, key, &n);
    if (n != 2)
        return (struct asked_option){0};
    return (struct asked_option){json_object_get_string(json_object_array_get_idx(v, 0)),
                                 json_object_get_string(json_object_array_get_idx(v, 1))};
}

static void take_tests(json *o, struct question *q)
{
    size_t n;
    json *v = json_read_list(o, "tests", &n);
    if (!v)
        return;
    q->test = mem_or_die((n + 1) * sizeof *q->test);
    for (size_t i = 0; i < n; i++) {
        json *one = json_object_array_get_idx(v, i);
        const char *id = json_read_text(one, "id");
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
    if (!json_object_is_type(o, json_type_object) || !json_read_text(o, "ask") ||
        !json_object_object_get_ex(o, "v", &v)) {
        err_set(e, ERR_USAGE, "session: \"%.60s\" is no question", line);
        return err_hint(e, "our pytest plugin starts it; by hand there is nothing to ask");
    }
    if (json_object_get_int(v) != SESSION_VERSION)
        return err_set(e, ERR_SETUP, "session: the plugin speaks version %d, this program %d",
                       json_object_get_int(v), SESSION_VERSION);
    ret->ask = json_read_text(o, "ask");
    ret->python = json_read_text(o, "python");
    ret->script = json_read_text(o, "script");
    ret->cwd = json_read_text(o, "cwd");
    ret->rootdir = json_read_text(o, "rootdir");
    ret->blob = json_read_text(o, "blob");
    ret->id = json_read_text(o, "id");
    ret->reports = json_read_text(o, "reports");
    ret->runs = option(o, "runs");
    ret->budget = option(o, "budget");
    ret->max = option(o, "max");
    ret->path = option(o, "json");
    ret->repro_too = json_read_flag(o, "repro_too");
    ret->allow_side_effects = json_read_flag(o, "allow_side_effects");
    ret->colour = json_read_flag(o, "color");
    ret->quiet = json_read_flag(o, "quiet");
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
