#ifndef FD_NS_H
#define FD_NS_H
/* Nanoseconds, and the clocks as the kernel has them. Async-signal-safe. */
#include <stdint.h>
#include <time.h>

int64_t fd_ns(const struct timespec *t); /* saturates */
struct timespec fd_timespec(int64_t ns);

int64_t fd_clock_real(void); /* CLOCK_REALTIME */
int64_t fd_clock_mono(void);
void fd_clock_kernel(clockid_t id, struct timespec *t); /* any; zero if there is none such */

#endif
