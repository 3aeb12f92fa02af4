#include "shim/path_walk.h"
#include "shim/real.h"
#include "shim/text.h"
#include "shim/way.h"

/* A walk is known to its own thread alone; one may begin another. */
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
    int fd_path_##name(const char *path,                                          \
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
    int fd_path_##name(const char *path,                                                      \
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
