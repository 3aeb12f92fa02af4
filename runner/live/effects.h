#ifndef FR_LIVE_EFFECTS_H
#define FR_LIVE_EFFECTS_H
/* What the first run did to the world outside: to repeat that hundreds of times is the user's to
 * allow. What is harmless is said in docs/manual.md, "What is held back". */
#include "model/finding.h"

/* Fills up to EFFECTS_MAX of ret; returns how many. `command`: the target is a program that is not
 * pytest, and what it starts is a part of it. */
size_t effects_find(const struct fd_seen *seen, bool command, struct effect *ret);

/* Whether the program is Python's, or Python was started by it. */
bool effects_python(const struct fd_seen *seen, const char *program);

#endif
