#ifndef FR_EXEC_SANDBOX_IMPL_H
#define FR_EXEC_SANDBOX_IMPL_H
/* What the sandbox's files share. */
#include "exec/sandbox.h"

/* Notes what was under way; -1, errno as it was. */
int sandbox_failed(struct sandbox_step *at, enum sandbox_part part, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether we may mount as we are, without a user namespace. */
bool sandbox_may_mount(void);

/* Inside a mount namespace of our own: shows the folders as `box` says. */
int sandbox_mount(const struct sandbox *box, bool user_ns, struct sandbox_step *at);

enum place_kind { PLACE_REAL, PLACE_COW, PLACE_EMPTY, PLACE_LINK };

struct place { /* a path on which something is mounted */
    enum place_kind kind;
    char *path;    /* without links */
    char *link;    /* a link's words */
    int real;      /* what is there without us, O_PATH; -1: a link */
    int cow;       /* its number in the list of folders, -1: none */
    bool found;    /* not asked for: a mount below a place */
    bool is_mount; /* something is mounted right there: layers of an outer place do not reach it */
};

struct plan {
    const struct sandbox *box;
    struct sandbox_step *at;
    bool plain; /* real root's mounts: layers keep notes in attributes that only it may set */
    struct place *place;
    size_t n, room;
    int upper, seed; /* the folders of those names, -1: none */
    int stage;       /* the file system in memory that takes changes, -1: not there yet */
};

/* Outer places first, each once, and only those that change what is seen. */
int plan_make(struct plan *p);
void plan_done(struct plan *p);
#define own_plan __attribute__((cleanup(plan_done)))

/* The innermost of the first n places around a path, or NULL. */
struct place *plan_around(const struct plan *p, size_t n, const char *path);
bool place_is_below(const char *path, const char *top);

#endif
