/* The open family: notes zone files and the entropy devices; everything else passes. */
#include "shim/device.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/stream.h"
#include "shim/zone.h"
#include <fcntl.h>
#include <stdarg.h>

static void noted(const char *path)
{
    bool on = fd_live_on();
    fd_zone_opened(path, on ? fd_live.page : NULL);
    if (on && fd_device_path(path))
        __atomic_store_n(&fd_live.page->device_opened, 1, __ATOMIC_RELEASE);
}

/* The mode is there only when the kernel will look at it; reading it otherwise is undefined. */
#define MODE_AFTER(flags)                                               \
    mode_t mode = 0;                                                    \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {      \
        va_list more;                                                   \
        va_start(more, flags);                                          \
        mode = (mode_t)va_arg(more, int);                               \
        va_end(more);                                                   \
    }

FD_EXPORT int open(const char *path, int flags, ...)
{
    MODE_AFTER(flags)
    noted(path);
    return REAL(open)(path, flags, mode);
}

FD_EXPORT int open64(const char *path, int flags, ...)
{
    MODE_AFTER(flags)
    noted(path);
    return REAL(open64)(path, flags, mode);
}

FD_EXPORT int openat(int fd, const char *path, int flags, ...)
{
    MODE_AFTER(flags)
    noted(path);
    return REAL(openat)(fd, path, flags, mode);
}

FD_EXPORT int openat64(int fd, const char *path, int flags, ...)
{
    MODE_AFTER(flags)
    noted(path);
    return REAL(openat64)(fd, path, flags, mode);
}

FD_EXPORT int __open_2(const char *path, int flags)
{
    noted(path);
    return REAL(__open_2)(path, flags);
}

FD_EXPORT int __open64_2(const char *path, int flags)
{
    noted(path);
    return REAL(__open64_2)(path, flags);
}

FD_EXPORT int __openat_2(int fd, const char *path, int flags)
{
    noted(path);
    return REAL(__openat_2)(fd, path, flags);
}

FD_EXPORT int __openat64_2(int fd, const char *path, int flags)
{
    noted(path);
    return REAL(__openat64_2)(fd, path, flags);
}

static ssize_t stream_read(void *cookie, char *buf, size_t n)
{
    (void)cookie;
    fd_touch(FD_AXIS_RNG, "/dev/urandom");
    fd_stream_fill(FD_DOOR_DEVICE, buf, n);
    return (ssize_t)n;
}

static ssize_t stream_write(void *cookie, const char *buf, size_t n)
{
    (void)cookie;
    (void)buf;
    return (ssize_t)n; /* adding entropy is allowed and changes nothing */
}

/* The cookie is the descriptor that fdopen() was given, plus one; it goes with the stream. */
static int stream_close(void *cookie)
{
    intptr_t fd = (intptr_t)cookie - 1;
    return fd < 0 ? 0 : (int)fd_raw_result(FD_SYS1(SYS_close, fd));
}

/* A FILE reads inside libc, where no hook sees it, so it gets its own reader. It has no descriptor
 * (fileno() is -1): the price. */
static FILE *stream_open(const char *mode, intptr_t fd)
{
    cookie_io_functions_t io = {stream_read, stream_write, NULL, stream_close};
    return fopencookie((void *)(fd + 1), mode, io);
}

static bool streamed(void)
{
    return fd_live_on() && fd_live_held(FD_AXIS_RNG);
}

FD_EXPORT FILE *fopen(const char *path, const char *mode)
{
    noted(path);
    return fd_device_path(path) && streamed() ? stream_open(mode, -1) : REAL(fopen)(path, mode);
}

FD_EXPORT FILE *fopen64(const char *path, const char *mode)
{
    noted(path);
    return fd_device_path(path) && streamed() ? stream_open(mode, -1) : REAL(fopen64)(path, mode);
}

FD_EXPORT FILE *fdopen(int fd, const char *mode)
{
    bool ours = streamed() && fd_live.page->device_opened && fd_device_is(fd);
    return ours ? stream_open(mode, fd) : REAL(fdopen)(fd, mode);
}
