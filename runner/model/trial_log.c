#include "model/trial_log.h"

#include "base/fdio.h"
#include "base/own.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MAX ((size_t)256 << 20)

typedef struct json_object json;

static void put_json(json **o)
{
    json_object_put(*o);
}
#define own_json __attribute__((cleanup(put_json)))

static void put(json *o, const char *key, json *value)
{
    json_object_object_add(o, key, value);
}

static void put_text(json *o, const char *key, const char *value)
{
    if (value && *value)
        put(o, key, json_object_new_string(value));
}

static void put_number(json *o, const char *key, int64_t n)
{
    if (n)
        put(o, key, json_object_new_int64(n));
}

static void put_list(json *o, const char *key, const struct argv *v)
{
    json *list = json_object_new_array();
    for (size_t i = 0; i < v->n; i++)
        json_object_array_add(list, json_object_new_string(v->at[i]));
    put(o, key, list);
}

static const char *text_of(json *o, const char *key)
{
    json *v;
    return json_object_object_get_ex(o, key, &v) ? json_object_get_string(v) : NULL;
}

static char *own_of(json *o, const char *key)
{
    const char *text = text_of(o, key);
    return text ? str_or_die(text) : NULL;
}

static int64_t number_of(json *o, const char *key)
{
    json *v;
    return json_object_object_get_ex(o, key, &v) ? json_object_get_int64(v) : 0;
}

static void list_of(json *o, const char *key, struct argv *out)
{
    json *v;
    if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_array))
        return;
    for (size_t i = 0; i < json_object_array_length(v); i++)
        argv_add(out, json_object_get_string(json_object_array_get_idx(v, i)));
}

static void copy_of(json *o, const char *key, char *buf, size_t size)
{
    const char *text = text_of(o, key);
    text_copy(buf, size, text ? text : "");
}

static void write_line(struct trial_log *l, json *o)
{
    own_text struct text line = {0};
    text_add(&line, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
                                                          JSON_C_TO_STRING_NOSLASHESCAPE));
    text_addc(&line, '\n');
    if (!l->broken && fdio_write_all(l->fd, line.at, line.len) < 0)
        l->broken = true;
}

void trial_log_begin(struct trial_log *l)
{
    if (l->fd < 0)
        return;
    own_json json *o = json_object_new_object();
    char seed[24]; /* as text: JSON numbers are doubles to many readers */
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)l->head.seed);
    put_text(o, "format", LOG_FORMAT);
    put_number(o, "version", LOG_VERSION);
    put_text(o, "tool", l->head.tool);
    put_text(o, "target", l->head.target);
    put_list(o, "args", &l->head.args);
    put_text(o, "python", l->head.python);
    put_text(o, "pytest", l->head.pytest);
    put_list(o, "files", &l->head.files);
    put_text(o, "seed", seed);
    put_number(o, "axes", l->head.axes);
    put_number(o, "wall_ns", l->head.wall_ns);
    write_line(l, o);
}

static const char *const kinds[] = {
    [LOG_FIRST] = "first", [LOG_TRIAL] = "trial", [LOG_TOUCHES] = "touches"};

static void put_outcome(json *o, const struct outcome *r)
{
    json *touched = json_object_new_object(), *zones = json_object_new_array();
    put_text(o, "outcome", outcome_word(r->kind));
    put_text(o, "ran", r->tier == TIER_FRESH ? "fresh" : "warm");
    put_text(o, "when", r->print.phase);
    put_text(o, "exception", r->print.type);
    put_text(o, "site", r->print.site);
    put_text(o, "message", r->message);
    put_number(o, "took_ns", r->took_ns);
    put_number(o, "instant_ns", r->instant_ns);
    put_number(o, "clock_reads", (int64_t)r->clock_reads);
    put_number(o, "changed", r->changed);
    put_number(o, "not_covered", r->not_covered);
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        put_number(touched, axis_word(a), (int64_t)r->touched[a]);
    for (size_t i = 0; i < FD_ZONES && r->zone[i][0]; i++)
        json_object_array_add(zones, json_object_new_string(r->zone[i]));
    put(o, "touched", touched);
    put(o, "zones", zones);
}

void trial_log_append(struct trial_log *l, const struct log_entry *one)
{
    if (l->fd < 0)
        return;
    own_json json *o = json_object_new_object();
    put_text(o, "kind", kinds[one->kind]);
    put_text(o, "nodeid", one->nodeid);
    put_text(o, "phase", one->phase);
    put_text(o, "setting", one->setting);
    put_number(o, "at_ns", one->at_ns);
    if (one->kind == LOG_TOUCHES) {
        put_number(o, "axes", one->axes);
    } else {
        put_text(o, "tier", one->wished == TIER_FRESH ? "fresh" : "warm");
        put_outcome(o, &one->outcome);
    }
    write_line(l, o);
}

