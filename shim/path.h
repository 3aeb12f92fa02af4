#ifndef FD_PATH_H
#define FD_PATH_H
/* Which path is looked for where: pairs of folders, the one named and the one looked in, and the
 * folders below HOME that stay where they are.
 *
 * Paths are compared as text, name by name: "//" and "." are skipped, ".." goes up. A path is below
 * a folder when it says so, wherever links lead. It is translated by exchanging the text up to the
 * folder; what follows is kept as it is, dots, slashes and all, for the kernel to walk. Where one
 * `from` lies in another the longer wins, and what lies below a pair's own `to` stays: so a path is
 * translated once only. All this is pure, without allocation, and safe in a signal handler. */
#include <stdbool.h>
#include <stddef.h>

#define FD_MAPS 18  /* 16 by hand, HOME, and HOME with its links resolved */
#define FD_STAYS 256 /* PATH and PYTHONPATH hold most of them */

struct fd_folder { /* absolute, without "." or "..", no slash at its end; "" is no folder */
    const char *at;
    size_t len;
};

struct fd_map {
    struct fd_folder from, to; /* to may be "": then it is only known what lies below from */
    bool home;                 /* heeds the folders that stay */
    bool link;                 /* `from` itself is a link, and whoever asks is told so */
};

struct fd_stay {
    struct fd_folder folder;
    size_t home; /* so much of it is HOME, by either name; 0: it is not below HOME */
};

struct fd_paths {
    unsigned int maps, backs, stays;
    struct fd_map map[FD_MAPS];       /* longest `from` first */
    struct fd_map back[2 * FD_MAPS];  /* the other way: longest `from` first */
    struct fd_stay stay[FD_STAYS];
    struct fd_map stands_for; /* a watched run's HOME is `from`, empty, in the place of `to` */
    size_t used;
    char text[65536]; /* of the folders; 0-terminated */
};

struct fd_place {
    const struct fd_map *map;
    size_t rest;     /* where in the path what follows the folder begins: "/x/y", "/" or "" */
    size_t packages; /* where in it a folder of installed packages ends, or 0 */
};

/* A folder from its name, kept in p->text. False if the name is no absolute path below /, or if
 * there is no room. */
bool fd_folder_keep(struct fd_paths *p, const char *name, struct fd_folder *ret);

/* Where in `path` (absolute) what follows the folder begins, or -1 if it is not below it. */
long fd_folder_rest(const struct fd_folder *f, const char *path);

/* Is there a name in it, or only slashes and dots? */
bool fd_path_names(const char *rest);

bool fd_paths_add(struct fd_paths *p, struct fd_map map);      /* false: no room */
bool fd_paths_add_back(struct fd_paths *p, struct fd_map map); /* from and to as in `map` */
bool fd_paths_stay(struct fd_paths *p, struct fd_folder f);    /* HOME must be there before */
bool fd_paths_stays(const struct fd_paths *p, const struct fd_folder *f);

/* Reads "/a=/b,/c=/d". Returns 0, or -1 if the text is no such map, -2 if there is no room. */
int fd_paths_parse(struct fd_paths *p, const char *text);

/* Finds where `path` (absolute) is looked for; false: where it says. A folder of installed packages
 * stays only if it is there, so it is left to the caller to look at ret->packages. */
bool fd_paths_find(const struct fd_paths *p, const char *path, struct fd_place *ret);

/* A path that was not found, but goes through a folder that is looked for elsewhere: writes one
 * that does not. "$HOME/new/../../other" would ask for a `new` in the real HOME. False: it may
 * stay as it is. */
bool fd_paths_around(const struct fd_paths *p, const char *path, char *buf, size_t size);

/* The same for an answer of the kernel, `len` bytes long: by which name is it known? */
bool fd_paths_find_back(const struct fd_paths *p, const char *path, size_t len,
                        struct fd_place *ret);

/* Is it below the `to` of a pair? */
bool fd_paths_below_to(const struct fd_paths *p, const char *path);

/* Is it below /tmp or /var/tmp, and not in a folder that stays? */
bool fd_paths_in_tmp(const struct fd_paths *p, const char *path);

/* Not pure (way.c): where this process finds `path` now. Returns `path` itself where that is what
 * it says, buf where it is elsewhere, NULL with ENAMETOOLONG where that does not fit. */
const char *fd_path_real(const char *path, char *buf, size_t size);

#endif
