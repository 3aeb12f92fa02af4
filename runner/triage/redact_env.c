#include "triage/redact_env.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "base/text.h"
#include "triage/redact_keep.h"

#define NAMED_LEAST 4 /* bytes of a value */
#define OTHER_LEAST 8
#define PIECE_MOST  6  /* letters and digits together, as in py311 */
#define HEX_LEAST   16 /* what is shorter is the abbreviated hash of a commit */
#define WORD_MOST   12

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Anywhere in a name. */
static const char *const secret_parts[] = {
    "secret",     "token",     "password",    "passwd",     "passphrase", "api_key",      "apikey",
    "access_key", "accesskey", "private_key", "credential", "dbpass",     "authorization"};
/* Words of a name, between what is no letter. */
static const char *const secret_words[] = {"pass", "pwd", "creds", "cred", "jwt", "pat"};
/* These speak of one or, as often, of something else: a value that is plain words is told. */
static const char *const doubtful_words[] = {"auth",   "oauth",   "session", "key", "keys",
                                             "cookie", "cookies", "salt",    "pin", "signature",
                                             "sig",    "webhook", "license"};
/* As its last word: not the secret but something about it, as in TOKEN_TYPE. */
static const char *const about_words[] = {
    "file",   "path",   "dir",      "url",     "uri",       "endpoint",   "type",   "name",
    "method", "mode",   "ttl",      "timeout", "expiry",    "length",     "size",   "count",
    "limit",  "header", "field",    "backend", "engine",    "enabled",    "issuer", "audience",
    "host",   "port",   "required", "policy",  "algorithm", "parallelism"};
/* What a value may look drawn at random for, and be none. */
static const char *const harmless_words[] = {
    "host",    "hostname",    "domain",   "name",   "version",   "branch",   "ref",    "sha",
    "commit",  "rev",         "revision", "digest", "checksum",  "md5",      "etag",   "tag",
    "id",      "uuid",        "guid",     "image",  "os",        "platform", "arch",   "region",
    "zone",    "runner",      "node",     "pod",    "email",     "mail",     "locale", "term",
    "program", "cluster",     "date",     "time",   "timestamp", "slug",     "actor",  "author",
    "trace",   "traceparent", "hash",     "url",    "uri",       "type",     "target", "triplet"};
/* Names of what everyone has; nothing is looked for in these values. */
static const char *const safe_names[] = {"PATH",
                                         "PWD",
                                         "OLDPWD",
                                         "HOME",
                                         "USER",
                                         "LOGNAME",
                                         "SHELL",
                                         "TERM",
                                         "LANG",
                                         "LANGUAGE",
                                         "TZ",
                                         "HOSTNAME",
                                         "DISPLAY",
                                         "EDITOR",
                                         "VISUAL",
                                         "PAGER",
                                         "TMPDIR",
                                         "_",
                                         "SHLVL",
                                         "LS_COLORS",
                                         "COLORTERM",
                                         "PS1",
                                         "COLUMNS",
                                         "CI",
                                         "SSH_AUTH_SOCK",
                                         "GPG_TTY",
                                         "XAUTHORITY",
                                         "GDMSESSION",
                                         "DESKTOP_SESSION",
                                         "SESSION_MANAGER",
                                         "DBUS_SESSION_BUS_ADDRESS",
                                         "PYTEST_CURRENT_TEST",
                                         "LESSOPEN",
                                         "LESSCLOSE"};
/* The same, but some of them have a secret's name or hold one. */
static const char *const safe_patterns[] = {
    "LC_*",     "PYTEST_*",    "PYTHON*",      "PYENV*",       "VIRTUAL_ENV*",
    "GITHUB_*", "RUNNER_*",    "FD_*",         "FLAKY_REPRO*", "XDG_*",
    "DBUS_*",   "CI_COMMIT_*", "CI_PROJECT_*", "CI_JOB_*",     "CI_PIPELINE_*",
    "LD_*",     "CONDA_*",     "NVM_*",        "TERM_*",       "VSCODE_*"};
/* Passwords of examples and defaults, and words that introduce a secret: without them the patterns
 * would not know it. */
static const char *const common_words[] = {
    "true",     "false",    "none",        "null",      "undefined",  "test",       "tests",
    "testing",  "tester",   "password",    "passwd",    "pass",       "passphrase", "secret",
    "token",    "bearer",   "basic",       "digest",    "auth",       "oauth",      "authorization",
    "cookie",   "session",  "signature",   "key",       "apikey",     "api_key",    "access_token",
    "admin",    "root",     "user",        "username",  "guest",      "postgres",   "postgresql",
    "mysql",    "mariadb",  "redis",       "rabbitmq",  "minio",      "minioadmin", "mongo",
    "mongodb",  "elastic",  "changeme",    "change_me", "change-me",  "example",    "dummy",
    "fake",     "mock",     "local",       "localhost", "default",    "prod",       "production",
    "staging",  "develop",  "development", "redacted",  "[redacted]", "enabled",    "disabled",
    "required", "optional", "pytest",      "python",    "python3",    "docker",     "github",
    "gitlab",   "value",    "string",      "empty",     "unset",      "always",     "never",
    "auto",     "https",    "http",        "file",      "error",      "assert",     "self",
    "info",     "debug",    "warning"};

