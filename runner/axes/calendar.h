#ifndef FR_AXES_CALENDAR_H
#define FR_AXES_CALENDAR_H
/* Instants at which calendars and clocks change. Not thread-safe: a zone is looked up by setting
 * TZ for the length of the call, as the C library knows no other way. All in seconds since the
 * epoch, UTC, strictly after `after`. */
#include <stdbool.h>
#include <stdint.h>

enum calendar_kind {
    CALENDAR_MIDNIGHT,
    CALENDAR_MONTH, /* first of a month, not of a year */
    CALENDAR_YEAR,  /* 1 January */
    CALENDAR_FEB_28,
    CALENDAR_LEAP_DAY, /* 29 February */
    CALENDAR_MARCH,    /* 1 March of a year that is no leap year */
    CALENDAR_OCT_31,
    CALENDAR_ISO_EARLY, /* a December day that ISO 8601 counts to the next year's first week */
    CALENDAR_ISO_LATE,  /* a January day that ISO 8601 counts to the last year's last week */
    CALENDAR_MINUTE,
    CALENDAR_KINDS
};

/* The next start of that day (or minute) on the wall clock of `zone` ("" or NULL: the zone in
 * force). Searches ten years; false if there is none. */
bool calendar_next(enum calendar_kind kind, const char *zone, int64_t after, int64_t *ret);

/* The next change of the zone's offset from UTC within 400 days; *ret_forward: clocks go forward.
 */
bool calendar_shift(const char *zone, int64_t after, int64_t *ret, bool *ret_forward);

#endif
