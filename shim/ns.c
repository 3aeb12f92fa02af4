#include "shim/ns.h"
#include "shim/raw.h"
#include "shim/real.h"

#define SECOND 1000000000LL

int64_t fd_ns(const struct timespec *t)
{
    int64_t ns;
    if (__builtin_mul_overflow((int64_t)t->tv_sec, SECOND, &ns))
        return t->tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return __builtin_add_overflow(ns, t->tv_nsec, &ns) ? INT64_MAX : ns;
}

struct timespec fd_timespec(int64_t ns)
{
    int64_t s = ns / SECOND - (ns % SECOND < 0);
    return (struct timespec){.tv_sec = s, .tv_nsec = ns - s * SECOND};
}

void fd_clock_kernel(clockid_t id, struct timespec *t)
{
    *t = (struct timespec){0, 0};
    if (!real_clock_gettime || real_clock_gettime(id, t))
        (void)FD_SYS2(SYS_clock_gettime, id, t);
}

static int64_t clock_ns(clockid_t id)
{
    struct timespec t;
    fd_clock_kernel(id, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

int64_t fd_clock_real(void)
{
    return clock_ns(CLOCK_REALTIME);
}

int64_t fd_clock_mono(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}
