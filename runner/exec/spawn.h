#ifndef FR_EXEC_SPAWN_H
#define FR_EXEC_SPAWN_H
/* The command line and environment of a pytest that we start. */
#include "exec/rundir.h"
#include "exec/sandbox.h"
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
    int channel;        /* -1: a fresh run */
    const char *select; /* what to run: a node id, or the target as the user wrote it */
};

/* What the processes of this launch live in: site->box, its changes where they go. Fills what it
 * returns, or returns NULL. */
struct spawn_box {
    struct sandbox box;
    char upper[TRIAL_PATH_MAX + 4];
};
const struct sandbox *spawn_box(const struct launch *l, struct spawn_box *buf);

void spawn_argv(const struct launch *l, struct argv *out);
void spawn_env(const struct launch *l, struct argv *out);

#endif
