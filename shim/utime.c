/* Setting file times. What the program sets is a time of the shown clock and must read back as it
 * was set; "now" is left to the kernel, whose stamp then moves like any other. */
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/real.h"
#include "shim/way.h"
#include <fcntl.h>

#define FAR 9000000000 /* seconds; what does not fit nanoseconds (year 2262) is passed as it is */

static struct timespec stored(struct timespec t)
{
    if (t.tv_nsec < 0 || t.tv_nsec > 999999999 || t.tv_sec > FAR || t.tv_sec < -FAR)
        return t; /* UTIME_NOW, UTIME_OMIT, invalid */
    return fd_timespec(fd_clock_to_stamp(fd_ns(&t)));
}

static bool altered(const void *times)
{
    return times && fd_live_on() && fd_live.altered;
}

FD_EXPORT int utimensat(int fd, const char *path, const struct timespec t[2], int flags)
{
    FD_WAY(fd, path, FD_NOFOLLOW(flags) | FD_CHANGES, "utimensat");
    if (!altered(t))
        return REAL(utimensat)(fd, path, t, flags);
    const struct timespec real[2] = {stored(t[0]), stored(t[1])};
    return REAL(utimensat)(fd, path, real, flags);
}

FD_EXPORT int futimens(int fd, const struct timespec t[2])
{
    if (!altered(t))
        return REAL(futimens)(fd, t);
    const struct timespec real[2] = {stored(t[0]), stored(t[1])};
    return REAL(futimens)(fd, real);
}

/* Microseconds cannot carry what must be stored: these go on as nanoseconds. False where the
 * values are invalid, which the real function will say. */
static bool fine(const struct timeval t[2], struct timespec ret[2])
{
    for (int i = 0; i < 2; i++) {
        if (t[i].tv_usec < 0 || t[i].tv_usec > 999999)
            return false;
        ret[i] = stored((struct timespec){.tv_sec = t[i].tv_sec, .tv_nsec = t[i].tv_usec * 1000});
    }
    return true;
}

FD_EXPORT int utime(const char *path, const struct utimbuf *t)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW | FD_CHANGES, "utime");
    if (!altered(t))
        return REAL(utime)(path, t);
    const struct timespec real[2] = {stored((struct timespec){.tv_sec = t->actime}),
                                     stored((struct timespec){.tv_sec = t->modtime})};
    return REAL(utimensat)(AT_FDCWD, path, real, 0);
}

FD_EXPORT int utimes(const char *path, const struct timeval t[2])
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW | FD_CHANGES, "utimes");
    struct timespec real[2];
    return altered(t) && fine(t, real) ? REAL(utimensat)(AT_FDCWD, path, real, 0)
                                       : REAL(utimes)(path, t);
}

FD_EXPORT int lutimes(const char *path, const struct timeval t[2])
{
    FD_WAY(AT_FDCWD, path, FD_LAST | FD_CHANGES, "lutimes");
    struct timespec real[2];
    return altered(t) && fine(t, real)
               ? REAL(utimensat)(AT_FDCWD, path, real, AT_SYMLINK_NOFOLLOW)
               : REAL(lutimes)(path, t);
}

FD_EXPORT int futimes(int fd, const struct timeval t[2])
{
    struct timespec real[2];
    return altered(t) && fine(t, real) ? REAL(futimens)(fd, real) : REAL(futimes)(fd, t);
}

FD_EXPORT int futimesat(int fd, const char *path, const struct timeval t[2])
{
    FD_WAY(fd, path, FD_FOLLOW | FD_CHANGES, "futimesat");
    struct timespec real[2];
    return altered(t) && path && fine(t, real) ? REAL(utimensat)(fd, path, real, 0)
                                               : REAL(futimesat)(fd, path, t);
}
