#ifndef FD_COLLECTOR_H
#define FD_COLLECTOR_H
/* When Python's cyclic collector runs. From the window's opening on, in a forked child of a process
 * that has frozen what it had as in a new one: what was there before is left out of both. */

/* The GIL is held by the caller of setenv, or nothing is done. */
void fd_collector_start(void);

#endif
