#ifndef FR_CLI_SAY_H
#define FR_CLI_SAY_H
/* The two streams: stdout holds the result and nothing else, stderr all the rest. */
#include "base/err.h"
#include "base/text.h"
#include "cli/status.h"

/* Writes to stdout. A reader that went away (a closed pipe) is no error. */
int say_result(const struct text *t, struct err *e);

void say_text(const struct text *t);                                       /* to stderr, as it is */
void say_note(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* "flaky-repro: …" */

/* Prints an error and its hint, and gives the status to exit with. */
enum status say_error(const struct err *e);

#endif
