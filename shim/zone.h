#ifndef FD_ZONE_H
#define FD_ZONE_H
/* Which time zones the program looked up: the zone files it opened, the zones it set TZ to. */
#include <stdbool.h>
#include "shim/wire.h"

/* local.c: the program asked for the local time zone, by the hook of that name. */
void fd_zone_read(const char *hook);
bool fd_zone_is_own(const char *path); /* where this machine's own zone is written down */

void fd_zone_opened(const char *path, struct fd_page *page); /* any path; page may be NULL */
void fd_zone_set(const char *tz, struct fd_page *page);      /* a value of TZ */
void fd_zone_hand_over(struct fd_page *page); /* what was opened before goes to a new page too */

#endif
