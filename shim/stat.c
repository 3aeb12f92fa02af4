/* The stat family: what the kernel stamped during the run moves with the shown clock. A name that
 * this libc lacks (stat before 2.33, __xstat for new links since) is served by the system call,
 * whose struct is the same on the machines we know. */
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/seen.h"
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
    return --fd_thread.depth == 0 && ret == 0 && fd_live_on();
}

/* Was the file written in this run, inside the window? By the change time, which no program
 * sets. */
static bool is_new(const struct timespec *changed)
{
    return fd_live.open && fd_ns(changed) >= fd_live.newer_ns;
}

static bool is_coarse(void)
{
    return fd_live_held(FD_AXIS_FS) && fd_live.page->settings.fs == FD_FS_MTIME;
}

/* Down to a tick. The first one of the window begins with it: what is written quickly one after the
 * other is then in one tick in every run. */
static void blur(struct timespec *t)
{
    int64_t tick = fd_live.page->settings.mtime_ns, ns = fd_ns(t), open = fd_live.base_ns;
    int64_t from = ns >= open ? open : 0, ticks = (ns - from) / tick;
    if (ns < 0)
        return;
    *t = fd_timespec(from - from % tick + ticks * tick);
}

static void noted(bool regular, const char *hook)
{
    if (!regular)
        return;
    fd_touch(FD_AXIS_FS, hook);
    if (fd_watching())
        fd_seen_deed(FD_DEED_STAMP);
}

/* `hook`: "fstat" where a descriptor was asked about, as Python does of each file it opens. */
static int left(int ret, void *buf, const char *hook)
{
    struct stat *s = buf;
    if (!leave(ret))
        return ret;
    struct timespec *const times[] = {&s->st_atim, &s->st_mtim, &s->st_ctim};
    bool fresh = is_new(&s->st_ctim);
    if (fresh)
        noted(S_ISREG(s->st_mode), hook);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (fd_live.altered)
            move(times[i]);
        if (fresh && is_coarse())
            blur(times[i]);
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

#define BODY(name, call, instead, hook) \
    enter();                            \
    return left(REAL(name) ? real_##name call : (instead), s, hook)

/* Its name is a link of the kernel's, but it is a file. */
#define PLANTED(path)                                                   \
    if (__builtin_expect(path##_room == FD_WAY_PLANT, 0))               \
    return by_path(AT_FDCWD, path, s, 0)

#define BY_FD(name, params, call)                     \
    FD_EXPORT int name params                         \
    {                                                 \
        BODY(name, call, by_fd(fd, s), "fstat");      \
    }
#define BY_PATH(name, params, call, flags)                     \
    FD_EXPORT int name params                                  \
    {                                                          \
        FD_WAY(AT_FDCWD, path, FD_NOFOLLOW(flags) | FD_ASKS | FD_READS, #name); \
        PLANTED(path);                                         \
        BODY(name, call, by_path(AT_FDCWD, path, s, flags), "stat"); \
    }
#define BY_FOLDER(name, params, call)                          \
    FD_EXPORT int name params                                  \
    {                                                          \
        FD_WAY(fd, path, FD_NOFOLLOW(flags) | FD_ASKS | FD_READS, #name); \
        PLANTED(path);                                         \
        BODY(name, call, by_path(fd, path, s, flags), "stat"); \
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

static void move_statx(struct statx_timestamp *t, bool fresh)
{
    struct timespec ts = {.tv_sec = t->tv_sec, .tv_nsec = t->tv_nsec};
    if (fd_live.altered)
        move(&ts);
    if (fresh && is_coarse())
        blur(&ts);
    t->tv_sec = ts.tv_sec;
    t->tv_nsec = (uint32_t)ts.tv_nsec;
}

FD_EXPORT int statx(int fd, const char *path, int flags, unsigned int mask, struct statx *s)
{
    FD_WAY(fd, path, FD_NOFOLLOW(flags) | FD_ASKS | FD_READS, "statx");
    if (path_room == FD_WAY_PLANT)
        flags &= ~AT_SYMLINK_NOFOLLOW;
    enter();
    int ret = REAL(statx)(fd, path, flags, mask, s);
    if (!leave(ret))
        return ret;
    struct statx_timestamp *const times[] = {&s->stx_atime, &s->stx_mtime, &s->stx_ctime,
                                             &s->stx_btime};
    bool fresh = s->stx_mask & STATX_CTIME &&
                 is_new(&(struct timespec){s->stx_ctime.tv_sec, s->stx_ctime.tv_nsec});
    if (fresh)
        noted(s->stx_mask & STATX_TYPE && S_ISREG(s->stx_mode), "stat");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        move_statx(times[i], fresh);
    return ret;
}
