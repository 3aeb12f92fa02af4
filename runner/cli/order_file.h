#ifndef FR_CLI_ORDER_FILE_H
#define FR_CLI_ORDER_FILE_H
/* --order-file: the tests of a run that failed, in the order in which it ran them. */
#include "base/argv.h"
#include "base/err.h"

/* One node id a line; empty lines count for nothing. What stands at and below `target` ran later
 * and is left out. */
int order_read(const char *path, const char *target, struct argv *ret_before, struct err *e);

#endif
