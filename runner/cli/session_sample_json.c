/* What is said about sampling, as JSON: the border between pytest's process and ours. */
#include "cli/session_sample.h"

#include "base/own.h"
#include "model/read_json.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

typedef struct json_object json;

static char *copied(json *o, const char *key)
{
    const char *s = json_read_text(o, key);
    return str_or_die(s ? s : "");
}

static bool is_number(json *v)
{
    return json_object_is_type(v, json_type_int) || json_object_is_type(v, json_type_double);
}

static double number(json *o, const char *key) /* NaN where there is none */
{
    json *v;
    return json_object_object_get_ex(o, key, &v) && is_number(v) ? json_object_get_double(v) : NAN;
}

static int64_t whole(json *o, const char *key) /* 0 where there is none */
{
    json *v;
    return json_object_object_get_ex(o, key, &v) && is_number(v) ? json_object_get_int64(v) : 0;
}

static const char *item(json *array, size_t i)
{
    json *v = json_object_array_get_idx(array, i);
    const char *s = v ? json_object_get_string(v) : NULL;
    return s ? s : "";
}

static void take_options(json *o, struct said *s)
{
    size_t n;
    json *v = json_read_list(o, "options", &n);
    s->option = mem_or_die((n + 1) * sizeof *s->option);
    for (size_t i = 0; i < n; i++) {
        json *one = json_object_array_get_idx(v, i);
        if (json_object_is_type(one, json_type_array) && json_object_array_length(one) == 3)
            s->option[s->options++] =
                (struct sample_option){item(one, 0), item(one, 1), item(one, 2)};
    }
}

static void take_argument(const char *name, json *v, struct mark_argument *ret)
{
    *ret = (struct mark_argument){.name = name, .kind = ARGUMENT_OTHER};
    switch (json_object_get_type(v)) {
    case json_type_boolean:
        ret->kind = ARGUMENT_BOOL;
        ret->number = json_object_get_boolean(v);
        break;
    case json_type_int:
    case json_type_double:
        ret->kind = ARGUMENT_NUMBER;
        ret->number = json_object_get_double(v);
        ret->whole = json_object_is_type(v, json_type_int);
        break;
    case json_type_string:
        ret->kind = ARGUMENT_TEXT;
        ret->text = json_object_get_string(v);
        break;
    case json_type_array:
        if (json_object_array_length(v) == 2 && is_number(json_object_array_get_idx(v, 0)) &&
            is_number(json_object_array_get_idx(v, 1))) {
            ret->kind = ARGUMENT_PAIR;
            ret->number = json_object_get_double(json_object_array_get_idx(v, 0));
            ret->second = json_object_get_double(json_object_array_get_idx(v, 1));
        } else {
            ret->text = json_object_get_string(v);
        }
        break;
    case json_type_object:
        ret->text = json_read_text(v, "repr");
        break;
    case json_type_null:
        break;
    }
}

static void take_mark(json *o, struct mark *ret)
{
    size_t n;
    json *args = json_read_list(o, "args", &n), *kwargs;
    bool named = json_object_object_get_ex(o, "kwargs", &kwargs) &&
                 json_object_is_type(kwargs, json_type_object);
    size_t all = n + (named ? (size_t)json_object_object_length(kwargs) : 0);
    struct mark_argument *to = mem_or_die((all + 1) * sizeof *to);
    size_t at = 0;
    for (; at < n; at++)
        take_argument(NULL, json_object_array_get_idx(args, at), &to[at]);
    if (named) {
        json_object_object_foreach(kwargs, name, v)
        {
            take_argument(name, v, &to[at++]);
        }
    }
    *ret = (struct mark){to, all, json_read_flag(o, "of_case")};
}

static void take_parameters(json *o, struct sample_case *c)
{
    size_t n;
    json *v = json_read_list(o, "parameters", &n);
    c->parameter = mem_or_die((n + 1) * sizeof *c->parameter);
    for (size_t i = 0; i < n; i++) {
        json *one = json_object_array_get_idx(v, i);
        if (json_object_is_type(one, json_type_array) && json_object_array_length(one) == 2)
            c->parameter[c->parameters++] =
                (struct parameter){str_or_die(item(one, 0)), str_or_die(item(one, 1))};
    }
}

