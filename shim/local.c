/* The readers of the local time zone, counted and left alone: TZ is fixed at process start. */
#include "shim/live.h"
#include "shim/real.h"
#include "shim/seen.h"
#include "shim/zone.h"

void fd_zone_read(const char *hook)
{
    if (!fd_live_on())
        return;
    fd_touch(FD_AXIS_ZONE, hook);
    if (fd_noting())
        fd_seen_read(FD_AXIS_ZONE);
}

FD_EXPORT struct tm *localtime(const time_t *t)
{
    fd_zone_read("localtime");
    return REAL(localtime)(t);
}

FD_EXPORT struct tm *localtime_r(const time_t *t, struct tm *out)
{
    fd_zone_read("localtime");
    return REAL(localtime_r)(t, out);
}

FD_EXPORT time_t mktime(struct tm *tm)
{
    fd_zone_read("mktime");
    return REAL(mktime)(tm);
}

FD_EXPORT time_t timelocal(struct tm *tm)
{
    fd_zone_read("mktime");
    return REAL(timelocal)(tm);
}

FD_EXPORT char *ctime(const time_t *t)
{
    fd_zone_read("ctime");
    return REAL(ctime)(t);
}

FD_EXPORT char *ctime_r(const time_t *t, char *out)
{
    fd_zone_read("ctime");
    return REAL(ctime_r)(t, out);
}

FD_EXPORT void tzset(void)
{
    fd_zone_read("tzset");
    REAL(tzset)();
}
