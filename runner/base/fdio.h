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

/* Replaces path with the bytes: written beside it, flushed, then renamed over it. */
int fdio_write_atomic(const char *path, const char *bytes, size_t n, struct err *e);

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
