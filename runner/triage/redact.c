#include "triage/redact.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <ctype.h>
#include <pcre2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/argv.h"
#include "triage/redact_env.h"
#include "triage/redact_keep.h"

#define MATCH_LIMIT 1000000 /* steps of one match; the longest bounded run needs some thousand */
#define HEAP_LIMIT  8192    /* KiB */
#define RULES_MOST  24

/* Where a word begins, also behind the "\\n" of a text that is shown escaped. */
#define EDGE     "(?:(?<![a-z0-9])|(?<=\\\\[nrt]))"
#define RUN_EDGE "(?:(?<![\\w-])|(?<=\\\\[nrt]))"

/* `secret` is group 1 if the pattern has one, else all of it. `keep` may find it harmless. */
static const struct rule {
    const char *pattern;
    bool (*keep)(const char *s, size_t n);
} rules[] = {
    /* To its end or, where that was cut off, to the end of the text. */
    {"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]++|-(?!----END))*+"
     "(?:-----END [^\\n-]{0,60}-----)?",
     NULL},
    {RUN_EDGE "eyJ[\\w-]{5,}+(?:\\.[\\w-]*+){2,4}+", NULL},
    /* https://user:PASSWORD@host; an "@" within is a mistake that people make. */
    {"://[^\\s:/@\"'<>]{0,256}+:((?:[^\\s@/\"'<>]{0,512}+@){1,4}+)", NULL},
    {"://([^\\s:/@\"'<>]{20,512}+@)", NULL},
    {"authorization\\\\?[\"']?\\s{0,4}[:=,]\\s{0,4}(?:b?\\\\?[\"'])?"
     "(?:(?:bearer|basic|token|digest|negotiate|apikey)\\s{1,4}+)?([^\\s\"'\\\\]{2,16384}+)",
     NULL},
    {EDGE "(?:bearer|basic)\\s{1,4}+([\\w.~+/=-]{6,16384}+)", keep_scheme},
    {EDGE "(?:set-)?cookie\\\\?[\"']?\\s{0,4}[:=,]\\s{0,4}(?:b?\\\\?[\"'])?"
          "([\\w.!#$%&*+^`|~-]{1,128}+=[^\\n\"'\\\\]{1,8192}+)",
     NULL},
    {"[?&;](?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|"
     "awsaccesskeyid|(?:access_?|id_?|refresh_?|auth_?)?token|api[_-]?key|password|secret|"
     "client_secret|code(?==[^&\\s]{16})|key(?==[^&\\s]{16}))=([^&\\s\"'<>#\\\\]{1,8192}+)",
     NULL},
    {"(?:password|passwd|passphrase|(?<=[_-])pwd\\b|\\bpwd(?=\\s?[=:]\\s?[\"'])|secret|"
     "(?<!max_|max-)token(?!s\\b|s_|_count|_limit|_type|i[sz]e)|api[-_]?key|access[-_]?key|"
     "private[-_]?key|account[-_]?key|credential|\\bauth\\b|(?<=[-_])auth\\b|"
     "session[-_]?(?:id|key)|\\bsid\\b)[\\w-]{0,40}+\\\\?[\"']?\\]?\\s{0,8}+(?:=>|={1,3}|:(?!:))"
     "\\s{0,8}+"
     "(?|[rbuf]{0,2}\\\\?\"((?:[^\"\\\\\\n]++|\\\\[^\"\\n])++)|"
     "[rbuf]{0,2}\\\\?'((?:[^'\\\\\\n]++|\\\\[^'\\n])++)|([^\\s\"',;)}\\]&\\\\]{1,4096}+))",
     keep_value},
    {EDGE "auth\\s?=\\s?\\(\\s?[\"'][^\"'\\n]{0,256}+[\"'],\\s?[\"']([^\"'\\n]{1,1024}+)", NULL},
    {"(?<![\\w-])--?(?:password|passwd|passphrase|token|secret|api-?key|auth)[= ]\\s{0,4}+"
     "[\"']?([^\\s\"'-][^\\s\"']{2,1024}+)",
     keep_option},
    {EDGE "(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Z0-9])", keep_none},
    {EDGE "sk-(?:(?:live|test|ant|proj|or|svcacct|admin|lf)[-_][\\w-]{6,512}+|"
          "[a-z0-9]{16,512}+)",
     NULL},
    {EDGE "(?:[rsp]k_(?:live|test)_[a-z0-9]{8,512}+|whsec_[\\w+/=]{16,512}+)", NULL},
    {EDGE "xox[a-z]-[\\w-]{8,512}+|" EDGE "xapp-\\d-[\\w-]{8,512}+|"
          "hooks\\.slack\\.com/services/([\\w/]{8,512}+)",
     NULL},
    {EDGE "(?:gh[pousr]_[a-z0-9]{16,512}+|github_pat_\\w{16,512}+)", NULL},
    {EDGE "gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[\\w.-]{16,512}+", NULL},
    {EDGE "AIza[\\w-]{30,100}+|" EDGE "ya29\\.[\\w.-]{16,2048}+|" EDGE "GOCSPX-[\\w-]{16,256}+",
     NULL},
    {EDGE "(?:npm_[a-z0-9]{30,100}+|pypi-[\\w-]{50,1024}+|hf_[a-z0-9]{24,100}+|"
          "do[opr]_v1_[a-f0-9]{40,100}+|glsa_[\\w]{24,100}+|dapi[a-f0-9]{32}|"
          "SG\\.[\\w-]{16,64}+\\.[\\w-]{16,128}+|\\d{8,10}:AA[\\w-]{32,36}+)",
     NULL},
    {"(?<![\\w+/=-])[\\w+/=-]{20,}+", keep_ordinary},
};
#define RULES (sizeof rules / sizeof *rules)
_Static_assert(RULES <= RULES_MOST, "struct redactor has room for every rule");

