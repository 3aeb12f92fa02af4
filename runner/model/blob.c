#include "model/blob.h"

#include "base/own.h"

#include <json-c/json.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#define PREFIX       "fd1:"
#define BLOB_VERSION 1
#define AXIS_VERSION 1
#define JSON_MAX     ((uLongf)256 << 10) /* an order may name many tests */
#define ORDER_MAX    4096
#define ID_MAX       ((size_t)4096)

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void base64_add(const unsigned char *b, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i += 3) {
        uint32_t w = (uint32_t)b[i] << 16;
        size_t have = n - i < 3 ? n - i : 3;
        if (have > 1)
            w |= (uint32_t)b[i + 1] << 8;
        if (have > 2)
            w |= b[i + 2];
        for (size_t k = 0; k <= have; k++)
            text_addc(out, digits[(w >> (18 - 6 * k)) & 63]);
    }
}

/* Number of bytes, or -1 if a character is not of the alphabet or the length cannot be. */
static long base64_take(const char *s, unsigned char *out)
{
    size_t n = strlen(s), len = 0;
    while (n > 0 && s[n - 1] == '=')
        n--;
    if (n % 4 == 1)
        return -1;
    uint32_t w = 0;
    for (size_t i = 0; i < n; i++) {
        const char *at = memchr(digits, s[i], 64);
        if (!at)
            return -1;
        w = (w << 6) | (uint32_t)(at - digits);
        if (i % 4 != 0)
            out[len++] = (unsigned char)(w >> (6 - 2 * (i % 4)) & 0xff);
    }
    return (long)len;
}

/* FNV-1a (Fowler, Noll, Vo): names the test shortly; not a secret. */
static void node_hash(const char *nodeid, char buf[17])
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *nodeid; nodeid++)
        h = (h ^ (unsigned char)*nodeid) * UINT64_C(0x100000001b3);
    snprintf(buf, 17, "%016llx", (unsigned long long)h);
}

static void put_json(struct json_object **o)
{
    json_object_put(*o);
}
#define own_json __attribute__((cleanup(put_json)))

static void add_string(struct json_object *o, const char *key, const char *value)
{
    json_object_object_add(o, key, json_object_new_string(value));
}

static uint32_t checksum(struct json_object *o)
{
    const char *s = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
    return (uint32_t)crc32(0, (const unsigned char *)s, (uInt)strlen(s));
}

static struct json_object *body(const struct blob *b)
{
    struct json_object *o = json_object_new_object(), *axes = json_object_new_object();
    struct json_object *print = json_object_new_object(), *order = json_object_new_array();
    char hash[17];
    node_hash(b->nodeid, hash);
    json_object_object_add(o, "v", json_object_new_int(BLOB_VERSION));
    add_string(o, "tool", "flaky-repro");
    add_string(o, "version", FR_VERSION);
    add_string(o, "py", b->python);
    add_string(o, "node", hash);
    add_string(o, "test", b->nodeid);
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        if (!setting_holds(&b->setting, a))
            continue;
        struct json_object *axis = json_object_new_object();
        json_object_object_add(axis, "v", json_object_new_int(AXIS_VERSION));
        add_string(axis, "value", b->setting.value[a]);
        json_object_object_add(axes, axis_word(a), axis);
    }
    json_object_object_add(o, "axes", axes);
    for (size_t i = 0; i < b->order.n; i++)
        json_object_array_add(order, json_object_new_string(b->order.at[i]));
    json_object_object_add(o, "order", order);
    add_string(print, "phase", b->print.phase);
    add_string(print, "type", b->print.type);
    add_string(print, "site", b->print.site);
    json_object_object_add(o, "print", print);
    return o;
}

void blob_encode(const struct blob *b, struct text *out)
{
    own_json struct json_object *o = body(b);
    json_object_object_add(o, "sum", json_object_new_int64(checksum(o)));
    const char *s = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
    uLong n = (uLong)strlen(s);
    uLongf room = compressBound(n);
    own_mem unsigned char *packed = mem_or_die(room);
    compress2(packed, &room, (const unsigned char *)s, n, Z_BEST_COMPRESSION);
    text_add(out, PREFIX);
    base64_add(packed, room, out);
}

static int refuse(struct err *e, const char *why)
{
    err_set(e, ERR_STALE, "this repro cannot be played: %s", why);
    return err_hint(e, "paste it whole, or diagnose the test again");
}

static int unpack(const char *word, struct text *out, struct err *e)
{
    if (!text_starts(word, PREFIX)) {
        err_set(e, ERR_USAGE, "\"%.40s\" is not a repro", word);
        return err_hint(e, "it begins with " PREFIX " and stands in the report");
    }
    own_mem unsigned char *packed = mem_or_die(strlen(word));
    long n = base64_take(word + strlen(PREFIX), packed);
    own_mem unsigned char *plain = mem_or_die(JSON_MAX);
    uLongf room = JSON_MAX;
    if (n <= 0 || uncompress(plain, &room, packed, (uLong)n) != Z_OK)
        return refuse(e, "it is damaged");
    text_addn(out, (const char *)plain, room);
    return 0;
}

static const char *string_of(struct json_object *o, const char *key)
{
    struct json_object *v;
    if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
        return NULL;
    return json_object_get_string(v);
}

