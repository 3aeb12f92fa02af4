#ifndef FD_CLOCK_H
#define FD_CLOCK_H
/* The arithmetic between the real wall clock and the one that is shown. Nanoseconds since the
 * epoch everywhere; every reader, waiter and file stamp of the shim goes through here, so that one
 * program never sees two clocks that disagree. All functions are async-signal-safe. */
#include <stdbool.h>
#include "shim/ns.h"

int64_t fd_clock_read(void); /* what the program sees; counts, steps, ticks */
int64_t fd_clock_peek(void); /* the same without the counting */

/* The window opens now: fixes base and shift of fd_live. With `page` fields as they stand
 * (fd_clock_join) for a process that continues its parent's window. */
void fd_clock_open(int64_t real_ns, int64_t mono_ns);
void fd_clock_join(void);

/* A shown deadline as a real one, and what a wait that reached it means for a frozen clock. */
int64_t fd_clock_deadline(int64_t shown_ns);
void fd_clock_reached(int64_t shown_ns);
void fd_clock_slept(int64_t for_ns);
bool fd_clock_stands(void); /* frozen or stepping inside the window: only waits move it */

/* File stamps. to_stamp is the inverse: what must be stored so that it reads back as `shown`. */
int64_t fd_clock_of_stamp(int64_t real_ns);
int64_t fd_clock_to_stamp(int64_t shown_ns);

#endif
