/* Functions of libc that read directories inside libc, where no hook sees it: scandir, glob and
 * fts. What sorts by itself shows no order and passes; walk.c has nftw. */
#include "shim/entries.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/text.h"
#include "shim/way.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#define START 16 /* entries of a first list */

typedef int wanted(const struct dirent64 *);

struct list {
    struct dirent64 **at;
    size_t count, room;
};

/* scandir hands out malloc's memory: the one hook whose contract is to allocate. */
static bool add(struct list *l, const struct dirent64 *e)
{
    if (l->count == l->room) {
        size_t room = l->room ? l->room * 2 : START;
        struct dirent64 **at = realloc(l->at, room * sizeof *at);
        if (!at)
            return false;
        l->at = at;
        l->room = room;
    }
    struct dirent64 *copy = malloc(e->d_reclen);
    if (!copy)
        return false;
    fd_copy(copy, e, e->d_reclen);
    l->at[l->count++] = copy;
    return true;
}

static bool collect(struct list *l, DIR *d, wanted *filter)
{
    struct dirent64 *e;
    errno = 0;
    while ((e = readdir64(d))) {
        if (!filter || filter(e)) {
            errno = 0; /* the filter may have set it */
            if (!add(l, e))
                return false;
        }
        errno = 0;
    }
    return errno == 0;
}

static DIR *open_at(int at, const char *path)
{
    int fd = openat(at, path, O_RDONLY | O_NONBLOCK | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !d)
        (void)FD_SYS1(SYS_close, fd);
    return d;
}

static int scan(DIR *d, struct dirent64 ***ret, wanted *filter,
                int (*compare)(const void *, const void *))
{
    int saved = errno;
    struct list l = {NULL, 0, 0};
    if (!d)
        return -1;
    bool all = collect(&l, d, filter);
    int err = errno;
    closedir(d);
    if (!all) {
        while (l.count)
            free(l.at[--l.count]);
        free(l.at);
        errno = err;
        return -1;
    }
    if (compare && l.count)
        qsort(l.at, l.count, sizeof *l.at, compare);
    *ret = l.at;
    errno = saved;
    return (int)l.count;
}

/* The types differ in the name of one struct. */
#define SCAN(d, list, filter, compare)                                        \
    scan(d, (struct dirent64 ***)(list), (wanted *)(void (*)(void))(filter),   \
         (int (*)(const void *, const void *))(void (*)(void))(compare))

FD_EXPORT int scandir(const char *path, struct dirent ***list,
                      int (*filter)(const struct dirent *),
                      int (*compare)(const struct dirent **, const struct dirent **))
{
    if (!fd_live_on())
        return REAL(scandir)(path, list, filter, compare);
    return SCAN(opendir(path), list, filter, compare);
}

FD_EXPORT int scandir64(const char *path, struct dirent64 ***list,
                        int (*filter)(const struct dirent64 *),
                        int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    if (!fd_live_on())
        return REAL(scandir64)(path, list, filter, compare);
    return SCAN(opendir(path), list, filter, compare);
}

FD_EXPORT int scandirat(int at, const char *path, struct dirent ***list,
                        int (*filter)(const struct dirent *),
                        int (*compare)(const struct dirent **, const struct dirent **))
{
    if (!fd_live_on())
        return REAL(scandirat)(at, path, list, filter, compare);
    return SCAN(open_at(at, path), list, filter, compare);
}

FD_EXPORT int scandirat64(int at, const char *path, struct dirent64 ***list,
                          int (*filter)(const struct dirent64 *),
                          int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    if (!fd_live_on())
        return REAL(scandirat64)(at, path, list, filter, compare);
    return SCAN(open_at(at, path), list, filter, compare);
}

static void *glob_open(const char *path)
{
    return opendir(path);
}

static void glob_close(void *d)
{
    closedir(d);
}

static struct dirent *glob_read(void *d)
{
    return readdir(d);
}

static struct dirent64 *glob_read64(void *d)
{
    return readdir64(d);
}

/* Unsorted, glob shows the order of its directories; it has a door for another readdir. Through it
 * also goes a pattern below HOME: with our hooks it needs no translation. */
