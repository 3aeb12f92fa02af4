#ifndef FR_TRIAGE_REDACT_ENV_H
#define FR_TRIAGE_REDACT_ENV_H
/* Values of the environment that must not be told: those of variables whose name speaks of a
 * secret, from 4 bytes; of any other variable from 8, unless it is known to be harmless or looks
 * like a path, a word, a number or a hash. */
#include "base/argv.h"

/* Adds them, the longest first. env: as environ. */
void redact_env_values(char *const *env, struct argv *out);

#endif
