#include "base/argv.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void argv_done(struct argv *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->at[i]);
    free(v->at);
    *v = (struct argv){0};
}

static void add_owned(struct argv *v, char *s)
{
    if (v->n + 2 > v->room) {
        v->room = v->room ? v->room * 2 : 16;
        v->at = mem_grow_or_die(v->at, v->room * sizeof *v->at);
    }
    v->at[v->n++] = s;
    v->at[v->n] = NULL;
}

void argv_add(struct argv *v, const char *s)
{
    add_owned(v, str_or_die(s));
}

void argv_addf(struct argv *v, const char *fmt, ...)
{
    struct text t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_addv(&t, fmt, ap);
    va_end(ap);
    add_owned(v, text_take(&t));
}

bool argv_has(const struct argv *v, const char *s)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->at[i], s) == 0)
            return true;
    return false;
}

void argv_pop(struct argv *v)
{
    if (v->n == 0)
        return;
    free(v->at[--v->n]);
    v->at[v->n] = NULL;
}

void argv_copy(struct argv *to, const struct argv *from)
{
    for (size_t i = 0; i < from->n; i++)
        argv_add(to, from->at[i]);
}

static size_t env_find(const struct argv *v, const char *name)
{
    size_t len = strlen(name), i = 0;
    while (i < v->n && !(strncmp(v->at[i], name, len) == 0 && v->at[i][len] == '='))
        i++;
    return i;
}

void argv_env_drop(struct argv *v, const char *name)
{
    size_t i;
    while ((i = env_find(v, name)) < v->n) {
        free(v->at[i]);
        v->at[i] = v->at[--v->n];
        v->at[v->n] = NULL;
    }
}

void argv_env_set(struct argv *v, const char *name, const char *value)
{
    argv_env_drop(v, name);
    argv_addf(v, "%s=%s", name, value);
}

const char *argv_env_get(const struct argv *v, const char *name)
{
    size_t i = env_find(v, name);
    return i < v->n ? v->at[i] + strlen(name) + 1 : NULL;
}
