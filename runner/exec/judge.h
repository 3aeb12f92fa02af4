#ifndef FR_EXEC_JUDGE_H
#define FR_EXEC_JUDGE_H
/* From what a trial left behind to its outcome. */
#include <stdbool.h>

#include "exec/channel.h"
#include "model/outcome.h"

struct ending {          /* how the process went */
    int status;          /* as waitpid gives it */
    bool by_deadline;    /* we ended it */
    bool program;        /* no pytest: its status is all there is */
    bool warm;           /* a forked child: what it ran had been collected before */
    bool others;         /* other tests came first: what they do is none of its outcome */
    const char *stack;   /* Python stacks at the deadline, or "" */
    const char *rootdir; /* paths in a stack are shown relative to it */
};

/* Reads FOLDER/r and judges the test `nodeid` (NULL: the last test reported; a file: all of its
 * tests). Fills kind, fingerprint, message, `changed` and the counts; leaves the rest of *o alone.
 * Of several copies the one that failed is judged, if one did; of a whole file that was spread, its
 * function's other cases count. A lost or torn file means the test did not finish; it is not an
 * error. */
int judge_trial(const char *folder, const char *nodeid, const struct ending *how, struct outcome *o,
                struct err *e);

/* Calls `take` for each event in FOLDER/r, stopping when it returns non-zero. */
int judge_events(const char *folder, int (*take)(void *ctx, struct event *ev), void *ctx,
                 struct err *e);

#endif
