#include "exec/channel.h"

#include "base/release.h"
#include "model/read_json.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

void event_done(struct event *ev)
{
    free(ev->id);
    free(ev->when);
    free(ev->outcome);
    free(ev->type);
    free(ev->site);
    free(ev->message);
    free(ev->text);
    free(ev->file);
    free(ev->function);
    free(ev->call);
    free(ev->rootdir);
    free(ev->python);
    free(ev->pytest);
    free(ev->plugin);
    free(ev->plugin_path);
    argv_done(&ev->ids);
    argv_done(&ev->plugins);
    *ev = (struct event){0};
}

static void put_json(struct json_object **o)
{
    json_object_put(*o);
}

static long get_int(struct json_object *o, const char *key)
{
    struct json_object *v;
    return json_object_object_get_ex(o, key, &v) ? (long)json_object_get_int64(v) : 0;
}

static int kind_of(const char *word)
{
    static const char *const words[] = {
        [EVENT_COLLECTED] = "collected",
        [EVENT_COLLECT_ERROR] = "collect-error",
        [EVENT_COLLECT_SKIP] = "collect-skip",
        [EVENT_BEGIN] = "begin",
        [EVENT_PHASE] = "phase",
        [EVENT_END] = "end",
        [EVENT_FORKED] = "forked",
        [EVENT_DONE] = "done",
        [EVENT_WITNESS] = "witness",
        [EVENT_TRACE] = "trace",
    };
    for (int k = 0; word && k < (int)(sizeof words / sizeof *words); k++)
        if (strcmp(words[k], word) == 0)
            return k;
    return -1;
}

bool event_has(const struct event *ev, const char *nodeid)
{
    for (size_t i = 0; i < ev->ids.n; i++)
        if (strcmp(ev->ids.at[i], nodeid) == 0)
            return true;
    return false;
}

int channel_parse(const char *line, struct event *ret_event, struct err *e)
{
    __attribute__((cleanup(put_json))) struct json_object *o = json_tokener_parse(line);
    if (!o || !json_object_is_type(o, json_type_object))
        return err_set(e, ERR_BUG, "the plugin said something that is not JSON: %.80s", line);
    if (get_int(o, "v") != CHANNEL_VERSION) {
        err_set(e, ERR_SETUP, "the pytest plugin speaks version %ld of the channel, not %d",
                get_int(o, "v"), CHANNEL_VERSION);
        return err_hint(e, "flaky-repro and its plugin must come from one installation");
    }
    char *word = json_read_copy(o, "event");
    int kind = kind_of(word);
    free(word);
    if (kind < 0)
        return err_set(e, ERR_BUG, "the plugin said something unknown: %.80s", line);
    struct json_object *flag;
    *ret_event = (struct event){
        .kind = (enum event_kind)kind,
        .id = json_read_copy(o, "id"),
        .when = json_read_copy(o, "when"),
        .outcome = json_read_copy(o, "outcome"),
        .type = json_read_copy(o, "type"),
        .site = json_read_copy(o, "site"),
        .message = json_read_copy(o, "message"),
        .text = json_read_copy(o, "text"),
        .file = json_read_copy(o, "file"),
        .function = json_read_copy(o, "function"),
        .call = json_read_copy(o, "call"),
        .rootdir = json_read_copy(o, "rootdir"),
        .python = json_read_copy(o, "python"),
        .pytest = json_read_copy(o, "pytest"),
        .plugin = json_read_copy(o, "plugin"),
        .plugin_path = json_read_copy(o, "plugin_path"),
        .xfail = json_object_object_get_ex(o, "xfail", &flag) && json_object_get_boolean(flag),
        .pid = get_int(o, "pid"),
        .status = get_int(o, "status"),
        .threads = get_int(o, "threads"),
        .errors = get_int(o, "errors"),
        .line = get_int(o, "line"),
        .count = get_int(o, "count"),
    };
    json_read_texts(o, "ids", &ret_event->ids);
    json_read_texts(o, "plugins", &ret_event->plugins);
    struct argv changed = {0};
    json_read_texts(o, "changed", &changed);
    ret_event->drawn = changed.n > 0;
    argv_done(&changed);
    if (kind != EVENT_COLLECTED ||
        release_check("the pytest plugin", ret_event->plugin_path, ret_event->plugin, e) == 0)
        return 0;
    event_done(ret_event);
    return -1;
}

void channel_request(const char *folder, const char *nodeid, const struct argv *before,
                     const char *held, struct text *out)
{
    struct json_object *o = json_object_new_object();
    json_object_object_add(o, "v", json_object_new_int(CHANNEL_VERSION));
    json_object_object_add(o, "event", json_object_new_string("run"));
    json_object_object_add(o, "dir", json_object_new_string(folder));
    json_object_object_add(o, "id", json_object_new_string(nodeid));
    own_text struct text page = {0};
    text_addf(&page, "%s/p", folder);
    json_object_object_add(o, "page", json_object_new_string(text_str(&page)));
    struct json_object *ids = json_object_new_array();
    for (size_t i = 0; i < before->n; i++)
        json_object_array_add(ids, json_object_new_string(before->at[i]));
    json_object_object_add(o, "before", ids);
    json_object_object_add(o, "held", json_object_new_string(held));
    text_add(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    text_addc(out, '\n');
    json_object_put(o);
}