static void read_outcome(json *o, struct outcome *ret)
{
    const char *word = text_of(o, "outcome"), *ran = text_of(o, "ran");
    json *touched = NULL, *zones = NULL;
    *ret = (struct outcome){.tier = ran && strcmp(ran, "fresh") == 0 ? TIER_FRESH : TIER_WARM};
    for (enum outcome_kind k = OUTCOME_NOT_RUN; word && k <= OUTCOME_CRASH; k++)
        if (strcmp(word, outcome_word(k)) == 0)
            ret->kind = k;
    copy_of(o, "when", ret->print.phase, sizeof ret->print.phase);
    copy_of(o, "exception", ret->print.type, sizeof ret->print.type);
    copy_of(o, "site", ret->print.site, sizeof ret->print.site);
    copy_of(o, "message", ret->message, sizeof ret->message);
    ret->took_ns = number_of(o, "took_ns");
    ret->instant_ns = number_of(o, "instant_ns");
    ret->clock_reads = (uint64_t)number_of(o, "clock_reads");
    ret->changed = (uint32_t)number_of(o, "changed");
    ret->not_covered = (uint32_t)number_of(o, "not_covered");
    if (json_object_object_get_ex(o, "touched", &touched))
        for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
            ret->touched[a] = (uint64_t)number_of(touched, axis_word(a));
    if (json_object_object_get_ex(o, "zones", &zones))
        for (size_t i = 0; i < FD_ZONES && i < json_object_array_length(zones); i++)
            text_copy(ret->zone[i], sizeof ret->zone[i],
                      json_object_get_string(json_object_array_get_idx(zones, i)));
}

static void read_entry(json *o, struct trial_log *l)
{
    const char *kind = text_of(o, "kind"), *tier = text_of(o, "tier");
    int k = 0;
    while (k <= LOG_TOUCHES && !(kind && strcmp(kind, kinds[k]) == 0))
        k++;
    if (k > LOG_TOUCHES)
        return;
    l->entry = mem_grow_or_die(l->entry, (l->n + 1) * sizeof *l->entry);
    struct log_entry *one = &l->entry[l->n++];
    *one = (struct log_entry){.kind = (enum log_kind)k,
                              .nodeid = own_of(o, "nodeid"),
                              .setting = own_of(o, "setting"),
                              .wished = tier && strcmp(tier, "fresh") == 0 ? TIER_FRESH : TIER_WARM,
                              .axes = (uint32_t)number_of(o, "axes"),
                              .at_ns = number_of(o, "at_ns")};
    copy_of(o, "phase", one->phase, sizeof one->phase);
    read_outcome(o, &one->outcome);
}

static int read_head(const char *path, json *o, struct log_head *h, struct err *e)
{
    const char *format = o ? text_of(o, "format") : NULL, *seed = o ? text_of(o, "seed") : NULL;
    if (!format || strcmp(format, LOG_FORMAT) != 0)
        return err_set(e, ERR_STALE, "%s is no log of flaky-repro", path);
    if (number_of(o, "version") != LOG_VERSION)
        return err_set(e, ERR_STALE, "%s is a log of version %lld, not %d", path,
                       (long long)number_of(o, "version"), LOG_VERSION);
    h->tool = own_of(o, "tool");
    h->target = own_of(o, "target");
    h->python = own_of(o, "python");
    h->pytest = own_of(o, "pytest");
    list_of(o, "args", &h->args);
    list_of(o, "files", &h->files);
    h->seed = seed ? strtoull(seed, NULL, 10) : 0;
    h->axes = (uint32_t)number_of(o, "axes");
    h->wall_ns = number_of(o, "wall_ns");
    return 0;
}

int trial_log_read(const char *path, struct trial_log *ret, size_t *ret_whole, struct err *e)
{
    own_text struct text all = {0};
    own_trial_log struct trial_log l = TRIAL_LOG_NONE;
    if (fdio_read_file(path, LOG_MAX, &all, e) < 0)
        return -1;
    size_t at = 0;
    for (bool first = true; at < all.len; first = false) {
        char *end = memchr(all.at + at, '\n', all.len - at);
        if (!end && !first)
            break; /* torn by a kill in the middle of a write */
        if (end)
            *end = 0;
        own_json json *o = json_tokener_parse(all.at + at);
        if (first && (!end || read_head(path, o, &l.head, e) < 0))
            return end ? -1 : err_set(e, ERR_STALE, "%s is no log of flaky-repro", path);
        if (!o || !json_object_is_type(o, json_type_object))
            return err_set(e, ERR_STALE, "%s holds a line that is no JSON", path);
        if (!first)
            read_entry(o, &l);
        at = (size_t)(end + 1 - all.at);
    }
    if (at == 0)
        return err_set(e, ERR_STALE, "%s is empty", path);
    *ret = l;
    *ret_whole = at;
    l = TRIAL_LOG_NONE; /* moved */
    return 0;
}

void trial_log_done(struct trial_log *l)
{
    own_fd_close(&l->fd);
    free(l->head.tool);
    free(l->head.target);
    free(l->head.python);
    free(l->head.pytest);
    argv_done(&l->head.args);
    argv_done(&l->head.files);
    for (size_t i = 0; i < l->n; i++) {
        free(l->entry[i].nodeid);
        free(l->entry[i].setting);
    }
    free(l->entry);
    *l = TRIAL_LOG_NONE;
}
