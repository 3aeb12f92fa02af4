/* Writes that name their place, and room that is asked for beforehand: a folder that is full has
 * none (fs=full). Those to the place where a file stands are in shape.c. */
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/shape.h"
#include "shim/way.h"
#include <errno.h>

#define ROOM(type, name, params, call, n, at, lacks) \
    FD_EXPORT type name params                       \
    {                                                \
        if (FD_NO_ROOM(fd, n, at))                   \
            return lacks;                            \
        return REAL(name) call;                      \
    }
ROOM(ssize_t, pwrite, (int fd, const void *buf, size_t n, off_t at), (fd, buf, n, at), n, at, -1)
ROOM(ssize_t, pwrite64, (int fd, const void *buf, size_t n, off64_t at), (fd, buf, n, at), n, at,
     -1)
ROOM(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at),
     fd_shape_length(v, n), at, -1)
ROOM(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at),
     fd_shape_length(v, n), at, -1)
/* With -1 it is where the file stands. */
ROOM(ssize_t, pwritev2, (int fd, const struct iovec *v, int n, off_t at, int flags),
     (fd, v, n, at, flags), fd_shape_length(v, n), at, -1)
ROOM(ssize_t, pwritev64v2, (int fd, const struct iovec *v, int n, off64_t at, int flags),
     (fd, v, n, at, flags), fd_shape_length(v, n), at, -1)
ROOM(ssize_t, copy_file_range,
     (int from, off64_t *from_at, int fd, off64_t *at, size_t n, unsigned int flags),
     (from, from_at, fd, at, n, flags), fd_ambient_rest(from, from_at, n),
     at && fd_readable(at, sizeof *at) ? *at : FD_AT_POSITION, -1)
ROOM(int, fallocate, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n), (size_t)n, at, -1)
ROOM(int, fallocate64, (int fd, int mode, off64_t at, off64_t n), (fd, mode, at, n), (size_t)n, at,
     -1)
/* These return what is wrong, and leave errno alone. */
#define GIVES(name, off)                              \
    FD_EXPORT int name(int fd, off at, off n)         \
    {                                                 \
        int had = errno;                              \
        if (FD_NO_ROOM(fd, (size_t)n, at)) {          \
            errno = had;                              \
            return ENOSPC;                            \
        }                                             \
        return REAL(name)(fd, at, n);                 \
    }
GIVES(posix_fallocate, off_t)
GIVES(posix_fallocate64, off64_t)
