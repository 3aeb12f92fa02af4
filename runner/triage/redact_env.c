#include "triage/redact_env.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

#define NAMED_LEAST 4 /* bytes of a value */
#define OTHER_LEAST 8
#define PIECE_MOST  6 /* letters and digits together, as in py311 */
#define VALUES_MOST 512

static const char *const secret_names[] = {"secret",     "token",       "password",   "passwd",
                                           "passphrase", "api_key",     "apikey",     "access_key",
                                           "accesskey",  "private_key", "credential", "auth",
                                           "session",    "_pwd",        "cookie",     "signature"};
/* Their values are names of things everyone has. */
static const char *const safe_names[] = {
    "PATH",
    "PWD",
    "OLDPWD",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LANGUAGE",
    "LC_*",
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
    "PYTEST_*",
    "PYTHON*",
    "PYENV*",
    "VIRTUAL_ENV*",
    "PS1",
    "COLUMNS",
    "CI",
    "GITHUB_REF*",
    "GITHUB_REPOSITORY*",
    "GITHUB_ACTOR",
    "GITHUB_JOB",
    "GITHUB_WORKFLOW*",
    "RUNNER_*",
    "FD_*",
    "FLAKY_REPRO*",
    "XDG_*",
    "DBUS_*",
    "SSH_AUTH_SOCK",
    "DESKTOP_SESSION",
    "GITHUB_*_NAME",
    "CI_COMMIT_REF*",
    "CI_PROJECT_*",
    "CI_JOB_NAME*",
    "GPG_TTY",
    "XAUTHORITY",
    "GDMSESSION",
    "LD_*",
};

static bool contains(const char *lower, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(lower, words[i]))
            return true;
    return false;
}

static bool is_safe(const char *name)
{
    for (size_t i = 0; i < sizeof safe_names / sizeof *safe_names; i++)
        if (fnmatch(safe_names[i], name, 0) == 0)
            return true;
    return false;
}

static bool is_path(const char *value)
{
    return value[0] == '/' || value[0] == '~' || text_starts(value, "./") ||
           text_starts(value, "../");
}

static bool is_mixed(const char *s, size_t n)
{
    bool letter = false, digit = false;
    for (size_t i = 0; i < n; i++) {
        letter = letter || isalpha((unsigned char)s[i]);
        digit = digit || isdigit((unsigned char)s[i]);
    }
    return letter && digit;
}

/* A word, a number, a hash: what ordinary text is full of. */
static bool is_ordinary(const char *value)
{
    size_t n = strlen(value), hex = strspn(value, "0123456789abcdef-");
    if (hex == n)
        return true;
    if (strpbrk(value, " \t\n/")) /* a sentence, or names of files and images */
        return true;
    for (const char *s = value; *s; s += n + (s[n] != 0)) { /* py311-test, team-a1-dev */
        n = strcspn(s, "-_.:,=+@");
        if (n > PIECE_MOST && is_mixed(s, n))
            return false;
    }
    return true;
}

static bool is_told(const char *name, const char *value)
{
    own_text struct text lower = {0};
    for (const char *s = name; *s; s++)
        text_addc(&lower, (char)tolower((unsigned char)*s));
    size_t n = strlen(value);
    if (n < NAMED_LEAST || is_safe(name) || is_path(value))
        return true;
    if (contains(text_str(&lower), secret_names, sizeof secret_names / sizeof *secret_names))
        return strcmp(value, "true") == 0 || strcmp(value, "false") == 0 ||
               strcmp(value, "none") == 0;
    return n < OTHER_LEAST || is_ordinary(value);
}

static int longest_first(const void *a, const void *b)
{
    size_t n = strlen(*(char *const *)a), m = strlen(*(char *const *)b);
    return n < m ? 1 : n > m ? -1 : strcmp(*(char *const *)a, *(char *const *)b);
}

void redact_env_values(char *const *env, struct argv *out)
{
    size_t had = out->n;
    for (; env && *env && out->n - had < VALUES_MOST; env++) {
        const char *equals = strchr(*env, '=');
        if (!equals)
            continue;
        own_text struct text name = {0};
        text_addn(&name, *env, (size_t)(equals - *env));
        if (!is_told(text_str(&name), equals + 1))
            argv_add(out, equals + 1);
    }
    if (out->n > had)
        qsort(out->at + had, out->n - had, sizeof *out->at, longest_first);
}