static void take_case(json *o, struct said *s)
{
    size_t n;
    json *marks = json_read_list(o, "marks", &n);
    if (!json_read_text(o, "case") || !json_read_text(o, "function"))
        return;
    struct said_case *c = &s->cases[s->n++];
    c->of = (struct sample_case){
        .name = copied(o, "case"),
        .function = copied(o, "function"),
        .input = copied(o, "input"),
        .nodeid = copied(o, "nodeid"),
        .file = copied(o, "file"),
        .index = whole(o, "index"),
    };
    take_parameters(o, &c->of);
    c->mark = mem_or_die((n + 1) * sizeof *c->mark);
    for (size_t i = 0; i < n; i++)
        take_mark(json_object_array_get_idx(marks, i), &c->mark[c->marks++]);
}

static void take_cases(json *o, struct said *s)
{
    size_t n;
    json *v = json_read_list(o, "cases", &n), *def;
    s->cases = mem_or_die((n + 1) * sizeof *s->cases);
    for (size_t i = 0; s->what == SAY_CASES && i < n; i++)
        take_case(json_object_array_get_idx(v, i), s);
    if (s->what == SAY_RUN && json_object_object_get_ex(o, "def", &def))
        take_case(def, s);
}

static void take_selected(json *o, struct said *s)
{
    size_t n, runs;
    json *v = json_read_list(o, "cases", &n), *counts = json_read_list(o, "runs", &runs);
    s->selected = mem_or_die((n + 1) * sizeof *s->selected);
    for (size_t i = 0; i < n && i < runs; i++)
        s->selected[s->selections++] = (struct selection){
            item(v, i), json_object_get_int64(json_object_array_get_idx(counts, i))};
}

static void take_run(json *o, struct said *s)
{
    const char *outcome = json_read_text(o, "outcome");
    size_t n;
    json *v = json_read_list(o, "usage", &n);
    struct usage *usage = mem_or_die((n + 1) * sizeof *usage);
    s->run = (struct sample_run){
        .what = RUN_ERROR,
        .elapsed = number(o, "elapsed"),
        .cost = number(o, "cost"),
        .usage = usage,
        .usages = n,
    };
    if (outcome && strcmp(outcome, "error") != 0)
        s->run.what = strcmp(outcome, "pass") == 0 ? RUN_PASS : RUN_FAIL;
    for (size_t i = 0; i < n; i++) {
        json *one = json_object_array_get_idx(v, i);
        double cost = number(one, "cost");
        usage[i] = (struct usage){
            .model = copied(one, "model"),
            .input = whole(one, "input_tokens"),
            .output = whole(one, "output_tokens"),
            .cached = whole(one, "cached_input_tokens"),
            .cost = isnan(cost) ? 0 : cost,
        };
    }
}

static enum saying saying(json *o, bool *ret_ask)
{
    static const struct {
        const char *key, *word;
        enum saying what;
    } words[] = {
        {"tell", "run", SAY_RUN},           {"tell", "cut", SAY_CUT},
        {"tell", "judged", SAY_JUDGED},     {"ask", "sample", SAY_SAMPLE},
        {"ask", "cases", SAY_CASES},        {"ask", "selected", SAY_SELECTED},
        {"ask", "stop", SAY_STOP},          {"ask", "verdict", SAY_VERDICT},
        {"ask", "finish", SAY_FINISH},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *said = json_read_text(o, words[i].key);
        *ret_ask = words[i].key[0] == 'a';
        if (said && strcmp(said, words[i].word) == 0)
            return words[i].what;
    }
    return SAY_OTHER;
}

