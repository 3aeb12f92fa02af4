#ifndef FR_CLI_OUTPUT_H
#define FR_CLI_OUTPUT_H
/* The file a report goes to: found unfit before any run, replaced whole at the end. */
#include "base/err.h"
#include "base/text.h"

/* Creates missing folders and makes sure that path can be written; leaves the file as it is. `what`
 * and `option` are for the error: "the JSON report", "--json PATH". */
int output_fit(const char *path, const char *what, const char *option, struct err *e);
int output_check(const char *path, struct err *e); /* the JSON report of --json */
int output_write(const char *path, const struct text *t, struct err *e);
int output_replace(const char *path, const struct text *t, struct err *e); /* not flushed */

/* Removes the file that an earlier run left there, and nothing else: no folder, device or link.
 * NULL: there is none. */
int output_forget(const char *path, struct err *e);

#endif
