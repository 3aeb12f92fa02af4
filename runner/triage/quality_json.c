#include "triage/quality.h"

#include "triage/gate.h"
#include "triage/headline.h"

#include <json-c/json.h>
#include <stdint.h>
#include <string.h>

typedef struct json_object json;

/* FNV-1a (Fowler, Noll, Vo), from its own offset and from another: 128 bits that need not be
 * secret. */
static uint64_t hash(const char *s, uint64_t from)
{
    for (; *s; s++)
        from = (from ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return from;
}

/* Several failures of one kind in one test (subtests) are told apart by their place. */
static void fingerprint(const struct failure *f, json *seen, struct text *out)
{
    own_text struct text t = {0};
    json *before;
    text_addf(&t, "%s\n%s\n%s", f->nodeid ? f->nodeid : "", f->phase ? f->phase : "",
              f->exc_type ? f->exc_type : "");
    int n =
        json_object_object_get_ex(seen, text_str(&t), &before) ? json_object_get_int(before) : 0;
    json_object_object_add(seen, text_str(&t), json_object_new_int(n + 1));
    if (n)
        text_addf(&t, "\n%d", n);
    text_addf(out, "%016llx%016llx",
              (unsigned long long)hash(text_str(&t), UINT64_C(0xcbf29ce484222325)),
              (unsigned long long)hash(text_str(&t), UINT64_C(0x84222325cbf29ce4)));
}

static const char *severity(const struct failure *f)
{
    if (failure_is_flake(f))
        return "minor";
    return f->judged && f->verdict.category == CATEGORY_REGRESSION ? "critical" : "major";
}

static const char *check_name(const struct failure *f)
{
    return !f->judged ? "failure" : category_words[f->verdict.category];
}

static void description(const struct failure *f, struct text *out)
{
    own_text struct text id = {0}, grounds = {0};
    opinion_clean(f->nodeid ? f->nodeid : "", FAILURE_MESSAGE_MAX, &id);
    text_addf(out, "%s: %s: ", failure_label(f), text_str(&id));
    failure_headline(f, out);
    failure_grounds(f, &grounds);
    if (grounds.len)
        text_addf(out, ". %s", text_str(&grounds));
}

/* GitLab wants a path and a line of each. */
static json *location(const struct failure *f, const struct folder *at)
{
    own_spot struct spot spot = {0};
    own_text struct text path = {0};
    json *o = json_object_new_object(), *lines = json_object_new_object();
    spot_of(f, at, &spot);
    if (!spot.file.len)
        text_addf(&spot.file, "%s%s", at->below, f->nodeid && *f->nodeid ? f->nodeid : "unknown");
    opinion_clean(text_str(&spot.file), FAILURE_MESSAGE_MAX, &path);
    json_object_object_add(lines, "begin", json_object_new_int64(spot.line ? spot.line : 1));
    json_object_object_add(o, "path", json_object_new_string(text_str(&path)));
    json_object_object_add(o, "lines", lines);
    return o;
}

static json *finding(const struct failure *f, const struct folder *at, json *seen)
{
    own_text struct text words = {0}, print = {0};
    json *o = json_object_new_object();
    description(f, &words);
    fingerprint(f, seen, &print);
    json_object_object_add(o, "description", json_object_new_string(text_str(&words)));
    json_object_object_add(o, "check_name", json_object_new_string(check_name(f)));
    json_object_object_add(o, "fingerprint", json_object_new_string(text_str(&print)));
    json_object_object_add(o, "severity", json_object_new_string(severity(f)));
    json_object_object_add(o, "location", location(f, at));
    return o;
}

void quality_json(const struct failures *f, const struct folder *at, struct text *out)
{
    json *list = json_object_new_array(), *seen = json_object_new_object();
    for (size_t i = 0; i < f->n; i++)
        json_object_array_add(list, finding(&f->at[i], at, seen));
    text_add(out, json_object_to_json_string_ext(list, JSON_C_TO_STRING_PRETTY |
                                                           JSON_C_TO_STRING_SPACED |
                                                           JSON_C_TO_STRING_NOSLASHESCAPE));
    text_addc(out, '\n');
    json_object_put(seen);
    json_object_put(list);
}
