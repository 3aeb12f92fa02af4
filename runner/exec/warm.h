#ifndef FR_EXEC_WARM_H
#define FR_EXEC_WARM_H
/* A warm process: pytest that has collected and now forks one child per request. What is fixed
 * when an interpreter starts (hash seed, layout, import-time reads) is shared by its children. */
#include <stdbool.h>

#include "exec/channel.h"
#include "exec/child.h"
#include "exec/spawn.h"

#define WARM_KEY_MAX 512

struct warm {
    struct child proc;
    int channel;            /* our end, non-blocking; -1: none */
    struct text in;         /* bytes of a line that is not complete yet */
    struct text tail;       /* last output of the process and its children */
    char key[WARM_KEY_MAX]; /* what it holds from its start; requests must match */
    bool ready;             /* has collected */
    pid_t running;          /* the forked child, 0 when none is known */
    char folder[TRIAL_PATH_MAX];
};
#define WARM_NONE ((struct warm){.proc = CHILD_NONE, .channel = -1})

int warm_start(struct warm *w, struct launch *l, const char *key, struct err *e);
int warm_ask(struct warm *w, const char *folder, const char *nodeid, const struct recipe *r,
             struct err *e);

/* The next event if a whole line is there: 1; 0: not yet; -1: error, or the process is gone. */
int warm_event(struct warm *w, struct event *ret_event, struct err *e);

void warm_done(struct warm *w);

#endif
