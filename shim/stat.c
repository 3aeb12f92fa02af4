/* The stat family: what the kernel stamped during the run moves with the shown clock. A name that
 * this libc lacks (stat before 2.33, __xstat for new links since) is served by the system call,
 * whose struct is the same on the machines we know. */
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/way.h"
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

#define BODY(name, call, instead) \
    enter();                      \
    return left(REAL(name) ? real_##name call : (instead), s)

#define BY_FD(name, params, call)                     \
    FD_EXPORT int name params                         \
    {                                                 \
        BODY(name, call, by_fd(fd, s));               \
    }
#define BY_PATH(name, params, call, flags)                     \
    FD_EXPORT int name params                                  \
    {                                                          \
        FD_WAY(AT_FDCWD, path, FD_NOFOLLOW(flags) | FD_ASKS, #name);     \
        BODY(name, call, by_path(AT_FDCWD, path, s, flags));   \
    }
#define BY_FOLDER(name, params, call)                          \
    FD_EXPORT int name params                                  \
    {                                                          \
        FD_WAY(fd, path, FD_NOFOLLOW(flags) | FD_ASKS, #name);           \
        BODY(name, call, by_path(fd, path, s, flags));         \
    }

BY_PATH(stat, (const char *path, struct stat *s), (path, s), 0)
BY_PATH(stat64, (const char *path, struct stat64 *s), (path, s), 0)
BY_PATH(lstat, (const char *path, struct stat *s), (path, s), AT_SYMLINK_NOFOLLOW)
BY_PATH(lstat64, (const char *path, struct stat64 *s), (path, s), AT_SYMLINK_NOFOLLOW)
BY_FD(fstat, (int fd, struct stat *s), (fd, s))
BY_FD(fstat64, (int fd, struct stat64 *s), (fd, s))
BY_FOLDER(fstatat, (int fd, const char *path, struct stat *s, int flags), (fd, path, s, flags))
BY_FOLDER(fstatat64, (int fd, const char *path, struct stat64 *s, int flags), (fd, path, s, flags))

/* `v` says which struct; there is one. */
BY_PATH(__xstat, (int v, const char *path, struct stat *s), (v, path, s), 0)
BY_PATH(__xstat64, (int v, const char *path, struct stat64 *s), (v, path, s), 0)
BY_PATH(__lxstat, (int v, const char *path, struct stat *s), (v, path, s),
        AT_SYMLINK_NOFOLLOW)
BY_PATH(__lxstat64, (int v, const char *path, struct stat64 *s), (v, path, s),
        AT_SYMLINK_NOFOLLOW)
BY_FD(__fxstat, (int v, int fd, struct stat *s), (v, fd, s))
BY_FD(__fxstat64, (int v, int fd, struct stat64 *s), (v, fd, s))
BY_FOLDER(__fxstatat, (int v, int fd, const char *path, struct stat *s, int flags),
          (v, fd, path, s, flags))
BY_FOLDER(__fxstatat64, (int v, int fd, const char *path, struct stat64 *s, int flags),
          (v, fd, path, s, flags))

static void move_statx(struct statx_timestamp *t)
{
    struct timespec ts = {.tv_sec = t->tv_sec, .tv_nsec = t->tv_nsec};
    move(&ts);
    t->tv_sec = ts.tv_sec;
    t->tv_nsec = (uint32_t)ts.tv_nsec;
}

FD_EXPORT int statx(int fd, const char *path, int flags, unsigned int mask, struct statx *s)
{
    FD_WAY(fd, path, FD_NOFOLLOW(flags) | FD_ASKS, "statx");
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
