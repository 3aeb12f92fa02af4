#include "triage/wire.h"

#include "base/clock.h"
#include "triage/prompt.h"
#include "triage/reply.h"

#include <json-c/json.h>
#include <string.h>

#define FUNCTION "record_verdict"

typedef struct json_object json;

static void set(json *o, const char *key, const char *s)
{
    json_object_object_add(o, key, json_object_new_string(s));
}

static json *list_of(json *one)
{
    json *list = json_object_new_array();
    json_object_array_add(list, one);
    return list;
}

static json *words(const char *const *of, size_t n)
{
    json *o = json_object_new_object(), *list = json_object_new_array();
    for (size_t i = 0; i < n; i++)
        json_object_array_add(list, json_object_new_string(of[i]));
    set(o, "type", "string");
    json_object_object_add(o, "enum", list);
    return o;
}

static json *text_type(bool or_null)
{
    json *o = json_object_new_object();
    if (!or_null) {
        set(o, "type", "string");
        return o;
    }
    json *types = list_of(json_object_new_string("string"));
    json_object_array_add(types, json_object_new_string("null"));
    json_object_object_add(o, "type", types);
    return o;
}

/* strict: every field has to be there, and no other. */
static json *schema(bool strict)
{
    static const char *const fields[] = {"category", "confidence", "hypothesis", "suggested_fix"};
    json *o = json_object_new_object(), *p = json_object_new_object();
    json *required = json_object_new_array();
    json_object_object_add(p, "category", words(category_words, CATEGORY_COUNT));
    json_object_object_add(p, "confidence", words(confidence_words, CONFIDENCE_COUNT));
    json_object_object_add(p, "hypothesis", text_type(false));
    json_object_object_add(p, "suggested_fix", text_type(strict));
    for (size_t i = 0; i < (strict ? 4u : 3u); i++)
        json_object_array_add(required, json_object_new_string(fields[i]));
    set(o, "type", "object");
    json_object_object_add(o, "properties", p);
    json_object_object_add(o, "required", required);
    if (strict)
        json_object_object_add(o, "additionalProperties", json_object_new_boolean(false));
    return o;
}

static json *function(const char *description, const char *parameters, bool strict)
{
    json *o = json_object_new_object();
    set(o, "name", FUNCTION);
    set(o, "description", description);
    json_object_object_add(o, parameters, schema(strict));
    if (strict)
        json_object_object_add(o, "strict", json_object_new_boolean(true));
    return o;
}

static json *message(const char *role, const char *content)
{
    json *o = json_object_new_object();
    set(o, "role", role);
    set(o, "content", content);
    return o;
}

static json *request(const char *model, int tokens)
{
    json *o = json_object_new_object();
    set(o, "model", model);
    json_object_object_add(o, "max_tokens", json_object_new_int(tokens));
    return o;
}

