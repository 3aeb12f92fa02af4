#ifndef FR_BASE_ARGV_H
#define FR_BASE_ARGV_H
/* A NULL-terminated vector of strings it owns, as execve takes it. Zeroed is empty and valid. */
#include <stdbool.h>
#include <stddef.h>

struct argv {
    char **at; /* at[n] is NULL once anything was added; NULL while empty */
    size_t n, room;
};

void argv_done(struct argv *v);
#define own_argv __attribute__((cleanup(argv_done)))

void argv_add(struct argv *v, const char *s);
void argv_addf(struct argv *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool argv_has(const struct argv *v, const char *s);
void argv_pop(struct argv *v);                            /* removes the last, if there is one */
void argv_copy(struct argv *to, const struct argv *from); /* appends */

/* The vector as an environment: set replaces or adds NAME=value, drop removes NAME. */
void argv_env_set(struct argv *v, const char *name, const char *value);
void argv_env_drop(struct argv *v, const char *name);
const char *argv_env_get(const struct argv *v, const char *name); /* NULL if absent */

#endif
