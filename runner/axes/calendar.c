#include "axes/calendar.h"

#include "base/own.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_S      INT64_C(86400)
#define YEARS      10
#define SHIFT_DAYS 400

static char *zone_enter(const char *zone)
{
    const char *had = getenv("TZ");
    char *saved = had ? str_or_die(had) : NULL;
    if (zone && *zone)
        setenv("TZ", zone, 1);
    tzset();
    return saved;
}

static void zone_leave(const char *zone, char *saved)
{
    if (zone && *zone) {
        if (saved)
            setenv("TZ", saved, 1);
        else
            unsetenv("TZ");
        tzset();
    }
    free(saved);
}

static struct tm local(int64_t t)
{
    time_t when = (time_t)t;
    struct tm tm;
    localtime_r(&when, &tm);
    return tm;
}

static int iso_year(const struct tm *tm)
{
    char buf[16];
    strftime(buf, sizeof buf, "%G", tm);
    return atoi(buf);
}

static bool matches(enum calendar_kind kind, const struct tm *tm)
{
    int year = tm->tm_year + 1900, month = tm->tm_mon + 1, day = tm->tm_mday;
    switch (kind) {
    case CALENDAR_MIDNIGHT:
        return true;
    case CALENDAR_MONTH:
        return day == 1 && month != 1;
    case CALENDAR_YEAR:
        return day == 1 && month == 1;
    case CALENDAR_FEB_28:
        return day == 28 && month == 2;
    case CALENDAR_LEAP_DAY:
        return day == 29 && month == 2;
    case CALENDAR_MARCH:
        return day == 1 && month == 3 && tm->tm_yday == 59;
    case CALENDAR_OCT_31:
        return day == 31 && month == 10;
    case CALENDAR_ISO_EARLY:
        return month == 12 && iso_year(tm) > year;
    case CALENDAR_ISO_LATE:
        return month == 1 && iso_year(tm) < year;
    case CALENDAR_MINUTE:
    case CALENDAR_KINDS:
        break;
    }
    return false;
}

/* The start of the local day `days` after the one `after` falls in. mktime() settles what a
 * midnight that a clock change skips means. */
static int64_t day_start(int64_t after, int days)
{
    struct tm tm = local(after);
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_mday += days;
    tm.tm_isdst = -1;
    return (int64_t)mktime(&tm);
}

static bool next_day(enum calendar_kind kind, int64_t after, int64_t *ret)
{
    for (int d = 1; d <= YEARS * 366; d++) {
        int64_t start = day_start(after, d);
        struct tm tm = local(start);
        if (start > after && matches(kind, &tm)) {
            *ret = start;
            return true;
        }
    }
    return false;
}

bool calendar_next(enum calendar_kind kind, const char *zone, int64_t after, int64_t *ret)
{
    if (kind == CALENDAR_MINUTE) {
        *ret = (after / 60 + 1) * 60;
        return true;
    }
    char *saved = zone_enter(zone);
    bool found = next_day(kind, after, ret);
    zone_leave(zone, saved);
    return found;
}

static bool next_shift(int64_t after, int64_t *ret, bool *ret_forward)
{
    long offset = local(after).tm_gmtoff;
    for (int64_t d = 1; d <= SHIFT_DAYS; d++) {
        int64_t high = after + d * DAY_S, low = high - DAY_S;
        long then = local(high).tm_gmtoff;
        if (then == offset)
            continue;
        while (high - low > 1) {
            int64_t mid = low + (high - low) / 2;
            if (local(mid).tm_gmtoff == offset)
                low = mid;
            else
                high = mid;
        }
        *ret = high;
        *ret_forward = local(high).tm_gmtoff > offset;
        return true;
    }
    return false;
}

bool calendar_shift(const char *zone, int64_t after, int64_t *ret, bool *ret_forward)
{
    char *saved = zone_enter(zone);
    bool found = next_shift(after, ret, ret_forward);
    zone_leave(zone, saved);
    return found;
}
