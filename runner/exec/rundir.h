#ifndef FR_EXEC_RUNDIR_H
#define FR_EXEC_RUNDIR_H
/* The folder in which a diagnosis keeps its trials, and the keeper: a process of ours that does
 * nothing until we are gone, however we went, and then ends what we started and removes the
 * folder. It finds our processes by FD_PAGE in their environment, which points below the folder,
 * so a daemon that left its group and its parents is found too. */
#include "base/err.h"
#include "base/text.h"

struct rundir {
    char path[64]; /* "/tmp/fr-a1b2c3": short, since a socket's path holds 108 bytes */
    unsigned next; /* number of the next trial */
    int keeper_fd; /* closing it sets the keeper off */
    int keeper_pid;
};
#define RUNDIR_NONE ((struct rundir){.keeper_fd = -1})

int rundir_open(struct rundir *ret_dir, struct err *e);
void rundir_done(struct rundir *d); /* ends strays, removes the folder; waits for the keeper */

/* Makes the next trial's folder and puts its path in buf. */
#define TRIAL_PATH_MAX 80
int rundir_trial(struct rundir *d, char buf[static TRIAL_PATH_MAX], struct err *e);

#endif
