#ifndef FD_ZONE_H
#define FD_ZONE_H
/* Which time zones the program looked up: the zone files it opened, the zones it set TZ to. */
#include "shim/wire.h"

void fd_zone_opened(const char *path, struct fd_page *page); /* any path; page may be NULL */
void fd_zone_set(const char *tz, struct fd_page *page);      /* a value of TZ */
void fd_zone_hand_over(struct fd_page *page); /* what was opened before goes to a new page too */

#endif
