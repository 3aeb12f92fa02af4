#include "triage/reply.h"

#include "model/read_json.h"

#include <json-c/json.h>
#include <string.h>

#define DEPTH_MOST 16

typedef struct json_object json;

void reply_take(void *o, struct opinion *ret)
{
    if (!json_object_is_type(o, json_type_object)) {
        opinion_unknown(ret, "the reply of the model could not be read");
        return;
    }
    const char *hypothesis = json_read_text(o, "hypothesis"),
               *category = json_read_text(o, "category");
    ret->category = category_of(category);
    ret->confidence = category && strcmp(category_words[ret->category], category) == 0
                          ? confidence_of(json_read_text(o, "confidence"))
                          : CONFIDENCE_LOW;
    opinion_say(ret, hypothesis ? hypothesis : "", json_read_text(o, "suggested_fix"));
}

/* Of the first object that can be read: from the first brace to the last, then what a strict reader
 * finds from the first on. */
static json *parse_object(const char *s, size_t n)
{
    struct json_tokener *t = json_tokener_new_ex(DEPTH_MOST);
    json *o = t ? json_tokener_parse_ex(t, s, (int)n) : NULL;
    if (t)
        json_tokener_free(t);
    if (o && json_object_is_type(o, json_type_object))
        return o;
    json_object_put(o);
    return NULL;
}

void reply_read(const char *reply, struct opinion *ret)
{
    size_t n = strnlen(reply, REPLY_MAX);
    const char *open = memchr(reply, '{', n), *close = memrchr(reply, '}', n);
    json *o = NULL;
    if (open && close && close > open)
        o = parse_object(open, (size_t)(close - open) + 1);
    reply_take(o, ret);
    json_object_put(o);
}
