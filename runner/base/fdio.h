#ifndef FR_BASE_FDIO_H
#define FR_BASE_FDIO_H
/* Whole reads and writes, and small chores on files. EINTR is retried. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/text.h"

/* Appends at most max bytes of the file to *t. */
int fdio_read_file(const char *path, size_t max, struct text *t, struct err *e);

/* A file that is replaced as a whole: written beside it, flushed, renamed over it, so that nobody
 * ever sees half of one. Parents are made; a link stays and what it leads to is replaced; a device
 * or a pipe is written as it is, for a rename would put a file in its place. */
struct replacement {
    int fd;       /* to write to */
    char *path;   /* of the file itself, behind links */
    char *beside; /* where it is until it is whole; NULL: in place */
    bool quick;
};
#define FDIO_SHARED  0666   /* but for what the umask takes */
#define FDIO_PRIVATE 0600   /* from its first byte on */
#define FDIO_QUICK   010000 /* with one of them: not flushed, power that fails may take it */
int replacement_begin(const char *path, mode_t mode, struct replacement *ret, struct err *e);
int replacement_finish(struct replacement *r, struct err *e);
void replacement_done(struct replacement *r); /* drops what is not finished */
#define REPLACEMENT_INIT                                                                           \
    {                                                                                              \
        .fd = -1                                                                                   \
    }
#define own_replacement __attribute__((cleanup(replacement_done)))

/* All of it at once. */
int fdio_replace(const char *path, mode_t mode, const struct text *t, struct err *e);
int fdio_write_atomic(const char *path, const char *bytes, size_t n, struct err *e); /* shared */

/* The first file of that name on PATH that can be executed; false if there is none. */
bool fdio_on_path(const char *name, struct text *out);

/* Whether the path, as it is written, lies in the folder or below. NULL or "": in none. */
bool fdio_is_below(const char *path, const char *folder);

int fdio_write_all(int fd, const char *bytes, size_t n); /* 0, or -1 with errno */

/* Removes a folder and all below it without following links; a missing one is fine. */
void fdio_remove_tree(const char *path);

bool fdio_is_dir(const char *path);
bool fdio_is_file(const char *path);

/* Keeps a folder of ours out of version control, unless it does so already. */
void fdio_ignore_folder(const char *path);

/* Creates missing parent folders of path. */
int fdio_make_parents(const char *path, struct err *e);

#endif
