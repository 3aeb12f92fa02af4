#ifndef FR_TRIAGE_REDACT_ENV_H
#define FR_TRIAGE_REDACT_ENV_H
/* Which values of the environment must not be told. By the name, if it speaks of a secret: from 4
 * bytes. By the look of the value, of all others: from 8 bytes, unless the name says what it is (a
 * host, a branch, a version …) or it looks like a path, words, a number or a short hash. Pure. */
#include <stdbool.h>
#include <stddef.h>

enum env_kind {
    ENV_TOLD,   /* no secret, whatever stands in it */
    ENV_TEXT,   /* none itself; one may stand in it, as in the URL of a database */
    ENV_SECRET, /* wherever it appears */
};
enum env_kind redact_env_kind(const char *name, const char *value);

/* A password that everybody has, as "test" or "postgres": to take it out of a text hides nothing
 * and leaves nothing to read. Where it is assigned to a name it goes like any other. */
bool redact_env_common(const char *value);

/* Letters or digits alone and few: they are a secret only where they stand as a word. */
bool redact_env_word(const char *value);

#endif
