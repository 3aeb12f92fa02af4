#include "triage/redact.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <ctype.h>
#include <pcre2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/argv.h"
#include "triage/redact_env.h"
#include "triage/redact_rules.h"

#define MATCH_LIMIT  1000000 /* steps of one match; the longest bounded run needs some thousand */
#define HEAP_LIMIT   8192    /* KiB */
#define SECRET_LEAST 4       /* bytes of what is looked for wherever it stands */
#define VALUES_MOST  512

struct redactor {
    struct argv values; /* of the environment, the longest first */
    pcre2_code *code[REDACT_RULES];
    pcre2_match_data *match;
    pcre2_match_context *limits;
};

struct redactor *redactor_free(struct redactor *r)
{
    if (!r)
        return NULL;
    for (size_t i = 0; i < REDACT_RULES; i++)
        pcre2_code_free(r->code[i]);
    pcre2_match_data_free(r->match);
    pcre2_match_context_free(r->limits);
    argv_done(&r->values);
    free(r);
    return NULL;
}

void redactor_limit(struct redactor *r, unsigned steps)
{
    pcre2_set_match_limit(r->limits, steps);
}

static int compile(const char *pattern, pcre2_code **ret, struct err *e)
{
    int code;
    PCRE2_SIZE at;
    *ret =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_CASELESS, &code, &at, NULL);
    if (!*ret)
        return err_set(e, ERR_BUG, "a pattern of redaction is wrong at %zu: %.40s", (size_t)at,
                       pattern);
    /* Where the machine allows no code to be made, patterns are interpreted: slower, the same. */
    (void)pcre2_jit_compile(*ret, PCRE2_JIT_COMPLETE);
    return 0;
}

struct search {
    size_t rule;
    const char *s;
    size_t n, from;        /* where it goes on */
    size_t secret, length; /* what was found */
    bool gave_up;          /* at `from`, for the match limit */
};

static bool next_secret(struct redactor *r, struct search *at)
{
    const struct redact_rule *rule = &redact_rules[at->rule];
    PCRE2_SIZE *found = pcre2_get_ovector_pointer(r->match);
    int groups = 1;
    while (at->from < at->n && (groups = pcre2_match(r->code[at->rule], (PCRE2_SPTR)at->s, at->n,
                                                     at->from, 0, r->match, r->limits)) > 0) {
        size_t g = groups > 1 && found[2] != PCRE2_UNSET ? 2 : 0;
        at->secret = found[g];
        at->length = found[g + 1] - found[g];
        at->from = found[1];
        const char *secret = at->s + at->secret;
        if (!text_starts(secret, REDACTED) && !(rule->keep && rule->keep(secret, at->length)))
            return true;
    }
    at->gave_up = at->from < at->n && groups != PCRE2_ERROR_NOMATCH;
    return false;
}

