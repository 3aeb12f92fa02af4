/* Functions that walk folders inside libc. Their first path is translated, and the names that they
 * tell the program are those it knows. */
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/text.h"
#include "shim/way.h"
#include <stdlib.h>

FD_EXPORT DIR *opendir(const char *path)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "opendir");
    return REAL(opendir)(path);
}

#define SCANDIR(entry, name, name_at)                                                         \
    FD_EXPORT int name(const char *path, struct entry ***list, int (*keep)(const struct entry *), \
                       int (*order)(const struct entry **, const struct entry **))            \
    {                                                                                         \
        FD_WAY(AT_FDCWD, path, FD_FOLLOW, #name);                                             \
        return REAL(name)(path, list, keep, order);                                           \
    }                                                                                         \
    FD_EXPORT int name_at(int fd, const char *path, struct entry ***list,                     \
                          int (*keep)(const struct entry *),                                  \
                          int (*order)(const struct entry **, const struct entry **))         \
    {                                                                                         \
        FD_WAY(fd, path, FD_FOLLOW, #name_at);                                                \
        return REAL(name_at)(fd, path, list, keep, order);                                    \
    }
SCANDIR(dirent, scandir, scandirat)
SCANDIR(dirent64, scandir64, scandirat64)

/* ftw and nftw call back with the path. A walk is known to its own thread alone; one may begin
 * another. */
struct walk {
    union {
        int (*ftw)(const char *, const struct stat *, int);
        int (*ftw64)(const char *, const struct stat64 *, int);
        int (*nftw)(const char *, const struct stat *, int, struct FTW *);
        int (*nftw64)(const char *, const struct stat64 *, int, struct FTW *);
    } call;
    struct walk *outer;
    uint32_t inside;
};
static __thread struct walk *walk;

static void begin(struct walk *w)
{
    w->outer = walk;
    walk = w;
}

static int end(struct walk *w, int ret)
{
    walk = w->outer;
    return ret;
}

/* The path as the program knows it, in `buf`, and how much longer that is. */
static const char *known(const char *path, char *buf, int *ret_longer)
{
    struct fd_place pl;
    *ret_longer = 0;
    if (!fd_paths_find_back(&fd_paths, path, fd_text_len(path), &pl))
        return path;
    struct fd_line l = {buf, FD_WAY_ROOM, 0};
    fd_line_text(&l, pl.map->to.at);
    fd_line_text(&l, path + pl.rest);
    *ret_longer = (int)pl.map->to.len - (int)pl.rest;
    return buf;
}

/* The program's own function is no longer inside a call of ours. */
static struct walk *outside(void)
{
    struct walk *w = walk;
    walk = w->outer;
    w->inside = fd_thread.inside;
    fd_thread.inside = 0;
    return w;
}

static int inside(struct walk *w, int ret)
{
    fd_thread.inside = w->inside;
    walk = w;
    return ret;
}

#define FTW(type, name)                                                           \
    static int name##_back(const char *path, const struct type *s, int flag)      \
    {                                                                             \
        char buf[FD_WAY_ROOM];                                                    \
        int longer;                                                               \
        const char *as_known = known(path, buf, &longer);                         \
        struct walk *w = outside();                                               \
        return inside(w, w->call.name(as_known, s, flag));                        \
    }                                                                             \
    FD_EXPORT int name(const char *path,                                          \
                       int (*call)(const char *, const struct type *, int), int n) \
    {                                                                             \
        struct walk w = {.call.name = call};                                      \
        FD_WAY(AT_FDCWD, path, FD_FOLLOW, #name);                                 \
        if (!path_room)                                                           \
            return REAL(name)(path, call, n);                                     \
        begin(&w);                                                                \
        return end(&w, REAL(name)(path, name##_back, n));                         \
    }
#define NFTW(type, name)                                                                      \
    static int name##_back(const char *path, const struct type *s, int flag, struct FTW *f)   \
    {                                                                                         \
        char buf[FD_WAY_ROOM];                                                                \
        int longer;                                                                           \
        const char *as_known = known(path, buf, &longer);                                     \
        struct FTW moved = *f;                                                                \
        moved.base += longer;                                                                 \
        struct walk *w = outside();                                                           \
        return inside(w, w->call.name(as_known, s, flag, &moved));                            \
    }                                                                                         \
    FD_EXPORT int name(const char *path,                                                      \
                       int (*call)(const char *, const struct type *, int, struct FTW *), int n, \
                       int flags)                                                             \
    {                                                                                         \
        struct walk w = {.call.name = call};                                                  \
        FD_WAY(AT_FDCWD, path, flags &FTW_PHYS ? FD_LAST : FD_FOLLOW, #name);                 \
        if (!path_room)                                                                       \
            return REAL(name)(path, call, n, flags);                                          \
        begin(&w);                                                                            \
        return end(&w, REAL(name)(path, name##_back, n, flags));                              \
    }
FTW(stat, ftw)
FTW(stat64, ftw64)
NFTW(stat, nftw)
NFTW(stat64, nftw64)

/* What fts tells of a private HOME are the private folder's own names: it keeps them in buffers
 * that it goes on writing to. Opened, they lead to the same files. */
#define FTS(type, entry, name)                                                                 \
    FD_EXPORT type *name(char *const *paths, int options,                                      \
                         int (*order)(const entry **, const entry **))                         \
    {                                                                                          \
        size_t n = 0;                                                                          \
        if (!fd_way_translates())                                                              \
            return REAL(name)(paths, options, order);                                          \
        while (paths[n])                                                                       \
            n++;                                                                               \
        char **to = alloca((n + 1) * sizeof *to);                                              \
        for (size_t i = 0; i <= n; i++) {                                                      \
            to[i] = paths[i];                                                                  \
            size_t room = fd_way_look(AT_FDCWD, to[i], FD_FOLLOW, #name);                      \
            if (room)                                                                          \
                to[i] = fd_way_make(AT_FDCWD, to[i], FD_FOLLOW, alloca(room), room);           \
        }                                                                                      \
        fd_thread.inside++;                                                                    \
        type *ret = REAL(name)(to, options, order);                                            \
        fd_thread.inside--;                                                                    \
        return ret;                                                                            \
    }
FTS(FTS, FTSENT, fts_open)
FTS(FTS64, FTSENT64, fts64_open)

/* glob can be told how to read folders: with our own hooks it needs no translation. */
#define GLOB(type, name, entry, status, suffix)                                        \
    static void *name##_open(const char *path)                                         \
    {                                                                                  \
        return opendir(path);                                                          \
    }                                                                                  \
    static struct entry *name##_read(void *folder)                                     \
    {                                                                                  \
        return readdir##suffix(folder);                                                \
    }                                                                                  \
    static void name##_close(void *folder)                                             \
    {                                                                                  \
        (void)closedir(folder);                                                        \
    }                                                                                  \
    FD_EXPORT int name(const char *pattern, int flags, int (*failed)(const char *, int), type *g) \
    {                                                                                  \
        if (!fd_way_on() || flags & GLOB_ALTDIRFUNC)                                   \
            return REAL(name)(pattern, flags, failed, g);                              \
        type own = *g;                                                                 \
        g->gl_opendir = name##_open;                                                   \
        g->gl_readdir = name##_read;                                                   \
        g->gl_closedir = name##_close;                                                 \
        g->gl_stat = stat##suffix;                                                     \
        g->gl_lstat = lstat##suffix;                                                   \
        int ret = REAL(name)(pattern, flags | GLOB_ALTDIRFUNC, failed, g);             \
        g->gl_flags &= ~GLOB_ALTDIRFUNC;                                               \
        g->gl_opendir = own.gl_opendir;                                                \
        g->gl_readdir = own.gl_readdir;                                                \
        g->gl_closedir = own.gl_closedir;                                              \
        g->gl_stat = own.gl_stat;                                                      \
        g->gl_lstat = own.gl_lstat;                                                    \
        return ret;                                                                    \
    }
GLOB(glob_t, glob, dirent, stat, )
GLOB(glob64_t, glob64, dirent64, stat64, 64)
