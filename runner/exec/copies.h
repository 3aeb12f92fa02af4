#ifndef FR_EXEC_COPIES_H
#define FR_EXEC_COPIES_H
/* Several processes of one target at once, in one sandbox: those that have come to their test wait
 * at the descriptor FR_GATE (a byte each way) until all have. The first works in the trial's
 * folder, the others in folders c1, c2 … of it; how each ended stands in the trial's file `e`. */
#include <stdbool.h>
#include <stdint.h>

#include "base/argv.h"
#include "base/err.h"

#define COPIES_MAX 16

struct copies {
    unsigned n;
    int64_t stagger_ns;      /* from one test's beginning to the next's */
    struct argv *argv, *env; /* n of each */
    const char *ends;        /* path of the file `e` */
};

/* Of a child, before exec: what goes up the pipe `tell`. */
struct copies_failure {
    int os;         /* errno; 0: none */
    char step[202]; /* ": unshare", "" for exec itself */
};

/* In a child that has entered its sandbox, instead of exec: starts them, `tell` (closed on exec)
 * being theirs as well, lets them go, waits for them all and ends. Returns -1 with errno where one
 * could not be started. */
int copies_run(const struct copies *c, int tell);

/* The folder of copy number i of the trial in `folder`. */
void copies_folder(const char *folder, unsigned i, char *buf, size_t size);

/* Makes the file `e`, in which nobody has ended. */
int copies_ends_create(const char *path, unsigned n, struct err *e);

/* How copy i ended, as waitpid gives it; false: it has not, or there are no copies. */
bool copies_ended(const char *folder, unsigned i, int *ret_status);

#endif