int said_parse(const char *line, struct said *ret)
{
    json *o = json_tokener_parse(line);
    *ret = (struct said){.json = o};
    if (!json_object_is_type(o, json_type_object))
        return 0;
    ret->what = saying(o, &ret->ask);
    if (ret->what == SAY_OTHER)
        return 0;
    ret->name = json_read_text(o, "case");
    ret->function = json_read_text(o, "function");
    ret->arm = json_read_text(o, "arm");
    ret->baseline = json_read_flag(o, "baseline");
    ret->cwd = json_read_text(o, "cwd");
    ret->rootdir = json_read_text(o, "rootdir");
    ret->role = json_read_text(o, "role");
    ret->colour = json_read_flag(o, "color");
    ret->loadgroup = json_read_flag(o, "loadgroup");
    ret->exit_status = (int)whole(o, "exitstatus");
    if (ret->what == SAY_SAMPLE)
        take_options(o, ret);
    if (ret->what == SAY_RUN)
        take_run(o, ret);
    if (ret->what == SAY_SELECTED)
        take_selected(o, ret);
    if (ret->what == SAY_CASES || ret->what == SAY_RUN)
        take_cases(o, ret);
    return 1;
}

void said_done(struct said *s)
{
    for (size_t i = 0; i < s->n; i++) {
        case_done(&s->cases[i].of);
        for (size_t m = 0; m < s->cases[i].marks; m++)
            free((void *)(uintptr_t)s->cases[i].mark[m].argument);
        free(s->cases[i].mark);
    }
    struct usage *usage = (struct usage *)(uintptr_t)s->run.usage;
    for (size_t i = 0; i < s->run.usages; i++)
        free(usage[i].model);
    free(usage);
    free(s->selected);
    free(s->cases);
    free(s->option);
    json_object_put(s->json);
    *s = (struct said){0};
}

/* Moves a value over; null where there is none. */
static void move(json *from, const char *key, json *to, const char *as)
{
    json *v = NULL;
    json_object_object_get_ex(from, key, &v);
    json_object_object_add(to, as, json_object_get(v));
}

/* A run is one step, unless it told of its own. */
static json *one_step(json *run)
{
    json *steps = json_object_new_array(), *step = json_object_new_object();
    const char *name = json_read_text(run, "case"), *outcome = json_read_text(run, "outcome");
    const char *end = name ? strstr(name, "::") : NULL;
    int len = name ? (int)(end ? (size_t)(end - name) : strlen(name)) : 0;
    json_object_object_add(step, "label", json_object_new_string_len(name ? name : "", len));
    json_object_object_add(step, "passed",
                           json_object_new_boolean(outcome && strcmp(outcome, "pass") == 0));
    move(run, "elapsed", step, "elapsed");
    move(run, "error", step, "error");
    move(run, "message", step, "message");
    move(run, "cost", step, "cost");
    move(run, "usage", step, "usage");
    json_object_array_add(steps, step);
    return steps;
}

/* All that a run spent: what it recorded itself, and what its usage cost. NULL if nothing. */
static json *spent(json *run)
{
    size_t n;
    json *usage = json_read_list(run, "usage", &n);
    double sum = number(run, "cost");
    for (size_t i = 0; i < n; i++) {
        double cost = number(json_object_array_get_idx(usage, i), "cost");
        if (!isnan(cost) && cost != 0)
            sum = (isnan(sum) ? 0 : sum) + cost;
    }
    return isnan(sum) ? NULL : json_object_new_double(sum);
}

bool said_record(const char *line, struct text *out)
{
    static const char *const keys[] = {"case",  "run",     "outcome", "message",
                                       "error", "elapsed", "cost",    "usage"};
    json *o = json_tokener_parse(line), *record, *steps;
    const char *tell = json_object_is_type(o, json_type_object) ? json_read_text(o, "tell") : NULL;
    bool is_run = tell && strcmp(tell, "run") == 0;
    if (is_run) {
        record = json_object_new_object();
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            move(o, keys[i], record, keys[i]);
        json_object_object_add(record, "cost", spent(o));
        if (json_object_object_get_ex(o, "steps", &steps))
            json_object_object_add(record, "steps", json_object_get(steps));
        else
            json_object_object_add(record, "steps", one_step(o));
        text_add(out, json_object_to_json_string_ext(record, JSON_C_TO_STRING_PLAIN |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE));
        json_object_put(record);
    }
    json_object_put(o);
    return is_run;
}
