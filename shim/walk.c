/* nftw and ftw read their directories inside libc and have no door for another readdir, so that a
 * held walk is our own: glibc's, but that each directory is read whole before its first entry is
 * visited, which needs one descriptor at a time. A walk that changes directory (FTW_CHDIR) stays
 * libc's, in libc's order. */
#include "shim/entries.h"
#include "shim/live.h"
#include "shim/mix.h"
#include "shim/raw.h"
#include "shim/path_walk.h"
#include "shim/real.h"
#include "shim/text.h"
#include "shim/way.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>

#define OURS (FTW_PHYS | FTW_MOUNT | FTW_DEPTH | FTW_ACTIONRETVAL)
#define PATH_ROOM (2 * PATH_MAX)
#define FIRST 512 /* directories that a first table of them holds */

struct walk {
    char *path;
    int flags;
    bool old; /* ftw: fewer kinds of entry */
    __nftw_func_t visit;
    dev_t device;
    struct FTW place;
    uint64_t *known; /* directories entered so far, as hashes; a walk that follows links needs it */
    size_t room, used;
};

static void *map(size_t size)
{
    long at = FD_SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0);
    return at < 0 && at > -4096 ? NULL : (void *)at; /* the kernel's address */
}

static int visit(struct walk *w, const struct stat *s, int kind)
{
    static const int of_ftw[] = {[FTW_F] = FTW_F,   [FTW_D] = FTW_D,  [FTW_DNR] = FTW_DNR,
                                 [FTW_NS] = FTW_NS, [FTW_SL] = FTW_F, [FTW_DP] = FTW_D,
                                 [FTW_SLN] = FTW_NS};
    return w->visit(w->path, s, w->old ? of_ftw[kind] : kind, &w->place);
}

static bool put(uint64_t *table, size_t room, uint64_t key)
{
    size_t i = key & (room - 1);
    while (table[i] && table[i] != key)
        i = (i + 1) & (room - 1);
    bool is_new = !table[i];
    table[i] = key;
    return is_new;
}

static int grow(struct walk *w)
{
    size_t room = w->room ? w->room * 2 : FIRST;
    uint64_t *table = map(room * sizeof *table);
    if (!table) {
        errno = ENOMEM;
        return -1;
    }
    for (size_t i = 0; i < w->room; i++)
        if (w->known[i])
            (void)put(table, room, w->known[i]);
    if (w->known)
        (void)FD_SYS2(SYS_munmap, w->known, w->room * sizeof *table);
    w->known = table;
    w->room = room;
    return 0;
}

/* 1: it was not entered yet, 0: it was, -1: no memory. */
static int enter_once(struct walk *w, const struct stat *s)
{
    if (w->flags & FTW_PHYS)
        return 1;
    if (2 * w->used >= w->room && grow(w))
        return -1;
    bool is_new = put(w->known, w->room, fd_mix(s->st_dev, s->st_ino) | 1);
    w->used += is_new;
    return is_new;
}

/* What the path names, as the kind that is visited; -1 for an error that ends the walk. */
static int look(struct walk *w, struct stat *s)
{
    bool physical = w->flags & FTW_PHYS;
    if ((physical ? lstat : stat)(w->path, s) == 0)
        return S_ISDIR(s->st_mode) ? FTW_D : S_ISLNK(s->st_mode) ? FTW_SL : FTW_F;
    if (errno != EACCES && errno != ENOENT)
        return -1;
    if (!physical && lstat(w->path, s) == 0 && S_ISLNK(s->st_mode))
        return FTW_SLN;
    return FTW_NS;
}

static int directory(struct walk *w, const struct stat *s);

static int entry(struct walk *w, const char *name)
{
    struct stat s = {.st_dev = 0};
    struct fd_line l = {w->path, PATH_ROOM, (size_t)w->place.base};
    int ret = 0;
    fd_line_text(&l, name);
    if (l.len + 1 == PATH_ROOM) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int kind = look(w, &s);
    if (kind < 0)
        return -1;
    if (kind != FTW_NS && w->flags & FTW_MOUNT && s.st_dev != w->device)
        return 0;
    if (kind != FTW_D)
        ret = visit(w, &s, kind);
    else if ((ret = enter_once(w, &s)) > 0)
        ret = directory(w, &s);
    return w->flags & FTW_ACTIONRETVAL && ret == FTW_SKIP_SUBTREE ? 0 : ret;
}