static void print(json *o, struct text *out)
{
    text_add(out, json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
                                                        JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(o);
}

void wire_anthropic(const char *model, const struct inquiry *q, struct text *out)
{
    own_text struct text system = {0}, user = {0};
    json *o = request(model, 1024), *choice = json_object_new_object();
    prompt_system(LANGUAGE_ENGLISH, &system);
    prompt_user(q, LANGUAGE_ENGLISH, &user);
    set(o, "system", text_str(&system));
    json_object_object_add(
        o, "tools", list_of(function("Record the verdict on the failure.", "input_schema", true)));
    set(choice, "type", "tool");
    set(choice, "name", FUNCTION);
    json_object_object_add(o, "tool_choice", choice);
    json_object_object_add(o, "messages", list_of(message("user", text_str(&user))));
    print(o, out);
}

static json *conversation(const struct inquiry *q, enum language l)
{
    own_text struct text system = {0}, user = {0};
    prompt_system(l, &system);
    prompt_user(q, l, &user);
    json *list = list_of(message("system", text_str(&system)));
    json_object_array_add(list, message("user", text_str(&user)));
    return list;
}

/* {"type": "function", "function": …} */
static json *as_tool(json *f)
{
    json *o = json_object_new_object();
    set(o, "type", "function");
    json_object_object_add(o, "function", f);
    return o;
}

static json *named(void)
{
    json *o = json_object_new_object();
    set(o, "name", FUNCTION);
    return o;
}

void wire_openai(const char *model, const struct inquiry *q, struct text *out)
{
    json *o = request(model, 1024);
    json_object_object_add(o, "messages", conversation(q, LANGUAGE_ENGLISH));
    json_object_object_add(
        o, "tools",
        list_of(as_tool(function("Record the verdict on the failure.", "parameters", true))));
    json_object_object_add(o, "tool_choice", as_tool(named()));
    print(o, out);
}

void wire_gigachat(const char *model, const struct inquiry *q, struct text *out)
{
    json *o = request(model, 512);
    json_object_object_add(o, "temperature", json_object_new_double_s(0.1, "0.1"));
    json_object_object_add(o, "messages", conversation(q, LANGUAGE_RUSSIAN));
    json_object_object_add(o, "functions",
                           list_of(function("Записать вердикт о сбое.", "parameters", false)));
    json_object_object_add(o, "function_call", named());
    print(o, out);
}

/* The element of an object or, for a NULL key, the first of a list; NULL if there is none. */
static json *down(json *o, const char *key)
{
    json *v = NULL;
    if (!key)
        return json_object_is_type(o, json_type_array) ? json_object_array_get_idx(o, 0) : NULL;
    return json_object_object_get_ex(o, key, &v) ? v : NULL;
}

static json *parse(const char *body, struct err *e)
{
    json *o = json_tokener_parse(body);
    if (json_object_is_type(o, json_type_object))
        return o;
    json_object_put(o);
    err_set(e, ERR_SYSTEM, "the reply is no JSON object");
    return NULL;
}

static int no_reply(struct err *e)
{
    return err_set(e, ERR_SYSTEM, "the reply is not one of this interface");
}

static int anthropic(json *o, struct opinion *ret, struct err *e)
{
    json *blocks = down(o, "content");
    if (!json_object_is_type(blocks, json_type_array))
        return no_reply(e);
    const char *prose = "";
    for (size_t i = 0; i < json_object_array_length(blocks); i++) {
        json *b = json_object_array_get_idx(blocks, i), *input = down(b, "input");
        if (json_object_is_type(input, json_type_object)) {
            reply_take(input, ret);
            return 0;
        }
        if (json_object_is_type(down(b, "text"), json_type_string))
            prose = json_object_get_string(down(b, "text"));
    }
    reply_read(prose, ret);
    return 0;
}

/* Arguments are an object, or the text of one. */
static int openai(json *o, struct opinion *ret, struct err *e)
{
    json *m = down(down(down(o, "choices"), NULL), "message");
    if (!json_object_is_type(m, json_type_object))
        return no_reply(e);
    json *call = down(down(down(m, "tool_calls"), NULL), "function");
    json *arguments = down(call ? call : down(m, "function_call"), "arguments");
    if (json_object_is_type(arguments, json_type_object)) {
        reply_take(arguments, ret);
        return 0;
    }
    json *said = json_object_is_type(arguments, json_type_string) ? arguments : down(m, "content");
    reply_read(json_object_is_type(said, json_type_string) ? json_object_get_string(said) : "",
               ret);
    return 0;
}

int wire_anthropic_reply(const char *body, struct opinion *ret, struct err *e)
{
    json *o = parse(body, e);
    int got = o ? anthropic(o, ret, e) : -1;
    json_object_put(o);
    return got;
}

int wire_openai_reply(const char *body, struct opinion *ret, struct err *e)
{
    json *o = parse(body, e);
    int got = o ? openai(o, ret, e) : -1;
    json_object_put(o);
    return got;
}

int wire_token(const char *body, struct text *ret_token, int64_t *ret_until_ns, struct err *e)
{
    json *o = parse(body, e), *token = down(o, "access_token");
    int got = -1;
    if (json_object_is_type(token, json_type_string)) {
        text_add(ret_token, json_object_get_string(token));
        int64_t until_ms = json_object_get_int64(down(o, "expires_at"));
        *ret_until_ns = until_ms > 0 && until_ms < INT64_MAX / NS_PER_MS ? until_ms * NS_PER_MS : 0;
        got = 0;
    } else if (o) {
        err_set(e, ERR_SYSTEM, "the reply has no access token");
    }
    json_object_put(o);
    return got;
}
