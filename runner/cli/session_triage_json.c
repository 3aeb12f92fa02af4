/* Questions and answers about triage as JSON. */
#include "cli/session_triage.h"

#include "base/clock.h"
#include "model/read_json.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_object json;

/* A NUL within a text of a test is shown, not the end of it. */
static char *whole_text(json *o, const char *key)
{
    json *v;
    if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
        return NULL;
    size_t n = (size_t)json_object_get_string_len(v);
    const char *s = json_object_get_string(v);
    own_text struct text t = {0};
    for (size_t i = 0, end; i <= n; i = end + 1) {
        end = i + strnlen(s + i, n - i);
        text_addn(&t, s + i, end - i);
        if (end < n)
            text_add(&t, "\\x00");
    }
    char *all = text_take(&t);
    return all ? all : str_or_die("");
}

static void read_options(json *asked, struct asked_triage *ret)
{
    size_t n;
    json *of = json_read_list(asked, "options", &n);
    ret->option = mem_or_die((n + 1) * sizeof *ret->option);
    for (size_t i = 0; i < n; i++) {
        json *o = json_object_array_get_idx(of, i);
        const char *word[3] = {NULL};
        if (!json_object_is_type(o, json_type_array) || json_object_array_length(o) != 3)
            continue;
        for (size_t k = 0; k < 3; k++)
            word[k] = json_object_get_string(json_object_array_get_idx(o, k));
        if (word[0] && word[1] && word[2])
            ret->option[ret->options++] = (struct triage_option){word[0], word[1], word[2]};
    }
}

/* What the plugin left out of texts without end. */
static void read_lost(json *failure, struct lost *ret)
{
    const struct {
        const char *name;
        size_t *to;
    } of[] = {{"exc_message", &ret->exc_message},
              {"traceback", &ret->traceback},
              {"stdout", &ret->out},
              {"stderr", &ret->err},
              {"log", &ret->log}};
    json *cut, *v;
    if (!json_object_object_get_ex(failure, "cut", &cut))
        return;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        int64_t n = json_object_object_get_ex(cut, of[i].name, &v) ? json_object_get_int64(v) : 0;
        *of[i].to = n > 0 ? (size_t)n : 0;
    }
}

/* [2, 14]: the first 14 of list 2. Anything else: none. */
static struct ran_before read_before(json *failure)
{
    size_t n;
    json *of = json_read_list(failure, "before", &n);
    struct ran_before b = {0};
    if (n != 2)
        return b;
    int64_t list = json_object_get_int64(json_object_array_get_idx(of, 0)),
            many = json_object_get_int64(json_object_array_get_idx(of, 1));
    if (list >= 0 && many >= 0)
        b = (struct ran_before){(size_t)list, (size_t)many};
    return b;
}

static void read_ran(json *asked, struct asked_triage *ret)
{
    json *of = json_read_list(asked, "ran", &ret->lists);
    ret->ran = mem_or_die((ret->lists + 1) * sizeof *ret->ran);
    for (size_t i = 0; i < ret->lists; i++) {
        json *list = json_object_array_get_idx(of, i);
        size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
        for (size_t k = 0; k < n; k++) {
            const char *id = json_object_get_string(json_object_array_get_idx(list, k));
            argv_add(&ret->ran[i], id ? id : "");
        }
    }
}

static void read_failures(json *asked, struct asked_triage *all)
{
    struct failures *ret = &all->failures;
    size_t n;
    json *of = json_read_list(asked, "failures", &n);
    all->before = mem_or_die((n + 1) * sizeof *all->before);
    for (size_t i = 0; i < n; i++) {
        json *o = json_object_array_get_idx(of, i), *v;
        char *nodeid = whole_text(o, "nodeid");
        if (!nodeid)
            continue;
        struct failure *f = failures_add(ret);
        all->before[ret->n - 1] = read_before(o);
        f->nodeid = nodeid;
        f->phase = whole_text(o, "phase");
        f->outcome = whole_text(o, "outcome");
        f->exc_type = whole_text(o, "exc_type");
        f->exc_message = whole_text(o, "exc_message");
        f->traceback = whole_text(o, "traceback");
        f->out = whole_text(o, "stdout");
        f->err = whole_text(o, "stderr");
        f->log = whole_text(o, "log");
        read_lost(o, &f->lost);
        if (json_object_object_get_ex(o, "duration", &v))
            f->duration = json_object_get_double(v);
        json_object_array_put_idx(of, i, NULL); /* not to have it twice: there may be thousands */
    }
}

void asked_triage_read(const struct question *q, struct asked_triage *ret)
{
    size_t n;
    json *names = json_read_list(q->json, "entry_points", &n);
    read_options(q->json, ret);
    for (size_t i = 0; i < n; i++) {
        const char *s = json_object_get_string(json_object_array_get_idx(names, i));
        argv_add(&ret->entry_points, s ? s : "");
    }
    ret->dry = json_read_flag(q->json, "dry");
    ret->want_report = json_read_flag(q->json, "want_report");
    ret->counted = json_read_count(q->json, "counted");
    json *began;
    if (json_object_object_get_ex(q->json, "began", &began))
        ret->began_ns = (int64_t)(json_object_get_double(began) * NS_PER_S);
    ret->unrun = json_read_count(q->json, "not_run");
    json_read_texts(q->json, "streams", &ret->streams);
    read_ran(q->json, ret);
    read_failures(q->json, ret);
}

void asked_triage_done(struct asked_triage *a)
{
    free(a->option);
    free(a->before);
    for (size_t i = 0; i < a->lists; i++)
        argv_done(&a->ran[i]);
    free(a->ran);
    argv_done(&a->entry_points);
    argv_done(&a->streams);
    failures_done(&a->failures);
}

static void print(json *o, struct text *out)
{
    json_object_object_add(o, "v", json_object_new_int(SESSION_VERSION));
    text_add(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    text_addc(out, '\n');
    json_object_put(o);
}

void answer_triage_check(const struct triage *t, const struct argv *warnings, struct text *out)
{
    json *o = json_object_new_object(), *all = json_object_new_array();
    const struct triage_config *c = &t->config;
    bool judges = c->triage && c->provider;
    for (size_t i = 0; i < warnings->n; i++)
        json_object_array_add(all, json_object_new_string(warnings->at[i]));
    json_object_object_add(o, "warnings", all);
    json_object_object_add(o, "active", json_object_new_boolean(judges || c->report));
    json_object_object_add(o, "triage", json_object_new_boolean(judges));
    json_object_object_add(
        o, "python",
        json_object_new_boolean(judges && provider_find(&t->setup) == &provider_python));
    json_object_object_add(o, "calls", json_object_new_int64(judges ? c->budget : 0));
    json_object_object_add(
        o, "evidence",
        json_object_new_double(c->evidence ? (double)c->evidence_ns / (double)NS_PER_S : 0));
    json_object_object_add(o, "timeout",
                           json_object_new_double((double)c->timeout_ns / (double)NS_PER_S));
    print(o, out);
}

void answer_triage(const char *text, const char *error, const char *report, struct text *out)
{
    json *o = json_object_new_object();
    json_object_object_add(o, "text", json_object_new_string(text));
    json_object_object_add(o, "error", error ? json_object_new_string(error) : NULL);
    if (report)
        json_object_object_add(o, "report", json_tokener_parse(report));
    print(o, out);
}
