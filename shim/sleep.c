/* Sleeps. A relative one is right on any clock; but a wall clock that stands still has to follow
 * it, or "while time() < end: sleep()" never ends. */
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/text.h"
#include <errno.h>
#include <fcntl.h>

static int64_t began(void)
{
    return fd_live_on() && fd_clock_stands() ? fd_clock_mono() : 0;
}

static void slept(int64_t since)
{
    if (since)
        fd_clock_slept(fd_clock_mono() - since);
}

FD_EXPORT int clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                              struct timespec *left)
{
    if (id == CLOCK_REALTIME && flags & TIMER_ABSTIME && fd_live_on() && fd_live.altered && t &&
        t->tv_nsec >= 0 && t->tv_nsec < 1000000000) {
        int64_t shown = fd_ns(t);
        struct timespec real = fd_timespec(fd_clock_deadline(shown));
        int err = REAL(clock_nanosleep)(id, flags, &real, left);
        if (!err)
            fd_clock_reached(shown);
        return err;
    }
    int64_t since = began();
    int err = REAL(clock_nanosleep)(id, flags, t, left);
    slept(since);
    return err;
}

FD_EXPORT int nanosleep(const struct timespec *t, struct timespec *left)
{
    int64_t since = began();
    int ret = REAL(nanosleep)(t, left);
    slept(since);
    return ret;
}

FD_EXPORT int usleep(useconds_t us)
{
    int64_t since = began();
    int ret = REAL(usleep)(us);
    slept(since);
    return ret;
}

FD_EXPORT unsigned int sleep(unsigned int s)
{
    int64_t since = began();
    unsigned int left = REAL(sleep)(s);
    slept(since);
    return left;
}

FD_EXPORT int select(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t)
{
    int64_t since = t ? began() : 0;
    int ret = REAL(select)(n, r, w, x, t);
    if (!ret)
        slept(since);
    return ret;
}

FD_EXPORT int poll(struct pollfd *fds, nfds_t n, int ms)
{
    int64_t since = ms > 0 ? began() : 0;
    int ret = REAL(poll)(fds, n, ms);
    if (!ret)
        slept(since);
    return ret;
}

FD_EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
    int64_t since = ms > 0 ? began() : 0;
    int ret = REAL(epoll_wait)(fd, events, n, ms);
    if (!ret)
        slept(since);
    return ret;
}

/* Is this timer on the wall clock? The kernel says so in fdinfo; asked only for an absolute
 * setting under an altered clock. */
static bool timer_on_wall_clock(int fd)
{
    char buf[256];
    struct fd_line l = {buf, sizeof buf, 0};
    fd_line_text(&l, "/proc/self/fdinfo/");
    fd_line_number(&l, fd);
    long info = FD_SYS4(SYS_openat, AT_FDCWD, buf, O_RDONLY | O_CLOEXEC, 0);
    if (info < 0)
        return false;
    long n = FD_SYS3(SYS_read, info, buf, sizeof buf - 1);
    (void)FD_SYS1(SYS_close, info);
    buf[n > 0 ? n : 0] = 0;
    return fd_text_find(buf, "clockid: 0\n") != NULL;
}

FD_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *t, struct itimerspec *old)
{
    if (!(flags & TFD_TIMER_ABSTIME) || !fd_live_on() || !fd_live.altered || !t ||
        (!t->it_value.tv_sec && !t->it_value.tv_nsec) || t->it_value.tv_nsec < 0 ||
        t->it_value.tv_nsec > 999999999 || !timer_on_wall_clock(fd))
        return REAL(timerfd_settime)(fd, flags, t, old);
    struct itimerspec real = *t;
    int64_t at = fd_clock_deadline(fd_ns(&t->it_value));
    real.it_value = fd_timespec(at > 0 ? at : 1); /* 0 would disarm it */
    return REAL(timerfd_settime)(fd, flags, &real, old);
}
