#ifndef FR_EXEC_SPAWN_H
#define FR_EXEC_SPAWN_H
/* A pytest that we start: its command line, its environment, what it lives in. */
#include "exec/child.h"
#include "exec/rundir.h"
#include "model/recipe.h"
#include "model/target.h"

struct site {                  /* where our own parts are; all absolute */
    const char *lib;           /* libfd.so */
    const char *plugin;        /* folder that holds the package flaky_repro */
    const struct sandbox *box; /* what processes live in; NULL: nothing of ours */
    bool upper_on_disk;        /* changes to what is shown copy-on-write go to the trial's folder */
    bool own_home, own_tmp;    /* HOME and TMPDIR name empty folders of the trial's */
};

struct launch {
    const struct target *target;
    const struct site *site;
    const struct recipe *recipe;
    const char *folder; /* the trial's, or the warm process's own */
    const char *rundir;
    int channel; /* -1: a fresh run */
    /* What to run: a node id, or the target as the user wrote it. Where the recipe has tests before
     * it, and in a warm process of their scope, those are selected as well. */
    const char *select;
    bool scoped; /* collect all of target->scope */
};

/* Starts it; the channel, if there is one, stays open in it. `terminal`: what it prints stays the
 * user's. */
int spawn_start(const struct launch *l, bool terminal, struct child *ret_child, struct err *e);

#endif
