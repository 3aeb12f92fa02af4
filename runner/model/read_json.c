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
