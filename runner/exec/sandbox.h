#ifndef FR_EXEC_SANDBOX_H
#define FR_EXEC_SANDBOX_H
/* What a trial's processes live in: folders shown copy-on-write, a /tmp and a network of their own,
 * no rights beyond what tests need. All of it belongs to the processes: when the last one ends it
 * is gone, and nothing was ever mounted or written outside. Paths inside are the paths outside.
 *
 * It holds tests that do no harm on purpose; it is no wall against code that wants out. */
#include <stdbool.h>
#include <stddef.h>

#include "base/argv.h"
#include "base/err.h"

#define SANDBOX_DIRS 8

/* How /tmp and /var/tmp are shown: as they are, copy-on-write, or empty; if empty, /dev/shm too. */
enum sandbox_tmp { SANDBOX_TMP_REAL, SANDBOX_TMP_COW, SANDBOX_TMP_PRIVATE };

/* Plain data, strings borrowed. Zeroed: no sandbox at all. */
struct sandbox {
    bool mounts;  /* a mount namespace, for all that follows up to `seed` */
    bool network; /* a network namespace: nothing but lo. Abstract Unix sockets are its own too */
    bool lock;    /* capabilities dropped, no_new_privs, a seccomp filter */
    bool no_aslr; /* the same addresses in every run */
    enum sandbox_tmp tmp;

    /* Folders shown copy-on-write, by absolute paths. NULL, "/", what is missing, what is no folder
     * and what is mounted read-only are passed over. One inside another has no layers of its own
     * unless something is mounted right there: all goes by the outer one's number then. */
    const char *cow[SANDBOX_DIRS];
    size_t cows;

    /* Folders that stay the real ones wherever they lie; in the other lists too: this one wins. */
    const char *keep[SANDBOX_DIRS];
    size_t keeps;

    /* Where the changes below cow[i] go: upper/i, made for it in this existing folder, or, NULL,
     * the memory, and lost with the namespace. Must not lie in a folder that is shown
     * copy-on-write. Changes below /tmp are never kept. A deleted name is a character device 0:0
     * there. */
    const char *upper;

    /* seed/i, where there is such a folder, is laid over cow[i]; or NULL. Its subfolders should
     * have the mode and time of those they lie over, for it is theirs that are seen. */
    const char *seed;
};

/* What was under way when it failed. */
struct sandbox_step {
    enum sandbox_part {
        SANDBOX_NAMESPACES,
        SANDBOX_MOUNTS,
        SANDBOX_NETWORK,
        SANDBOX_LOCK,
        SANDBOX_ASLR,
    } part;
    int folder; /* whose layers it was about: its number in cow[], SANDBOX_DIRS: /tmp, -1: none */
    char what[200]; /* "unshare", "writing uid_map", … */
};

/* In a forked child, before exec, with one thread. Ends in the same working folder, now the one
 * that is shown. 0, or -1 with errno and the step: the process is half inside then and must end. */
int sandbox_enter(const struct sandbox *box, struct sandbox_step *ret_step);

/* What of a sandbox can be had here; false too for what was not asked for. */
struct sandbox_can {
    bool mounts, network, lock, no_aslr;
    bool cow[SANDBOX_DIRS]; /* each, where its layers work, or it needs none */
    bool tmp;               /* /tmp can be shown as asked */
    bool upper;             /* changes can be kept there */
    bool user_namespace;    /* we may not mount as we are; sandbox_foreign() says what that costs */
    char why[400];          /* what was refused and by what, in order, "" if nothing */
    char hint[320];         /* what would help, "" if we do not know */
};

/* Tries it as a whole, in a process of its own with a time limit, and leaves out what is refused
 * until the rest works as a whole: namespaces, a write and a delete through each folder's layers, a
 * connection over lo, the filter. -1: no process could be started. */
int sandbox_probe(const struct sandbox *want, struct sandbox_can *ret_can, struct err *e);

/* Whether there are files below that cannot be changed through layers in a user namespace: those of
 * another owner or group. Looks at the 2,000 entries nearest to the top. */
bool sandbox_foreign(const char *folder);

/* Adds a word for each part, for the report. */
void sandbox_layers(const struct sandbox *box, struct argv *out);

#endif
