/* The open family: notes zone files and the entropy devices, and finds what lies below HOME. */
#include "shim/device.h"
#include "shim/heap.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/stream.h"
#include "shim/text.h"
#include "shim/way.h"
#include "shim/zone.h"
#include <fcntl.h>
#include <stdarg.h>

static void noted(const char *path)
{
    if (fd_live_held(FD_AXIS_ADDRESS))
        fd_heap_opened(path);
    bool on = fd_live_on();
    fd_zone_opened(path, on ? fd_live.page : NULL);
    if (on && fd_zone_is_own(path))
        fd_zone_read("open");
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

static unsigned int how_to(int flags)
{
    bool fresh = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    bool writes = flags & (O_WRONLY | O_RDWR | O_TRUNC) && (flags & O_TMPFILE) != O_TMPFILE;
    return (fresh || flags & O_NOFOLLOW ? FD_LAST : FD_FOLLOW) |
           (fresh || flags & O_TRUNC ? FD_NEW : 0) | (flags & O_CREAT ? FD_MAKES : 0) |
           (writes && !fresh ? FD_CHANGES : 0) |
           (writes || flags & O_CREAT ? 0 : FD_READS);
}

#define OPEN(name)                                           \
    FD_EXPORT int name(const char *path, int flags, ...)     \
    {                                                        \
        MODE_AFTER(flags)                                    \
        noted(path);                                         \
        FD_WAY(AT_FDCWD, path, how_to(flags), #name);        \
        FD_DENY(AT_FDCWD, path, how_to(flags), -1);          \
        return REAL(name)(path, flags, mode);                \
    }
#define OPEN_AT(name)                                              \
    FD_EXPORT int name(int fd, const char *path, int flags, ...)   \
    {                                                              \
        MODE_AFTER(flags)                                          \
        noted(path);                                               \
        FD_WAY(fd, path, how_to(flags), #name);                    \
        FD_DENY(fd, path, how_to(flags), -1);                      \
        return REAL(name)(fd, path, flags, mode);                  \
    }
#define OPEN_2(name, params, args, at)                 \
    FD_EXPORT int name params                          \
    {                                                  \
        noted(path);                                   \
        FD_WAY(at, path, how_to(flags), #name);        \
        FD_DENY(at, path, how_to(flags), -1);          \
        return REAL(name) args;                        \
    }
#define CREAT(name)                                                            \
    FD_EXPORT int name(const char *path, mode_t mode)                          \
    {                                                                          \
        FD_WAY(AT_FDCWD, path, how_to(O_CREAT | O_WRONLY | O_TRUNC), #name);   \
        FD_DENY(AT_FDCWD, path, FD_CHANGES, -1);                               \
        return REAL(name)(path, mode);                                         \
    }
OPEN(open)
OPEN(open64)
OPEN(__open)
OPEN(__open64)
OPEN_AT(openat)
OPEN_AT(openat64)
OPEN_2(__open_2, (const char *path, int flags), (path, flags), AT_FDCWD)
OPEN_2(__open64_2, (const char *path, int flags), (path, flags), AT_FDCWD)
OPEN_2(__openat_2, (int fd, const char *path, int flags), (fd, path, flags), fd)
OPEN_2(__openat64_2, (int fd, const char *path, int flags), (fd, path, flags), fd)
CREAT(creat)
CREAT(creat64)

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

static unsigned int how_by(const char *mode)
{
    bool fresh = fd_text_find(mode, "x") != NULL, writes = *mode == 'w' || *mode == 'a';
    return (fresh ? FD_LAST : FD_FOLLOW) | (fresh || *mode == 'w' ? FD_NEW : 0) |
           (writes ? FD_MAKES : 0) |
           ((writes || fd_text_find(mode, "+")) && !fresh ? FD_CHANGES : 0) |
           (writes || fd_text_find(mode, "+") ? 0 : FD_READS);
}

#define FOPEN(name)                                              \
    FD_EXPORT FILE *name(const char *path, const char *mode)     \
    {                                                            \
        noted(path);                                             \
        if (fd_device_path(path) && streamed())                  \
            return stream_open(mode, -1);                        \
        FD_WAY(AT_FDCWD, path, how_by(mode), #name);             \
        FD_DENY(AT_FDCWD, path, how_by(mode), NULL);             \
        return REAL(name)(path, mode);                           \
    }
#define FREOPEN(name)                                                        \
    FD_EXPORT FILE *name(const char *path, const char *mode, FILE *file)     \
    {                                                                        \
        FD_WAY(AT_FDCWD, path, how_by(mode), #name);                         \
        FD_DENY(AT_FDCWD, path, how_by(mode), NULL);                         \
        return REAL(name)(path, mode, file);                                 \
    }
FOPEN(fopen)
FOPEN(fopen64)
FOPEN(_IO_fopen)
FREOPEN(freopen)
FREOPEN(freopen64)

FD_EXPORT FILE *fdopen(int fd, const char *mode)
{
    bool ours = streamed() && fd_live.page->device_opened && fd_device_is(fd);
    return ours ? stream_open(mode, fd) : REAL(fdopen)(fd, mode);
}
