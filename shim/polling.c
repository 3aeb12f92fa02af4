/* Waits for descriptors, with a timeout: the heart of an event loop. Where they wait for none they
 * are sleeps (nap.h). A standing clock follows the timeouts that expire. */
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/nap.h"
#include "shim/pace.h"
#include "shim/real.h"
#include "shim/stall.h"
#include <errno.h>

#define FOREVER INT64_C(-1)
#define MS INT64_C(1000000)

struct polling {
    struct fd_nap nap;
    bool sleeps; /* for no descriptor */
    struct timespec room;
};

/* `for_ns` is negative where there is no timeout. True: it is over at once. */
static bool begin(struct polling *p, const char *hook, bool sleeps, int64_t for_ns)
{
    *p = (struct polling){.sleeps = sleeps};
    if (!fd_live_on())
        return false;
    if (sleeps && for_ns >= 0) {
        fd_nap_begin(&p->nap, hook);
        return fd_nap_skip(&p->nap, for_ns);
    }
    p->nap.on = true;
    if (for_ns > 0)
        fd_stall_timed(FD_STALL_LOOP, hook);
    else
        fd_stall_touch(FD_STALL_LOOP, hook);
    p->nap.since = for_ns > 0 && fd_clock_stands() ? fd_pace_now() : 0;
    return false;
}

static int end(struct polling *p, int ret)
{
    if (!p->nap.on)
        return ret;
    int before = errno;
    if (ret)
        p->nap.since = 0; /* it did not take all of its time */
    fd_nap_end(&p->nap, p->sleeps && !ret);
    if (!p->sleeps && ret >= 0)
        fd_stall(FD_STALL_LOOP);
    errno = before;
    return ret;
}

static int64_t span(const struct timespec *t)
{
    return !t ? FOREVER : t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec > 999999999 ? 0 : fd_ns(t);
}

static bool paced(int64_t for_ns)
{
    return for_ns > 0 && fd_live_on() && fd_pace_on();
}

static const struct timespec *shorter(struct polling *p, const struct timespec *t)
{
    if (!paced(span(t)))
        return t;
    p->room = fd_timespec(fd_pace_span(fd_ns(t)));
    return &p->room;
}

static int64_t span_of(const struct timeval *t)
{
    struct timespec s = {.tv_sec = t ? t->tv_sec : 0, .tv_nsec = t ? t->tv_usec * 1000 : 0};
    return t ? span(&s) : FOREVER;
}

/* select() leaves in *t what is left of it. */
static int selected(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t)
{
    int64_t for_ns = span_of(t);
    if (!paced(for_ns))
        return REAL(select)(n, r, w, x, t);
    int64_t us = (fd_pace_span(for_ns) + 999) / 1000;
    struct timeval room = {.tv_sec = us / 1000000, .tv_usec = us % 1000000};
    int ret = REAL(select)(n, r, w, x, &room);
    struct timespec left = {.tv_sec = room.tv_sec, .tv_nsec = room.tv_usec * 1000};
    int64_t back = fd_pace_span_back(fd_ns(&left)) / 1000;
    *t = (struct timeval){.tv_sec = back / 1000000, .tv_usec = back % 1000000};
    return ret;
}

FD_EXPORT int select(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t)
{
    struct polling p;
    if (begin(&p, "select", n == 0, span_of(t))) {
        *t = (struct timeval){0, 0};
        return 0;
    }
    return end(&p, selected(n, r, w, x, t));
}

FD_EXPORT int __select(int n, fd_set *r, fd_set *w, fd_set *x, struct timeval *t)
{
    return select(n, r, w, x, t);
}

FD_EXPORT int pselect(int n, fd_set *r, fd_set *w, fd_set *x, const struct timespec *t,
                      const sigset_t *mask)
{
    struct polling p;
    if (begin(&p, "pselect", n == 0, span(t)))
        return 0;
    return end(&p, REAL(pselect)(n, r, w, x, shorter(&p, t), mask));
}

static int polled(struct polling *p, struct pollfd *fds, nfds_t n, int ms)
{
    if (!paced(ms * MS))
        return REAL(poll)(fds, n, ms);
    p->room = fd_timespec(fd_pace_span(ms * MS)); /* milliseconds would be too coarse */
    return REAL(ppoll)(fds, n, &p->room, NULL);
}

FD_EXPORT int poll(struct pollfd *fds, nfds_t n, int ms)
{
    struct polling p;
    if (begin(&p, "poll", n == 0, ms < 0 ? FOREVER : ms * MS))
        return 0;
    return end(&p, polled(&p, fds, n, ms));
}

FD_EXPORT int __poll(struct pollfd *fds, nfds_t n, int ms)
{
    return poll(fds, n, ms);
}

FD_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room)
{
    return room / sizeof *fds < n ? REAL(__poll_chk)(fds, n, ms, room) : poll(fds, n, ms);
}

FD_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
    struct polling p;
    if (begin(&p, "ppoll", n == 0, span(t)))
        return 0;
    return end(&p, REAL(ppoll)(fds, n, shorter(&p, t), mask));
}

FD_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t,
                          const sigset_t *mask, size_t room)
{
    return room / sizeof *fds < n ? REAL(__ppoll_chk)(fds, n, t, mask, room)
                                  : ppoll(fds, n, t, mask);
}

/* epoll_wait() counts in milliseconds: the time is waited for with ppoll on its descriptor. Another
 * thread may take what woke us; then there is time left. */
static int paced_epoll(int fd, struct epoll_event *events, int n, int64_t for_ns,
                       const sigset_t *mask)
{
    int64_t until = fd_clock_mono() + fd_pace_span(for_ns);
    for (;;) {
        int ret = REAL(epoll_pwait)(fd, events, n, 0, mask);
        int64_t left = until - fd_clock_mono();
        if (ret || left <= 0)
            return ret;
        struct timespec t = fd_timespec(left);
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (REAL(ppoll)(&p, 1, &t, mask) < 0)
            return -1;
    }
}

FD_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask)
{
    struct polling p;
    int64_t for_ns = ms < 0 ? FOREVER : ms * MS;
    if (begin(&p, "epoll_pwait", false, for_ns))
        return 0;
    return end(&p, paced(for_ns) ? paced_epoll(fd, events, n, for_ns, mask)
                                 : REAL(epoll_pwait)(fd, events, n, ms, mask));
}

FD_EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
    struct polling p;
    int64_t for_ns = ms < 0 ? FOREVER : ms * MS;
    if (begin(&p, "epoll_wait", false, for_ns))
        return 0;
    return end(&p, paced(for_ns) ? paced_epoll(fd, events, n, for_ns, NULL)
                                 : REAL(epoll_wait)(fd, events, n, ms));
}

/* Younger than 2.31: where libc lacks it, so does this. */
FD_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *t,
                           const sigset_t *mask)
{
    struct polling p;
    if (!REAL(epoll_pwait2)) {
        errno = ENOSYS;
        return -1;
    }
    if (begin(&p, "epoll_pwait2", false, span(t)))
        return 0;
    return end(&p, REAL(epoll_pwait2)(fd, events, n, shorter(&p, t), mask));
}
