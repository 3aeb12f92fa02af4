#ifndef FR_TRIAGE_PROVIDER_H
#define FR_TRIAGE_PROVIDER_H
/* What turns a failure into a verdict: one row in provider.c and one file each. A provider only
 * carries a question and brings its answer; what is common (budget, cache, giving up) is chain.h.
 *
 * It keeps its deadline itself: each waits on a descriptor or through libcurl, and a program that
 * does not answer is killed. No provider runs in a thread. */
#include <stdbool.h>
#include <stdint.h>

#include "base/argv.h"
#include "base/err.h"
#include "triage/failure.h"

enum asked {
    ASKED_ANSWERED, /* the verdict is set */
    ASKED_FAILED,   /* the error is set */
    ASKED_LATE,     /* past the deadline */
};

struct inquiry {
    const struct failure *failure; /* without secrets, cut */
    const char *nodeid;            /* without secrets */
    int64_t deadline_ns;           /* monotonic */
};

struct provider_setup {
    const char *name;                /* as the user wrote it */
    char *const *env;                /* as environ */
    const char *python;              /* interpreter for providers in Python, or NULL */
    const struct argv *entry_points; /* names of providers in Python that are installed, or NULL */
};

struct provider {
    const struct provider_kind *kind;
    void *state;
    char model[128]; /* the model's name, "" where there is none */
};
#define PROVIDER_INIT ((struct provider){0})

struct provider_kind {
    const char *word; /* "fake"; "command:" has its own words behind it */
    /* Reads its variables. -1 with ERR_USAGE where something is missing; asks nobody yet. */
    int (*open)(const struct provider_setup *s, struct provider *p, struct err *e);
    enum asked (*ask)(struct provider *p, const struct inquiry *q, struct opinion *ret,
                      struct err *e);
    void (*close)(struct provider *p); /* or NULL */
};

extern const struct provider_kind provider_fake, provider_oauth_fake, provider_anthropic,
    provider_gigachat, provider_openai, provider_command, provider_python;

/* Whether the name means anything, and in whose language it is asked. */
const struct provider_kind *provider_find(const struct provider_setup *s);
void provider_names(const struct provider_setup *s, struct text *out); /* "anthropic, fake, …" */

int provider_open(const struct provider_setup *s, struct provider *ret, struct err *e);
void provider_close(struct provider *p); /* one that is not open too */
#define own_provider __attribute__((cleanup(provider_close)))

/* A variable of the setup's environment; an empty one counts as absent: NULL. */
const char *provider_variable(const struct provider_setup *s, const char *name);

#endif