static void add_value(struct redactor *r, const char *s, size_t n)
{
    own_text struct text value = {0};
    text_addn(&value, s, n);
    if (n >= SECRET_LEAST && !redact_env_common(text_str(&value)))
        argv_add(&r->values, text_str(&value));
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* In a URL "%40" stands for "@": the program that reads it shows either. */
static void add_decoded(struct redactor *r, const char *s, size_t n)
{
    own_text struct text plain = {0};
    for (size_t i = 0; i < n; i++) {
        bool escaped = s[i] == '%' && i + 2 < n && isxdigit((unsigned char)s[i + 1]) &&
                       isxdigit((unsigned char)s[i + 2]);
        text_addc(&plain, escaped ? (char)(hex_digit(s[i + 1]) * 16 + hex_digit(s[i + 2])) : s[i]);
        i += escaped ? 2 : 0;
    }
    if (strlen(text_str(&plain)) == plain.len && plain.len < n)
        add_value(r, text_str(&plain), plain.len);
}

/* What the patterns find in it, as the password in the URL of a database, is a secret wherever it
 * stands. */
static void take_parts(struct redactor *r, const char *value)
{
    for (size_t rule = 0; rule < REDACT_RULES; rule++) {
        struct search at = {.rule = rule, .s = value, .n = strlen(value)};
        while (next_secret(r, &at)) {
            const char *secret = value + at.secret;
            size_t n = at.length - (secret[at.length - 1] == '@'); /* of a URL */
            add_value(r, secret, n);
            add_decoded(r, secret, n);
        }
    }
}

static void take_variable(struct redactor *r, const char *variable)
{
    const char *equals = strchr(variable, '=');
    own_text struct text name = {0};
    if (!equals)
        return;
    text_addn(&name, variable, (size_t)(equals - variable));
    switch (redact_env_kind(text_str(&name), equals + 1)) {
    case ENV_TOLD:
        break;
    case ENV_SECRET:
        argv_add(&r->values, equals + 1);
        take_parts(r, equals + 1);
        break;
    case ENV_TEXT:
        take_parts(r, equals + 1);
        break;
    }
}

static int longest_first(const void *a, const void *b)
{
    size_t n = strlen(*(char *const *)a), m = strlen(*(char *const *)b);
    return n < m ? 1 : n > m ? -1 : strcmp(*(char *const *)a, *(char *const *)b);
}

int redactor_new(char *const *env, struct redactor **ret, struct err *e)
{
    own_redactor struct redactor *r = mem_or_die(sizeof *r);
    r->match = pcre2_match_data_create(4, NULL);
    r->limits = pcre2_match_context_create(NULL);
    if (!r->match || !r->limits)
        return err_set(e, ERR_SYSTEM, "no memory for redaction");
    pcre2_set_match_limit(r->limits, MATCH_LIMIT);
    pcre2_set_heap_limit(r->limits, HEAP_LIMIT);
    for (size_t i = 0; i < REDACT_RULES; i++)
        if (compile(redact_rules[i].pattern, &r->code[i], e) < 0)
            return -1;
    for (; env && *env && r->values.n < VALUES_MOST; env++)
        take_variable(r, *env);
    if (r->values.n)
        qsort(r->values.at, r->values.n, sizeof *r->values.at, longest_first);
    *ret = r;
    r = NULL;
    return 0;
}

/* A short word stands alone: it is not looked for within another. */
static bool stands(const char *text, const char *at, size_t n, bool word)
{
    return !word ||
           ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]));
}

static void take_out_value(const char *value, struct text *t)
{
    const char *text = text_str(t), *done = text, *next = strstr(text, value);
    size_t n = strlen(value);
    bool word = redact_env_word(value);
    struct text out = {0};
    for (; next; next = strstr(next + n, value)) {
        if (!stands(text, next, n, word))
            continue;
        text_addn(&out, done, (size_t)(next - done));
        text_add(&out, REDACTED);
        done = next + n;
    }
    if (done == text)
        return;
    text_add(&out, done);
    text_done(t);
    *t = out;
}

/* What is taken out of a URL keeps its "@". */
static void put(const char *secret, size_t n, struct text *out)
{
    text_add(out, REDACTED);
    if (secret[n - 1] == '@')
        text_addc(out, '@');
}

static void apply(struct redactor *r, size_t rule, struct text *t)
{
    struct text out = {0};
    const char *s = text_str(t);
    struct search at = {.rule = rule, .s = s, .n = t->len};
    size_t done = 0;
    while (next_secret(r, &at)) {
        text_addn(&out, s + done, at.secret - done);
        put(s + at.secret, at.length, &out);
        done = at.secret + at.length;
    }
    if (at.gave_up) {
        text_addn(&out, s + done, at.from - done);
        text_add(&out, REDACTED);
    } else if (done > 0) {
        text_add(&out, s + done);
    }
    if (done == 0 && !at.gave_up)
        return;
    text_done(t);
    *t = out;
}

void redact_text(struct redactor *r, const char *s, struct text *out)
{
    if (!r) {
        text_add(out, s);
        return;
    }
    own_text struct text t = {0};
    text_add(&t, s);
    for (size_t i = 0; i < r->values.n; i++)
        take_out_value(r->values.at[i], &t);
    for (size_t i = 0; i < REDACT_RULES; i++)
        apply(r, i, &t);
    text_add(out, text_str(&t));
}

void redact_nodeid(struct redactor *r, const char *nodeid, struct text *out)
{
    const char *open = strchr(nodeid, '['), *close = strrchr(nodeid, ']');
    if (!r || !open || !close || close < open) {
        text_add(out, nodeid);
        return;
    }
    own_text struct text inner = {0};
    text_addn(&inner, open + 1, (size_t)(close - open - 1));
    text_addn(out, nodeid, (size_t)(open + 1 - nodeid));
    redact_text(r, text_str(&inner), out);
    text_add(out, close);
}
