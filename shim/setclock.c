/* Setting the machine's clock is refused while anything is held: a program that reads a shifted
 * clock and sets what it read would move the real one for everybody. EPERM is what it would see
 * without the right to set it, and what programs cope with. */
#include "shim/live.h"
#include "shim/real.h"
#include <errno.h>

static int refuse(void)
{
    errno = EPERM;
    return -1;
}

FD_EXPORT int clock_settime(clockid_t id, const struct timespec *t)
{
    return fd_live_on() ? refuse() : REAL(clock_settime)(id, t);
}

FD_EXPORT int settimeofday(const struct timeval *t, const struct timezone *zone)
{
    return fd_live_on() ? refuse() : REAL(settimeofday)(t, zone);
}

FD_EXPORT int adjtime(const struct timeval *delta, struct timeval *old)
{
    return fd_live_on() && delta ? refuse() : REAL(adjtime)(delta, old);
}

FD_EXPORT int adjtimex(struct timex *t)
{
    return fd_live_on() && t->modes ? refuse() : REAL(adjtimex)(t);
}

FD_EXPORT int ntp_adjtime(struct timex *t)
{
    return fd_live_on() && t->modes ? refuse() : REAL(ntp_adjtime)(t);
}

FD_EXPORT int clock_adjtime(clockid_t id, struct timex *t)
{
    return fd_live_on() && t->modes ? refuse() : REAL(clock_adjtime)(id, t);
}
