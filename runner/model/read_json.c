#include "model/read_json.h"

#include "base/text.h"

#include <json-c/json.h>

const char *json_read_text(struct json_object *o, const char *key)
{
    struct json_object *v;
    bool there = json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_string);
    return there ? json_object_get_string(v) : NULL;
}

char *json_read_copy(struct json_object *o, const char *key)
{
    const char *s = json_read_text(o, key);
    return s ? str_or_die(s) : NULL;
}

bool json_read_flag(struct json_object *o, const char *key)
{
    struct json_object *v;
    return json_object_object_get_ex(o, key, &v) && json_object_get_boolean(v);
}

struct json_object *json_read_list(struct json_object *o, const char *key, size_t *ret_n)
{
    struct json_object *v;
    bool there = json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_array);
    *ret_n = there ? json_object_array_length(v) : 0;
    return there ? v : NULL;
}

size_t json_read_count(struct json_object *o, const char *key)
{
    struct json_object *v;
    bool there = json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_int);
    int64_t n = there ? json_object_get_int64(v) : 0;
    return n > 0 ? (size_t)n : 0;
}

void json_read_texts(struct json_object *o, const char *key, struct argv *out)
{
    size_t n;
    struct json_object *list = json_read_list(o, key, &n);
    for (size_t i = 0; i < n; i++) {
        struct json_object *one = json_object_array_get_idx(list, i);
        if (json_object_is_type(one, json_type_string))
            argv_add(out, json_object_get_string(one));
    }
}