static bool is_one_of(const char *s, size_t n, const char *const *of, size_t of_n)
{
    for (size_t i = 0; i < of_n; i++)
        if (strlen(of[i]) == n && strncasecmp(s, of[i], n) == 0)
            return true;
    return false;
}

static bool fits(const char *name, const char *const *patterns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

static size_t word_length(const char *s)
{
    size_t n = 0;
    while (isalpha((unsigned char)s[n]))
        n++;
    return n;
}

static bool has_word(const char *name, const char *const *of, size_t of_n)
{
    for (const char *s = name; *s;) {
        size_t n = word_length(s);
        if (n && is_one_of(s, n, of, of_n))
            return true;
        s += n ? n : 1;
    }
    return false;
}

static bool last_word_is(const char *name, const char *const *of, size_t of_n)
{
    size_t end = strlen(name);
    while (end && !isalpha((unsigned char)name[end - 1]))
        end--;
    size_t from = end;
    while (from && isalpha((unsigned char)name[from - 1]))
        from--;
    return is_one_of(name + from, end - from, of, of_n);
}

static bool speaks_of_secret(const char *name)
{
    for (size_t i = 0; i < COUNT(secret_parts); i++) {
        const char *at = strcasestr(name, secret_parts[i]);
        if (at && strncasecmp(at, "tokeniz", 7) != 0)
            return true;
    }
    return has_word(name, secret_words, COUNT(secret_words));
}

bool redact_env_common(const char *value)
{
    return is_one_of(value, strlen(value), common_words, COUNT(common_words)) ||
           value[strcspn(value,
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")] == 0;
}

bool redact_env_word(const char *value)
{
    size_t n = strlen(value), letters = word_length(value), digits = strspn(value, "0123456789");
    return n < WORD_MOST && (letters == n || digits == n);
}

static bool is_path(const char *value)
{
    return value[0] == '/' || value[0] == '~' || text_starts(value, "./") ||
           text_starts(value, "../");
}

/* Letters with or without signs between them, a number: no secret by the looks of it. */
static bool is_plain(const char *value)
{
    size_t n = strlen(value);
    if (strspn(value, "0123456789.,:-") == n)
        return true;
    for (size_t i = 0; i < n; i++)
        if (!isalpha((unsigned char)value[i]) && !strchr("-_.,:/ ", value[i]))
            return false;
    return true;
}

static bool is_hex(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isxdigit((unsigned char)s[i]) && s[i] != '-')
            return false;
    return true;
}

/* No word of a language has five consonants in a row and twelve letters, but for very few. */
static bool is_unspeakable(const char *s, size_t n)
{
    size_t run = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        run = strchr("aeiouyAEIOUY", s[i]) ? 0 : run + 1;
        most = run > most ? run : most;
    }
    return n >= WORD_MOST && most >= 5;
}

static bool is_drawn(const char *piece, size_t n)
{
    size_t letters = 0, digits = 0;
    for (size_t i = 0; i < n; i++) {
        letters += isalpha((unsigned char)piece[i]) != 0;
        digits += isdigit((unsigned char)piece[i]) != 0;
    }
    if (letters == n)
        return is_unspeakable(piece, n);
    if (is_hex(piece, n))
        return letters && digits && n >= HEX_LEAST;
    return letters && digits && n > PIECE_MOST;
}

static bool looks_drawn(const char *value)
{
    size_t n = strlen(value);
    if (strpbrk(value, " \t\r\n")) /* a sentence, a list, a file */
        return false;
    if (strchr(value, '/')) /* names of files and images; base64 now and then */
        return n >= 20 && !keep_ordinary(value, n);
    if (is_hex(value, n)) /* a UUID as well */
        return is_drawn(value, n);
    if (strpbrk(value, "!#$^") && value[strcspn(value, "abcdefghijklmnopqrstuvwxyz")])
        return true;
    for (const char *s = value; *s; s += n + (s[n] != 0)) { /* py311-test, team-a1-dev */
        n = strcspn(s, "-_.:,;=+@");
        if (is_drawn(s, n))
            return true;
    }
    return false;
}

enum env_kind redact_env_kind(const char *name, const char *value)
{
    size_t n = strlen(value);
    if (n < NAMED_LEAST || is_one_of(name, strlen(name), safe_names, COUNT(safe_names)))
        return ENV_TOLD;
    if (is_path(value)) /* base64 now and then */
        return speaks_of_secret(name) && looks_drawn(value) ? ENV_SECRET : ENV_TEXT;
    if (!last_word_is(name, about_words, COUNT(about_words))) {
        if (speaks_of_secret(name))
            return redact_env_common(value) ? ENV_TOLD : ENV_SECRET;
        if (has_word(name, doubtful_words, COUNT(doubtful_words)))
            return is_plain(value) || redact_env_common(value) ? ENV_TEXT : ENV_SECRET;
    }
    if (n < OTHER_LEAST || fits(name, safe_patterns, COUNT(safe_patterns)) ||
        has_word(name, harmless_words, COUNT(harmless_words)))
        return ENV_TEXT;
    return looks_drawn(value) ? ENV_SECRET : ENV_TEXT;
}
