/* Reads of the entropy devices; see device.h for how a descriptor is known. */
#include "shim/device.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/shape.h"
#include "shim/stall.h"
#include "shim/stream.h"

#define MOST 0x7ffff000 /* one read never returns more */

static bool serve(int fd)
{
    return fd_live_on() && __builtin_expect(fd_live.page->device_opened, 0) && fd_device_is(fd);
}

/* The real read comes first, of one byte: it checks the descriptor's mode and the buffer. */
static bool served(int fd, void *buf, size_t *n)
{
    if (!*n || !serve(fd))
        return false;
    fd_touch(FD_AXIS_RNG, "/dev/urandom");
    if (!fd_live_held(FD_AXIS_RNG) || FD_SYS3(SYS_read, fd, buf, 1) != 1)
        return false;
    *n = *n > MOST ? MOST : *n;
    fd_stream_fill(FD_DOOR_DEVICE, buf, *n);
    return true;
}

/* A read of a socket is a receive. */
FD_EXPORT ssize_t read(int fd, void *buf, size_t n)
{
    if (fd_live_on())
        fd_stall_io(fd);
    if (served(fd, buf, &n))
        return (ssize_t)n;
    if (!fd_shape_on())
        return REAL(read)(fd, buf, n);
    struct fd_shape s = {.fd = fd, .asked = n};
    if (!fd_shape_receives(&s))
        return -1;
    ssize_t ret = REAL(read)(fd, buf, s.asked);
    fd_shape_received(&s, ret, "read");
    return ret;
}

FD_EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
    if (n <= room)
        return read(fd, buf, n);
    return REAL(__read_chk)(fd, buf, n, room);
}

FD_EXPORT ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
    return served(fd, buf, &n) ? (ssize_t)n : REAL(pread)(fd, buf, n, at);
}

FD_EXPORT ssize_t pread64(int fd, void *buf, size_t n, off64_t at)
{
    return served(fd, buf, &n) ? (ssize_t)n : REAL(pread64)(fd, buf, n, at);
}

FD_EXPORT ssize_t __pread_chk(int fd, void *buf, size_t n, off_t at, size_t room)
{
    return n <= room && served(fd, buf, &n) ? (ssize_t)n : REAL(__pread_chk)(fd, buf, n, at, room);
}

FD_EXPORT ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t at, size_t room)
{
    return n <= room && served(fd, buf, &n) ? (ssize_t)n
                                            : REAL(__pread64_chk)(fd, buf, n, at, room);
}

FD_EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
    ssize_t total = 0;
    if (n < 1 || n > 1024 || !serve(fd) || !fd_live_held(FD_AXIS_RNG))
        return REAL(readv)(fd, v, n);
    for (int i = 0; i < n; i++) {
        size_t part = v[i].iov_len;
        if (part && !served(fd, v[i].iov_base, &part))
            return total ? total : REAL(readv)(fd, v + i, n - i);
        total += (ssize_t)part;
    }
    return total;
}
