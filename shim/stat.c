/* The stat family: what the kernel stamped during the run moves with the shown clock. A name that
 * this libc lacks (stat before 2.33, __xstat for new links since) is served by the system call,
 * whose struct is the same on the machines we know. */
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include <fcntl.h>

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one struct stat on 64-bit machines");

static void move(struct timespec *t)
{
    int64_t ns = fd_ns(t);
    if (ns < fd_live.newer_ns) /* most files: no division, no look at the clock */
        return;
    *t = fd_timespec(fd_clock_of_stamp(ns));
}

/* A library below us may serve one of these names with another: only the outermost call moves. */
static void enter(void)
{
    fd_thread.depth++;
}

static bool leave(int ret)
{
    return --fd_thread.depth == 0 && ret == 0 && fd_live_on() && fd_live.altered;
}

static int left(int ret, void *buf)
{
    struct stat *s = buf;
    if (leave(ret)) {
        move(&s->st_atim);
        move(&s->st_mtim);
        move(&s->st_ctim);
    }
    return ret;
}

static int by_path(int fd, const char *path, void *s, int flags)
{
    return (int)fd_raw_result(FD_SYS4(SYS_newfstatat, fd, path, s, flags));
}

static int by_fd(int fd, void *s)
{
    return (int)fd_raw_result(FD_SYS2(SYS_fstat, fd, s));
}

#define STAT(name, ret_params, call, instead)               \
    FD_EXPORT int name ret_params                           \
    {                                                       \
        enter();                                            \
        return left(REAL(name) ? real_##name call : instead, s); \
    }

STAT(stat, (const char *path, struct stat *s), (path, s), by_path(AT_FDCWD, path, s, 0))
STAT(stat64, (const char *path, struct stat64 *s), (path, s), by_path(AT_FDCWD, path, s, 0))
STAT(lstat, (const char *path, struct stat *s), (path, s),
     by_path(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW))
STAT(lstat64, (const char *path, struct stat64 *s), (path, s),
     by_path(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW))
STAT(fstat, (int fd, struct stat *s), (fd, s), by_fd(fd, s))
STAT(fstat64, (int fd, struct stat64 *s), (fd, s), by_fd(fd, s))
STAT(fstatat, (int fd, const char *path, struct stat *s, int flags), (fd, path, s, flags),
     by_path(fd, path, s, flags))
STAT(fstatat64, (int fd, const char *path, struct stat64 *s, int flags), (fd, path, s, flags),
     by_path(fd, path, s, flags))
STAT(__xstat, (int v, const char *path, struct stat *s), (v, path, s),
     ((void)v, by_path(AT_FDCWD, path, s, 0)))
STAT(__xstat64, (int v, const char *path, struct stat64 *s), (v, path, s),
     ((void)v, by_path(AT_FDCWD, path, s, 0)))
STAT(__lxstat, (int v, const char *path, struct stat *s), (v, path, s),
     ((void)v, by_path(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW)))
STAT(__lxstat64, (int v, const char *path, struct stat64 *s), (v, path, s),
     ((void)v, by_path(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW)))
STAT(__fxstat, (int v, int fd, struct stat *s), (v, fd, s), ((void)v, by_fd(fd, s)))
STAT(__fxstat64, (int v, int fd, struct stat64 *s), (v, fd, s), ((void)v, by_fd(fd, s)))
STAT(__fxstatat, (int v, int fd, const char *path, struct stat *s, int flags),
     (v, fd, path, s, flags), ((void)v, by_path(fd, path, s, flags)))
STAT(__fxstatat64, (int v, int fd, const char *path, struct stat64 *s, int flags),
     (v, fd, path, s, flags), ((void)v, by_path(fd, path, s, flags)))

static void move_statx(struct statx_timestamp *t)
{
    struct timespec ts = {.tv_sec = t->tv_sec, .tv_nsec = t->tv_nsec};
    move(&ts);
    t->tv_sec = ts.tv_sec;
    t->tv_nsec = (uint32_t)ts.tv_nsec;
}

FD_EXPORT int statx(int fd, const char *path, int flags, unsigned int mask, struct statx *s)
{
    enter();
    int ret = REAL(statx)(fd, path, flags, mask, s);
    if (leave(ret)) {
        move_statx(&s->stx_atime);
        move_statx(&s->stx_mtime);
        move_statx(&s->stx_ctime);
        move_statx(&s->stx_btime);
    }
    return ret;
}
