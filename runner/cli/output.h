#ifndef FR_CLI_OUTPUT_H
#define FR_CLI_OUTPUT_H
/* The file a report goes to: found unfit before any run, replaced whole at the end. */
#include "base/err.h"
#include "base/text.h"

/* Creates missing folders and makes sure that path can be written; leaves the file as it is. */
int output_check(const char *path, struct err *e);
int output_write(const char *path, const struct text *t, struct err *e);

#endif
