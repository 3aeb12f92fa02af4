/* Timers that tell of the end of a span. Those of processor time are left alone. */
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/pace.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/stall.h"
#include "shim/text.h"
#include <errno.h>
#include <fcntl.h>

static bool paced(void)
{
    return fd_live_on() && fd_pace_on();
}

static bool valid(const struct timespec *t)
{
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

static bool armed(const struct timespec *t)
{
    return t->tv_sec || t->tv_nsec;
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

/* A new setting of a timer as the kernel shall have it. `wall`: what an absolute one counts on. */
static const struct itimerspec *faster(const struct itimerspec *t, bool absolute, bool wall,
                                       struct itimerspec *room)
{
    if (!fd_live_on() || !fd_live.altered || !t || !valid(&t->it_value) ||
        !valid(&t->it_interval) || !armed(&t->it_value))
        return t;
    *room = *t;
    if (absolute && (wall || fd_pace_on())) {
        int64_t at = fd_ns(&t->it_value);
        at = wall ? fd_clock_deadline(at) : fd_pace_deadline(CLOCK_MONOTONIC, at);
        room->it_value = fd_timespec(at > 0 ? at : 1); /* 0 would disarm it */
    } else if (!absolute && fd_pace_on()) {
        room->it_value = fd_timespec(fd_pace_span(fd_ns(&t->it_value)));
    }
    if (fd_pace_on())
        room->it_interval = fd_timespec(fd_pace_span(fd_ns(&t->it_interval)));
    return room;
}

static int slower(int ret, struct itimerspec *now)
{
    if (!ret && now && paced()) {
        now->it_value = fd_timespec(fd_pace_span_back(fd_ns(&now->it_value)));
        now->it_interval = fd_timespec(fd_pace_span_back(fd_ns(&now->it_interval)));
    }
    return ret;
}

FD_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *t, struct itimerspec *old)
{
    struct itimerspec room;
    bool absolute = flags & TFD_TIMER_ABSTIME;
    bool wall = absolute && fd_live_on() && fd_live.altered && timer_on_wall_clock(fd);
    return slower(REAL(timerfd_settime)(fd, flags, faster(t, absolute, wall, &room), old), old);
}

FD_EXPORT int timerfd_gettime(int fd, struct itimerspec *now)
{
    return slower(REAL(timerfd_gettime)(fd, now), now);
}

/* Nothing tells the clock of such a timer: it is the one that the instant lies nearer to. */
static bool near_wall(const struct timespec *at)
{
    return fd_ns(at) / 2 > fd_clock_peek() / 4 + fd_pace_now() / 4;
}

FD_EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *t,
                            struct itimerspec *old)
{
    struct itimerspec room;
    bool absolute = flags & TIMER_ABSTIME;
    bool wall = absolute && t && fd_live_on() && fd_live.altered && near_wall(&t->it_value);
    return slower(REAL(timer_settime)(id, flags, faster(t, absolute, wall, &room), old), old);
}

FD_EXPORT int timer_gettime(timer_t id, struct itimerspec *now)
{
    return slower(REAL(timer_gettime)(id, now), now);
}

static int64_t ns_of(const struct timeval *t)
{
    return t->tv_sec * INT64_C(1000000000) + t->tv_usec * 1000;
}

static struct timeval timeval_of(int64_t ns)
{
    int64_t us = (ns + 999) / 1000;
    return (struct timeval){.tv_sec = us / 1000000, .tv_usec = us % 1000000};
}

static int slower_interval(int ret, __itimer_which_t which, struct itimerval *now)
{
    if (!ret && now && which == ITIMER_REAL && paced()) {
        now->it_value = timeval_of(fd_pace_span_back(ns_of(&now->it_value)));
        now->it_interval = timeval_of(fd_pace_span_back(ns_of(&now->it_interval)));
    }
    return ret;
}

FD_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *t, struct itimerval *old)
{
    struct itimerval room;
    if (which != ITIMER_REAL || !t || !paced())
        return REAL(setitimer)(which, t, old);
    room.it_value = timeval_of(fd_pace_span(ns_of(&t->it_value)));
    room.it_interval = timeval_of(fd_pace_span(ns_of(&t->it_interval)));
    bool valid_us = t->it_value.tv_usec < 1000000 && t->it_interval.tv_usec < 1000000;
    return slower_interval(REAL(setitimer)(which, valid_us ? &room : t, old), which, old);
}

FD_EXPORT int getitimer(__itimer_which_t which, struct itimerval *now)
{
    return slower_interval(REAL(getitimer)(which, now), which, now);
}

FD_EXPORT unsigned int alarm(unsigned int s)
{
    struct itimerval t = {.it_value = {.tv_sec = s}}, old;
    if (!paced() || setitimer(ITIMER_REAL, &t, &old))
        return REAL(alarm)(s);
    /* as libc does: less than half a second more is none, but what is armed is never 0 */
    long up = old.it_value.tv_usec >= 500000 || (!old.it_value.tv_sec && old.it_value.tv_usec);
    return (unsigned int)(old.it_value.tv_sec + up);
}

FD_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *t)
{
    struct timespec room;
    if (!fd_live_on())
        return REAL(sigtimedwait)(set, info, t);
    fd_stall_timed(FD_STALL_WAKE, "sigtimedwait");
    if (t && valid(t) && fd_pace_on()) {
        room = fd_timespec(fd_pace_span(fd_ns(t)));
        t = &room;
    }
    int ret = REAL(sigtimedwait)(set, info, t);
    if (ret > 0)
        fd_stall(FD_STALL_WAKE);
    return ret;
}
