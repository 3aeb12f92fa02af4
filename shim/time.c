/* The readers of the wall clock. All of them derive from one reading (fd_clock_read), so that a
 * program that mixes them never sees time go back. CLOCK_MONOTONIC and its family are real unless
 * the machine shall seem slow (pace.h). */
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/pace.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/stall.h"
#include "shim/syscall.h"
#include <errno.h>

static bool wall(clockid_t id)
{
    return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI;
}

static int kernel_read(clockid_t id, struct timespec *t)
{
    if (real_clock_gettime)
        return real_clock_gettime(id, t);
    return (int)fd_raw_result(FD_SYS2(SYS_clock_gettime, id, t));
}

/* A witness numbers the reads of the window also where the clock is left alone. */
static void touch(const char *hook)
{
    fd_touch(FD_AXIS_TIME, hook);
    if (__builtin_expect(fd_live.witness != 0, 0) && fd_live.open && !fd_live.altered)
        __atomic_fetch_add(&fd_live.page->window_reads, 1, __ATOMIC_ACQ_REL);
}

/* International atomic time runs a whole number of seconds ahead, as told to the kernel. */
static int64_t ahead(clockid_t id)
{
    struct timespec tai = {0, 0};
    if (id != CLOCK_TAI || kernel_read(id, &tai))
        return 0;
    int64_t apart = fd_ns(&tai) - fd_clock_real() + 500000000;
    return apart / 1000000000 * 1000000000;
}

static int monotonic_read(clockid_t id, struct timespec *t, const char *hook)
{
    fd_stall_touch(FD_STALL_COUNT, hook);
    fd_thread.read = fd_live.open;
    int ret = kernel_read(id, t);
    if (!ret && fd_pace_on())
        *t = fd_timespec(fd_pace_clock(id, fd_ns(t)));
    return ret;
}

static int clock_read(clockid_t id, struct timespec *t, const char *hook)
{
    if (!fd_live_on())
        return kernel_read(id, t);
    if (fd_pace_has(id))
        return monotonic_read(id, t, hook);
    if (!wall(id))
        return kernel_read(id, t);
    touch(hook);
    if (!fd_live.altered)
        return kernel_read(id, t);
    int64_t shown = fd_clock_read();
    *t = fd_timespec(id == CLOCK_TAI ? shown + ahead(id) : shown);
    return 0;
}

static int day_read(struct timeval *t, void *zone, const char *hook)
{
    bool on = fd_live_on();
    if (on)
        touch(hook);
    if (!on || !fd_live.altered || zone) {
        int ret = real_gettimeofday ? real_gettimeofday(t, zone)
                                    : (int)fd_raw_result(FD_SYS2(SYS_gettimeofday, t, zone));
        if (ret || !on || !fd_live.altered)
            return ret;
    }
    if (t) {
        struct timespec shown = fd_timespec(fd_clock_read());
        *t = (struct timeval){.tv_sec = shown.tv_sec, .tv_usec = shown.tv_nsec / 1000};
    }
    return 0;
}

FD_EXPORT int clock_gettime(clockid_t id, struct timespec *t)
{
    return clock_read(id, t, "clock_gettime");
}

FD_EXPORT int __clock_gettime(clockid_t id, struct timespec *t)
{
    return clock_read(id, t, "clock_gettime");
}

/* asyncio waits no shorter than the clock's step, as where clocks really are coarse. */
FD_EXPORT int clock_getres(clockid_t id, struct timespec *t)
{
    int ret = real_clock_getres ? real_clock_getres(id, t)
                                : (int)fd_raw_result(FD_SYS2(SYS_clock_getres, id, t));
    if (!ret && t && fd_live_on() && fd_pace_on() && (wall(id) || fd_pace_has(id)) &&
        fd_live.page->settings.coarse_ns)
        *t = fd_timespec(fd_live.page->settings.coarse_ns);
    return ret;
}

FD_EXPORT int gettimeofday(struct timeval *t, void *zone)
{
    return day_read(t, zone, "gettimeofday");
}

FD_EXPORT int __gettimeofday(struct timeval *t, void *zone)
{
    return day_read(t, zone, "gettimeofday");
}

FD_EXPORT time_t time(time_t *out)
{
    time_t now;
    bool on = fd_live_on();
    if (on)
        touch("time");
    if (on && fd_live.altered) {
        now = fd_timespec(fd_clock_read()).tv_sec;
    } else if (real_time) {
        return real_time(out);
    } else {
        struct timespec t;
        (void)FD_SYS2(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &t);
        now = t.tv_sec;
    }
    if (out)
        *out = now;
    return now;
}

FD_EXPORT int timespec_get(struct timespec *t, int base)
{
    if (base == TIME_UTC)
        return clock_read(CLOCK_REALTIME, t, "timespec_get") ? 0 : base;
    return REAL(timespec_get)(t, base);
}

FD_EXPORT int ftime(struct timeb *t)
{
    struct timespec now;
    if (clock_read(CLOCK_REALTIME, &now, "ftime"))
        return -1;
    *t = (struct timeb){.time = now.tv_sec, .millitm = (unsigned short)(now.tv_nsec / 1000000)};
    return 0;
}

long fd_syscall_clock(long n, long a, long b)
{
    if (n == SYS_clock_gettime)
        return clock_read((clockid_t)a, (struct timespec *)b, "syscall");
    if (n == SYS_gettimeofday)
        return day_read((struct timeval *)a, (void *)b, "syscall");
    return (long)time((time_t *)a);
}