static bool through_door(int flags)
{
    return fd_live_on() && !(flags & GLOB_ALTDIRFUNC) && (flags & GLOB_NOSORT || fd_way_on());
}

#define GLOB(name, glob_type, read, Stat, Lstat)                                                \
    FD_EXPORT int name(const char *pattern, int flags, int (*failed)(const char *, int),        \
                       glob_type *g)                                                            \
    {                                                                                           \
        if (!through_door(flags))                                                               \
            return REAL(name)(pattern, flags, failed, g);                                       \
        glob_type before = *g;                                                                  \
        g->gl_opendir = glob_open;                                                              \
        g->gl_closedir = glob_close;                                                            \
        g->gl_readdir = read;                                                                   \
        g->gl_stat = Stat;                                                                      \
        g->gl_lstat = Lstat;                                                                    \
        int ret = REAL(name)(pattern, flags | GLOB_ALTDIRFUNC, failed, g);                      \
        g->gl_opendir = before.gl_opendir;                                                      \
        g->gl_closedir = before.gl_closedir;                                                    \
        g->gl_readdir = before.gl_readdir;                                                      \
        g->gl_stat = before.gl_stat;                                                            \
        g->gl_lstat = before.gl_lstat;                                                          \
        g->gl_flags &= ~GLOB_ALTDIRFUNC;                                                        \
        return ret;                                                                             \
    }

GLOB(glob, glob_t, glob_read, stat, lstat)
GLOB(glob64, glob64_t, glob_read64, stat64, lstat64)

static int fts_order(const void *a, const void *b)
{
    const FTSENT *x = *(FTSENT *const *)a, *y = *(FTSENT *const *)b;
    return fd_entry_order(x->fts_name, x->fts_ino, y->fts_name, y->fts_ino);
}

static int fts64_order(const void *a, const void *b)
{
    const FTSENT64 *x = *(FTSENT64 *const *)a, *y = *(FTSENT64 *const *)b;
    return fd_entry_order(x->fts_name, x->fts_ino, y->fts_name, y->fts_ino);
}

static bool exempt_root(char *const *roots)
{
    for (; *roots; roots++)
        if (fd_listing_exempt_path(*roots))
            return true;
    return false;
}

/* Translates the roots into `to`, which has their number and one. What fts then tells of a private
 * HOME are the private folder's own names: it keeps them in buffers that it goes on writing to.
 * Opened, they lead to the same files. A macro, because their room is on the caller's stack. */
#define ROOTS(roots, to, hook)                                                                  \
    for (size_t i = 0;; i++) {                                                                  \
        to[i] = roots[i];                                                                       \
        if (!to[i])                                                                             \
            break;                                                                              \
        size_t room = fd_way_on() ? fd_way_look(AT_FDCWD, to[i], FD_FOLLOW, hook) : 0;           \
        if (room)                                                                               \
            to[i] = fd_way_make(AT_FDCWD, to[i], FD_FOLLOW, alloca(room), room);                \
    }

static size_t count(char *const *roots)
{
    size_t n = 0;
    while (roots[n])
        n++;
    return n;
}

/* Without a comparison of the caller's, fts shows the order of its directories: it gets ours, once
 * it is open, because the roots stay as they were given. */
#define FTS_OPEN(name, type, entry, order)                                                      \
    FD_EXPORT type *name(char *const *roots, int options,                                       \
                         int (*compare)(const entry **, const entry **))                        \
    {                                                                                           \
        char **to = alloca((count(roots) + 1) * sizeof *to);                                    \
        ROOTS(roots, to, #name)                                                                 \
        type *f = REAL(name)(to, options, compare);                                             \
        if (!f || compare || !fd_live_on() || exempt_root(to))                                  \
            return f;                                                                           \
        fd_touch(FD_AXIS_LISTING, "fts_open");                                                  \
        if (fd_live_held(FD_AXIS_LISTING))                                                      \
            f->fts_compar = order;                                                              \
        return f;                                                                               \
    }

FTS_OPEN(fts_open, FTS, FTSENT, fts_order)
FTS_OPEN(fts64_open, FTS64, FTSENT64, fts64_order)
