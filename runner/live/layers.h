#ifndef FR_LIVE_LAYERS_H
#define FR_LIVE_LAYERS_H
/* What the processes of a diagnosis live in: as much of the sandbox as this machine allows, and no
 * more than the watched run can do without. It must not change the question. */
#include "exec/sandbox.h"
#include "exec/spawn.h"
#include "model/finding.h"
#include "model/target.h"

struct layers {
    struct sandbox watch;   /* around the watched run */
    struct sandbox trial;   /* around every later one */
    struct sandbox_can can; /* what the machine allows */
    bool off;               /* the user wanted none */
    bool on_disk;           /* trials' changes go to disk: layers in memory do not work here */
    bool own_home, own_tmp; /* without namespaces: HOME and TMPDIR name folders of the trial's */
    struct argv folders;    /* owned: the strings that the sandboxes borrow */
    char *home;             /* HOME, or NULL */
    char *project;          /* the folder that looks like the project's */
    bool lives_in_tmp;      /* HOME or the project is /tmp: it cannot be empty */
    struct argv relaxed;    /* what was let go, each with its reason */
};

/* Finds out what is allowed. `spec` is the target as the user wrote it. */
int layers_open(struct layers *ret, const struct target *t, const char *rundir, bool off,
                struct err *e);
void layers_done(struct layers *l);

/* A file of ours, or a folder, that has to be seen in a trial also where it lies in /tmp. */
void layers_keep(struct layers *l, const char *path);

/* Lets go what the watched run was seen to need. True: the watched run itself may have missed
 * something by what it lived in, and has to be run again. */
bool layers_narrow(struct layers *l, const struct fd_seen *seen, const struct target *t);

/* The watched run failed, with this message. True: what it lived in may have made it fail, files
 * are the real ones from now on, and it has to be run again. */
bool layers_suspect(struct layers *l, const struct fd_seen *seen, const char *message);

/* Lets go one part of what is around trials, because they come out as the watched run did only
 * without; false: it is not there. */
enum layers_part { /* the least useful first */
                   LAYERS_RIGHTS,
                   LAYERS_NETWORK,
                   LAYERS_MEMORY, /* changes kept in it */
                   LAYERS_TMP,
                   LAYERS_FOLDERS,
                   LAYERS_PARTS
};
bool layers_drop(struct layers *l, enum layers_part part);

/* Whether each trial has a project of its own: else two at once would meet in it. */
bool layers_own_files(const struct layers *l);

/* Folders in which a watched run may change files: the project, and what is a copy. */
void layers_may_write(const struct layers *l, const struct target *t, const char *rundir,
                      struct fd_seen *ret);

/* The words for env.layers. */
void layers_say(const struct layers *l, struct argv *out);

#endif
