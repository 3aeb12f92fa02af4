#ifndef FD_LATE_H
#define FD_LATE_H
/* Threads that start late. */
#include <stdbool.h>
#include <stdint.h>

void fd_late_look_up(void); /* in the constructor: is this a Python? */
bool fd_late_python(void); /* there is */

/* In the new thread, before anything else: the delay that fd_stall_thread gave it. */
void fd_late_begin(int64_t for_ns, void *(*run)(void *));
void fd_late_posted(void); /* it let another thread go on */

#endif