static int below(struct walk *w, int fd)
{
    struct fd_entries e = {.at = NULL};
    int ret = fd_entries_read(&e, fd), base = w->place.base;
    (void)FD_SYS1(SYS_close, fd);
    if (ret) /* an error of the reading is an end, as in libc */
        errno = ENOMEM;
    size_t len = fd_text_len(w->path);
    struct fd_line l = {w->path, PATH_ROOM, len};
    if (w->path[len - 1] != '/')
        fd_line_text(&l, "/");
    w->place.base = (int)l.len;
    w->place.level++;
    for (uint32_t i = e.count - e.named; !ret && i < e.count; i++)
        ret = entry(w, fd_entry(&e, i)->d_name);
    w->path[len] = 0;
    w->place.base = base;
    w->place.level--;
    fd_entries_free(&e);
    return w->flags & FTW_ACTIONRETVAL && ret == FTW_SKIP_SIBLINGS ? 0 : ret;
}

static long enter(const char *path)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "nftw");
    return fd_raw_result(
        FD_SYS4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC, 0));
}

static int directory(struct walk *w, const struct stat *s)
{
    bool depth = w->flags & FTW_DEPTH;
    long fd = enter(w->path);
    if (fd < 0)
        return errno == EACCES ? visit(w, s, FTW_DNR) : -1;
    int ret = depth ? 0 : visit(w, s, FTW_D);
    if (ret)
        (void)FD_SYS1(SYS_close, fd);
    else
        ret = below(w, (int)fd);
    return ret || !depth ? ret : visit(w, s, FTW_DP);
}

static int root(struct walk *w, const char *path)
{
    struct stat s;
    struct fd_line l = {w->path, PATH_ROOM, 0};
    fd_line_text(&l, path);
    if (l.len == 0 || l.len + 1 == PATH_ROOM) {
        errno = l.len ? ENAMETOOLONG : ENOENT;
        return -1;
    }
    while (l.len > 1 && w->path[l.len - 1] == '/')
        w->path[--l.len] = 0;
    w->place.base = (int)(fd_text_base(w->path) - w->path);
    int kind = look(w, &s);
    if (kind < 0 || kind == FTW_NS)
        return -1;
    w->device = s.st_dev;
    int ret = kind == FTW_D ? enter_once(w, &s) : 1;
    if (ret > 0)
        ret = kind == FTW_D ? directory(w, &s) : visit(w, &s, kind);
    bool skip = ret == FTW_SKIP_SUBTREE || ret == FTW_SKIP_SIBLINGS;
    return w->flags & FTW_ACTIONRETVAL && skip ? 0 : ret;
}

static int walk(const char *path, __nftw_func_t visit_it, int flags, bool old)
{
    struct walk w = {.path = map(PATH_ROOM), .flags = flags, .old = old, .visit = visit_it};
    if (!w.path) {
        errno = ENOMEM;
        return -1;
    }
    int ret = root(&w, path);
    (void)FD_SYS2(SYS_munmap, w.path, PATH_ROOM);
    if (w.known)
        (void)FD_SYS2(SYS_munmap, w.known, w.room * sizeof *w.known);
    return ret;
}

/* Is this walk ours? Counts it. */
static bool held(const char *path, int flags)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "nftw");
    if (!fd_live_on() || fd_listing_exempt_path(path))
        return false;
    fd_touch(FD_AXIS_LISTING, "nftw");
    return fd_live_held(FD_AXIS_LISTING) && !(flags & ~OURS);
}

FD_EXPORT int nftw(const char *path, __nftw_func_t visit_it, int fds, int flags)
{
    return held(path, flags) ? walk(path, visit_it, flags, false)
                             : fd_path_nftw(path, visit_it, fds, flags);
}

FD_EXPORT int nftw64(const char *path, __nftw64_func_t visit_it, int fds, int flags)
{
    return held(path, flags) ? walk(path, (__nftw_func_t)(void (*)(void))visit_it, flags, false)
                             : fd_path_nftw64(path, visit_it, fds, flags);
}

/* A visitor of three arguments is called with four, as in libc. */
FD_EXPORT int ftw(const char *path, __ftw_func_t visit_it, int fds)
{
    return held(path, 0) ? walk(path, (__nftw_func_t)(void (*)(void))visit_it, 0, true)
                         : fd_path_ftw(path, visit_it, fds);
}

FD_EXPORT int ftw64(const char *path, __ftw64_func_t visit_it, int fds)
{
    return held(path, 0) ? walk(path, (__nftw_func_t)(void (*)(void))visit_it, 0, true)
                         : fd_path_ftw64(path, visit_it, fds);
}