struct redactor {
    struct argv values; /* of the environment, the longest first */
    pcre2_code *code[RULES_MOST];
    pcre2_match_data *match;
    pcre2_match_context *limits;
};

struct redactor *redactor_free(struct redactor *r)
{
    if (!r)
        return NULL;
    for (size_t i = 0; i < RULES; i++)
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

int redactor_new(char *const *env, struct redactor **ret, struct err *e)
{
    own_redactor struct redactor *r = mem_or_die(sizeof *r);
    redact_env_values(env, &r->values);
    r->match = pcre2_match_data_create(4, NULL);
    r->limits = pcre2_match_context_create(NULL);
    if (!r->match || !r->limits)
        return err_set(e, ERR_SYSTEM, "no memory for redaction");
    pcre2_set_match_limit(r->limits, MATCH_LIMIT);
    pcre2_set_heap_limit(r->limits, HEAP_LIMIT);
    for (size_t i = 0; i < RULES; i++)
        if (compile(rules[i].pattern, &r->code[i], e) < 0)
            return -1;
    *ret = r;
    r = NULL;
    return 0;
}

static void take_out_value(const char *value, struct text *t)
{
    const char *at = text_str(t), *next = strstr(at, value);
    if (!next)
        return;
    struct text out = {0};
    for (; next; next = strstr(at, value)) {
        text_addn(&out, at, (size_t)(next - at));
        text_add(&out, REDACTED);
        at = next + strlen(value);
    }
    text_add(&out, at);
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
    PCRE2_SIZE done = 0, from = 0, *at = pcre2_get_ovector_pointer(r->match);
    int groups;
    while (from < t->len && (groups = pcre2_match(r->code[rule], (PCRE2_SPTR)s, t->len, from, 0,
                                                  r->match, r->limits)) > 0) {
        size_t g = groups > 1 && at[2] != PCRE2_UNSET ? 2 : 0;
        size_t n = at[g + 1] - at[g];
        from = at[1];
        if (text_starts(s + at[g], REDACTED) ||
            (rules[rule].keep && rules[rule].keep(s + at[g], n)))
            continue;
        text_addn(&out, s + done, at[g] - done);
        put(s + at[g], n, &out);
        done = at[g + 1];
    }
    bool gave_up = from < t->len && groups != PCRE2_ERROR_NOMATCH;
    if (gave_up) {
        text_addn(&out, s + done, from - done);
        text_add(&out, REDACTED);
    } else if (done > 0) {
        text_add(&out, s + done);
    }
    if (done == 0 && !gave_up)
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
    for (size_t i = 0; i < RULES; i++)
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
