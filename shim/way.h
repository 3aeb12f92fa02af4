#ifndef FD_WAY_H
#define FD_WAY_H
/* The way that a path takes: what every hook that is given one does first.
 *
 *     FD_WAY(AT_FDCWD, path, FD_FOLLOW, "access");
 *     return REAL(access)(path, mode);
 *
 * counts it if it lies below HOME, notes it in a watched run, and points `path` elsewhere if it is
 * to be found elsewhere. Until the block ends, a hook that a library below ours calls leaves paths
 * below a `to` alone: they are translated already. The text is then on the stack, as long as
 * it must be and no longer: signal stacks are small. A text too long for the kernel is passed on as
 * such, and the kernel says so. Safe in signal handlers and in vfork children.
 *
 * Out of reach: what libc opens by itself (getpwnam, locales, wordexp), and links outside of a
 * private HOME that lead into it. */
#include <alloca.h>
#include <fcntl.h>
#include <limits.h>
#include "shim/ambient.h"
#include "shim/live.h"
#include "shim/path.h"

enum { /* fd_live.paths */
    FD_WAY_COUNTED = 1,
    FD_WAY_TRANSLATED = 2,
    FD_WAY_WATCHED = 4,
    FD_WAY_AMBIENT = 8,
};

enum {
    FD_FOLLOW = 0,
    FD_LAST = 1,    /* the last name itself, not what it links to */
    FD_ASKS = 8,    /* with FD_LAST: only what the name is */
    FD_NEW = 2,     /* nothing that was there before is read */
    FD_PROGRAM = 4, /* to be run: found where it says, elsewhere only if it is not there */
    FD_CHANGES = 16, /* what is there is written to, or taken away */
    FD_MAKES = 32,   /* what is not there is made */
    FD_READS = 64,   /* what is there is read, or with FD_ASKS looked at; nothing else */
};
#define FD_NOFOLLOW(flags) ((flags) & AT_SYMLINK_NOFOLLOW ? FD_LAST : FD_FOLLOW)

#define FD_WAY_ROOM (PATH_MAX + 1)
#define FD_WAY_DEEP (FD_WAY_ROOM + 1) /* the room to ask for where links must be followed */
#define FD_WAY_PLANT (FD_WAY_ROOM + 2) /* and where a file is planted: then the call opens it */

#define FD_WAY(at, path, how, hook)                                                       \
    __attribute__((cleanup(fd_way_leave))) size_t path##_room =                           \
        fd_way_on() ? fd_way_look(at, path, how, hook) : 0;                               \
    if (__builtin_expect(path##_room != 0, 0)) {                                          \
        path = fd_way_make(at, path, how, alloca(path##_room), path##_room);              \
        fd_thread.inside++;                                                               \
    }

/* After it: the end of a call that must fail. `how` as before. */
#define FD_DENY(at, path, how, failed)                                                    \
    if (fd_way_ambient() &&                                                               \
        fd_ambient_denies(path##_room == FD_WAY_PLANT, at, path, how))                    \
    return failed

/* Must a write of n bytes fail, since there is no room? errno says so then. */
#define FD_NO_ROOM(fd, n, at) (fd_way_ambient() && fd_ambient_full(fd, n, at))

/* The same for what may not return: an exec in a vfork child, whose memory is its parent's. */
#define FD_WAY_OUT(at, path, how, hook)                                                   \
    size_t path##_room = fd_way_on() ? fd_way_look(at, path, how, hook) : 0;              \
    if (__builtin_expect(path##_room != 0, 0))                                            \
        path = fd_way_make(at, path, how, alloca(path##_room), path##_room)

static inline bool fd_way_on(void)
{
    return fd_live_on() && fd_live.paths;
}

/* Are there files by chance, or places that take no more? Seldom. */
static inline bool fd_way_ambient(void)
{
    return __builtin_expect(fd_way_on() && fd_live.paths & FD_WAY_AMBIENT, 0);
}

static inline bool fd_way_translates(void)
{
    return fd_live_on() && fd_live.paths & FD_WAY_TRANSLATED;
}

void fd_way_leave_plant(void);

static inline void fd_way_leave(const size_t *room)
{
    if (!*room)
        return;
    fd_thread.inside--;
    if (__builtin_expect(*room == FD_WAY_PLANT, 0))
        fd_way_leave_plant();
}

extern struct fd_paths fd_paths; /* of this process; path_start.c fills it */

/* Bytes of room that the path needs, or 0 if it is looked for where it says. */
size_t fd_way_look(int at, const char *path, unsigned int how, const char *hook);

/* Writes it there; `room` is what look() answered. */
char *fd_way_make(int at, const char *path, unsigned int how, char *buf, size_t room);

/* Where execvp would find a program that lies in a private HOME only, or NULL. */
const char *fd_way_which(const char *file, char *const *envp, char *buf, size_t size);

/* `path` (absolute) with its links resolved, PATH_MAX bytes; dots are left. False if it is not
 * there. */
bool fd_way_real(const char *path, char *ret);

/* The process stands elsewhere now. */
void fd_way_stand(void);

#endif
