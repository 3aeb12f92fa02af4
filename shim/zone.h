#ifndef FD_ZONE_H
#define FD_ZONE_H
/* Which time zones the program looked up: the zone files it opened. */
void fd_zone_opened(const char *path); /* any path; cheap unless it is a zone file */
void fd_zone_hand_over(void);          /* a new page: what was opened before goes there too */
#endif
