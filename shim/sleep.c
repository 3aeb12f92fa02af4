/* Sleeps. A relative one is right on any clock; but a wall clock that stands still has to follow
 * it, or "while time() < end: sleep()" never ends. On a machine that shall seem slow it takes its
 * share of the time, or none at all where sleeps are skipped. */
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/nap.h"
#include "shim/pace.h"
#include "shim/real.h"
#include "shim/stall.h"
#include <errno.h>

static bool valid(const struct timespec *t)
{
    return t && t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

void fd_nap_begin(struct fd_nap *n, const char *hook)
{
    *n = (struct fd_nap){.on = fd_live_on()};
    if (!n->on)
        return;
    fd_stall_take_own(); /* time.sleep() looks at the clock first */
    fd_stall_timed(FD_STALL_WAKE, hook);
    n->since = fd_clock_stands() ? fd_pace_now() : 0;
}

bool fd_nap_skip(struct fd_nap *n, int64_t for_ns)
{
    if (!n->on || !fd_pace_on() || !fd_live.page->settings.skip_sleeps)
        return false;
    if (for_ns > 0)
        __atomic_fetch_add(&fd_live.page->skipped_ns, for_ns, __ATOMIC_ACQ_REL);
    fd_nap_end(n, true);
    return true;
}

void fd_nap_end(const struct fd_nap *n, bool slept)
{
    if (n->since)
        fd_clock_slept(fd_pace_now() - n->since);
    if (n->on && slept)
        fd_stall(FD_STALL_WAKE);
}

static int until(clockid_t id, int flags, const struct timespec *t, struct fd_nap *n)
{
    int64_t shown = fd_ns(t);
    bool wall = id == CLOCK_REALTIME;
    if (fd_nap_skip(n, shown - (wall ? fd_clock_peek() : fd_pace_now())))
        return 0;
    struct timespec real = fd_timespec(wall ? fd_clock_deadline(shown)
                                            : fd_pace_deadline(id, shown));
    int err = REAL(clock_nanosleep)(id, flags, &real, NULL);
    if (!err && wall)
        fd_clock_reached(shown);
    fd_nap_end(&(struct fd_nap){.on = n->on, .since = wall ? 0 : n->since}, !err);
    return err;
}

/* A relative sleep as the kernel shall have it, and what it left as the program shall. */
static const struct timespec *shorter(const struct timespec *t, struct timespec *room)
{
    if (!fd_live_on() || !fd_pace_on() || !valid(t))
        return t;
    *room = fd_timespec(fd_pace_span(fd_ns(t)));
    return room;
}

static void longer(struct timespec *left)
{
    if (left && fd_live_on() && fd_pace_on())
        *left = fd_timespec(fd_pace_span_back(fd_ns(left)));
}

FD_EXPORT int clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                              struct timespec *left)
{
    struct fd_nap n;
    struct timespec room;
    bool ours = id == CLOCK_REALTIME || fd_pace_has(id);
    fd_nap_begin(&n, "clock_nanosleep");
    if (n.on && fd_live.altered && valid(t) && ours && flags & TIMER_ABSTIME &&
        (id == CLOCK_REALTIME || fd_pace_on()))
        return until(id, flags, t, &n);
    bool relative = ours && !(flags & TIMER_ABSTIME);
    if (relative && valid(t) && fd_nap_skip(&n, fd_ns(t)))
        return 0;
    int err = REAL(clock_nanosleep)(id, flags, relative ? shorter(t, &room) : t, left);
    if (err == EINTR && relative)
        longer(left);
    fd_nap_end(&n, !err);
    return err;
}

#define SLEEP(name)                                                     \
    FD_EXPORT int name(const struct timespec *t, struct timespec *left) \
    {                                                                   \
        struct fd_nap n;                                                \
        struct timespec room;                                           \
        fd_nap_begin(&n, #name);                                        \
        if (valid(t) && fd_nap_skip(&n, fd_ns(t)))                      \
            return 0;                                                   \
        int ret = REAL(name)(shorter(t, &room), left);                  \
        if (ret == -1)                                                  \
            longer(left);                                               \
        fd_nap_end(&n, !ret);                                           \
        return ret;                                                     \
    }

SLEEP(nanosleep)
SLEEP(__nanosleep)
SLEEP(thrd_sleep)

FD_EXPORT int usleep(useconds_t us)
{
    if (fd_live_on() && fd_pace_on()) {
        const struct timespec t = fd_timespec(us * INT64_C(1000));
        return nanosleep(&t, NULL);
    }
    struct fd_nap n;
    fd_nap_begin(&n, "usleep");
    int ret = REAL(usleep)(us);
    fd_nap_end(&n, !ret);
    return ret;
}

FD_EXPORT unsigned int sleep(unsigned int s)
{
    if (fd_live_on() && fd_pace_on()) {
        struct timespec t = {.tv_sec = s}, left = {0, 0};
        int before = errno;
        bool cut = nanosleep(&t, &left) != 0;
        errno = before;
        return cut ? (unsigned int)(left.tv_sec + (left.tv_nsec > 0)) : 0;
    }
    struct fd_nap n;
    fd_nap_begin(&n, "sleep");
    unsigned int left = REAL(sleep)(s);
    fd_nap_end(&n, !left);
    return left;
}
