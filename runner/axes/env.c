/* A variable of the environment. A value is "NAME=value", "NAME=" (empty) or "-NAME" (unset); which
 * variables there are to choose from, the watched run has shown. */
#include "axes/axis.h"

#include "shim/value.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX 40 /* in all: the unlikely values of many variables are left out */
#define EACH_MAX   5  /* of one variable */
#define NOWHERE    "/nonexistent"

static const char UNSET[] = "(unset)"; /* known by its address: texts that are alike are texts */

/* What variables of known names are set to elsewhere, likely causes first; then what most tests
 * expect. Names in any case of letters. */
static const struct kind {
    const char *name;
    const char *values[EACH_MAX], *usual;
} kinds[] = {
    {"COLUMNS", {"40", "200", "0", ""}, "80"},
    {"LINES", {"10", "200", "0", ""}, "24"},
    {"HOME", {"/", UNSET, NOWHERE}, NULL},
    {"TMPDIR", {UNSET, NOWHERE}, NULL},
    {"XDG_*", {NOWHERE, UNSET, ""}, NULL},
    {"CI", {"true", UNSET}, NULL},
    {"USER", {UNSET, "root", "nobody", ""}, NULL},
    {"LOGNAME", {UNSET, "root", "nobody", ""}, NULL},
    {"NO_PROXY", {"*", UNSET}, NULL},
    {"*_PROXY", {"http://127.0.0.1:9", UNSET, ""}, NULL},
    {"TERM", {"dumb", UNSET, "xterm-256color"}, NULL},
    {"*COLOR*", {"1", UNSET, "0", ""}, NULL},
    {"*", {UNSET, "1", "flaky-repro", "0", ""}, NULL},
};

static const struct kind *kind_of(const char *name)
{
    const struct kind *k = kinds;
    while (fnmatch(k->name, name, FNM_CASEFOLD) != 0)
        k++;
    return k;
}

/* False: it does not fit the canonical text. */
static bool write_value(const char *name, const char *to, char *ret_value)
{
    own_text struct text t = {0};
    if (to == UNSET)
        text_addf(&t, "-%s", name);
    else
        text_addf(&t, "%s=%s", name, to);
    if (t.len >= SETTING_VALUE_MAX || strchr(text_str(&t), ','))
        return false;
    text_copy(ret_value, SETTING_VALUE_MAX, text_str(&t));
    return true;
}

/* The name in a value, and what it is set to: UNSET or the text. */
static const char *read_value(const char *value, char *ret_name)
{
    const char *name = value + (*value == '-'), *eq = strchr(name, '=');
    text_copy(ret_name, SETTING_VALUE_MAX, name);
    if (name > value || !eq)
        return UNSET;
    ret_name[eq - name] = 0;
    return eq + 1;
}

/* The variable as the user has it: UNSET or its text. */
static const char *own(const char *name)
{
    const char *had = getenv(name);
    return had ? had : UNSET;
}

/* The nth of the variables read, each once; NULL: there are no more. */
static const char *nth_name(const struct fd_seen *seen, size_t nth)
{
    size_t n = !seen ? 0 : seen->envs < FD_ENVS ? seen->envs : FD_ENVS;
    for (size_t i = 0; i < n; i++) {
        const char *name = seen->env[i] + 1;
        bool again = !seen->env[i][0] || !fd_env_is_name(name) || fd_env_is_plumbing(name);
        for (size_t k = 0; k < i && !again; k++)
            again = seen->env[k][0] && strcmp(seen->env[k] + 1, name) == 0;
        if (!again && nth-- == 0)
            return name;
    }
    return NULL;
}

static bool is_demanded(const struct fd_seen *seen, const char *name)
{
    size_t n = !seen ? 0 : seen->envs < FD_ENVS ? seen->envs : FD_ENVS;
    for (size_t i = 0; i < n; i++)
        if (seen->env[i][0] == FD_READ_DEMANDED && strcmp(seen->env[i] + 1, name) == 0)
            return true;
    return false;
}

/* The likeliest value of each variable, then the next one of each. */
static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    size_t given = 0;
    for (size_t k = 0; k < EACH_MAX; k++) {
        const char *name;
        for (size_t i = 0; (name = nth_name(v->watched, i)); i++) {
            const char *to = kind_of(name)->values[k];
            if (!to || strcmp(to, own(name)) == 0 || !write_value(name, to, ret_value))
                continue;
            if (given++ == nth)
                return nth < VALUES_MAX;
        }
    }
    return false;
}

/* As the user has it, then as most tests expect it, then simply otherwise. */
static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    char name[SETTING_VALUE_MAX];
    (void)v;
    if (!failing)
        return false;
    const char *fails = read_value(failing, name), *before[4] = {fails};
    const char *const tries[] = {own(name), kind_of(name)->usual, UNSET};
    size_t n = 1;
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        bool again = !tries[i];
        for (size_t k = 0; k < n && !again; k++)
            again = strcmp(before[k], tries[i]) == 0;
        if (again || !write_value(name, tries[i], ret_value))
            continue;
        before[n++] = tries[i];
        if (nth-- == 0)
            return true;
    }
    return false;
}

/* An address, a path or a secret: no other will do. */
static bool is_particular(const char *name, const char *text)
{
    static const char *const names[] = {"*KEY*", "*TOKEN*",  "*SECRET*", "*PASS*", "*CRED*",
                                        "*DSN*", "*_UR[LI]", "*_HOST",   "*_PORT", "*_PATH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fnmatch(names[i], name, FNM_CASEFOLD) == 0)
            return true;
    return strpbrk(text, "/:@") != NULL;
}

/* What is set here and asked for without an alternative the test needs of its machine. */
static bool requirement(const struct axis_view *v, const char *value)
{
    char name[SETTING_VALUE_MAX];
    const char *to = read_value(value, name), *had = own(name);
    if (strcmp(to, NOWHERE) == 0)
        return true;
    /* Another home lacks what was read there, and that is all it says. */
    if (strcmp(name, "HOME") == 0 && v && v->watched && v->watched->needs >> FD_NEED_HOME & 1)
        return true;
    if (had == UNSET || !is_demanded(v ? v->watched : NULL, name))
        return false;
    return to == UNSET || is_particular(name, had);
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    char name[SETTING_VALUE_MAX];
    const char *text = value + (*value == '-');
    (void)read_value(value, name);
    if (!fd_env_is_name(text) || (*value == '-') == (strchr(value, '=') != NULL)) {
        err_set(e, ERR_USAGE, "env=\"%s\" is not a variable", value);
        return err_hint(e, "write env=NAME=value, env=NAME= for an empty one, env=-NAME to remove");
    }
    if (fd_env_is_plumbing(name))
        return err_set(e, ERR_USAGE, "env=\"%s\": %s is not held by this axis", value, name);
    argv_add(&r->env, text);
    r->page.held |= axis_bit(FD_AXIS_ENV);
    return 0;
}

static void command(const char *value, struct text *out)
{
    char name[SETTING_VALUE_MAX];
    const char *to = read_value(value, name);
    if (*value == '-') {
        text_addf(out, "env -u %s ", name);
        return;
    }
    text_addf(out, "%s=", name);
    text_add_quoted(out, to);
    text_addc(out, ' ');
}

const struct axis axis_ENV = {
    .catches = "COLUMNS, HOME, USER, CI and every other variable that the test reads",
    .held_by = "one variable of each process, set, empty or removed",
    .by_hand = "NAME=value, env -u NAME",
    .at_start = true,
    .has_hook = true,
    .provoke = provoke,
    .benign = benign,
    .requirement = requirement,
    .apply = apply,
    .command = command,
};