static int64_t int_of(struct json_object *o, const char *key)
{
    struct json_object *v;
    if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_int))
        return -1;
    return json_object_get_int64(v);
}

/* Every key of o is one of `known`, a list that ends with NULL. */
static bool only(struct json_object *o, const char *const *known)
{
    json_object_object_foreach(o, key, value)
    {
        size_t i = 0;
        (void)value;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            return false;
    }
    return true;
}

static int take_axes(struct json_object *axes, struct setting *s, struct err *e)
{
    static const char *const known[] = {"v", "value", NULL};
    json_object_object_foreach(axes, word, axis)
    {
        int a = axis_by_word(word);
        if (a < 0) {
            err_set(e, ERR_STALE, "this repro holds \"%.40s\", an axis this version does not know",
                    word);
            return err_hint(e, "install the version that made it, or a newer one");
        }
        const char *value =
            json_object_is_type(axis, json_type_object) ? string_of(axis, "value") : NULL;
        if (!value || !only(axis, known) || strlen(value) >= SETTING_VALUE_MAX ||
            strchr(value, ','))
            return refuse(e, "a value in it cannot be");
        if (int_of(axis, "v") != AXIS_VERSION)
            return refuse(e, "an axis in it is of a newer version");
        setting_hold(s, (enum fd_axis)a, value);
    }
    return 0;
}

static int take_order(struct json_object *order, struct blob *b, struct err *e)
{
    size_t n = json_object_array_length(order);
    if (n > ORDER_MAX)
        return refuse(e, "it orders more tests than can be");
    for (size_t i = 0; i < n; i++) {
        struct json_object *id = json_object_array_get_idx(order, i);
        if (!json_object_is_type(id, json_type_string))
            return refuse(e, "what it orders are no tests");
        const char *s = json_object_get_string(id);
        size_t len = (size_t)json_object_get_string_len(id);
        if (len == 0 || len >= ID_MAX || strlen(s) != len || s[0] == '-' ||
            strcmp(s, b->nodeid) == 0)
            return refuse(e, "a test that it orders cannot be one");
        argv_add(&b->order, s);
    }
    return 0;
}

static int check_origin(struct json_object *o, struct err *e)
{
    static const char *const known[] = {"v",    "tool",  "version", "py",  "node", "test",
                                        "axes", "order", "print",   "sum", NULL};
    const char *tool = string_of(o, "tool");
    if (!tool || strcmp(tool, "flaky-repro") != 0) {
        err_set(e, ERR_STALE, "this repro was made by \"%.60s\", not by flaky-repro",
                tool ? tool : "an unnamed tool");
        return err_hint(e, "play it with the tool that made it, or diagnose the test again");
    }
    if (int_of(o, "v") != BLOB_VERSION)
        return refuse(e, "it is of a newer version");
    if (!only(o, known))
        return refuse(e, "it holds a field this version does not know");
    int64_t sum = int_of(o, "sum");
    json_object_object_del(o, "sum");
    if (sum != (int64_t)checksum(o))
        return refuse(e, "its checksum does not fit");
    return 0;
}

static int take_body(struct json_object *o, struct blob *b, struct err *e)
{
    struct json_object *axes, *print, *order;
    char hash[17];
    const char *test = string_of(o, "test"), *node = string_of(o, "node");
    const char *py = string_of(o, "py"), *version = string_of(o, "version");
    if (!json_object_object_get_ex(o, "axes", &axes) ||
        !json_object_is_type(axes, json_type_object) ||
        !json_object_object_get_ex(o, "print", &print) ||
        !json_object_is_type(print, json_type_object) ||
        !json_object_object_get_ex(o, "order", &order) ||
        !json_object_is_type(order, json_type_array) || !test || !node || !py || !version ||
        strlen(test) >= sizeof b->nodeid)
        return refuse(e, "it lacks a field");
    node_hash(test, hash);
    if (strcmp(hash, node) != 0)
        return refuse(e, "it was recorded for another test");
    const char *phase = string_of(print, "phase"), *type = string_of(print, "type");
    const char *site = string_of(print, "site");
    if (!phase || !type || !site)
        return refuse(e, "it lacks the failure it is for");
    text_copy(b->nodeid, sizeof b->nodeid, test);
    text_copy(b->python, sizeof b->python, py);
    text_copy(b->tool_version, sizeof b->tool_version, version);
    text_copy(b->print.phase, sizeof b->print.phase, phase);
    text_copy(b->print.type, sizeof b->print.type, type);
    text_copy(b->print.site, sizeof b->print.site, site);
    return take_order(order, b, e) < 0 ? -1 : take_axes(axes, &b->setting, e);
}

void blob_done(struct blob *b)
{
    argv_done(&b->order);
}

int blob_decode(const char *word, struct blob *ret_blob, struct err *e)
{
    own_text struct text json = {0};
    own_blob struct blob b = {0};
    if (unpack(word, &json, e) < 0)
        return -1;
    own_json struct json_object *o = json_tokener_parse(text_str(&json));
    if (!o || !json_object_is_type(o, json_type_object))
        return refuse(e, "it is damaged");
    if (check_origin(o, e) < 0 || take_body(o, &b, e) < 0)
        return -1;
    *ret_blob = b;
    b.order = (struct argv){0}; /* moved */
    return 0;
}
