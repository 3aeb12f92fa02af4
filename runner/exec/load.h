#ifndef FR_EXEC_LOAD_H
#define FR_EXEC_LOAD_H
/* Busy processes beside a run: what a machine does that has others to serve. They have the run's
 * own priority, do nothing but run, and end with it. */
#include "exec/child.h"

struct load {
    struct child *at;
    unsigned n;
};

int load_start(struct load *l, unsigned n, struct err *e);
void load_done(struct load *l); /* ends them */

#endif
