#ifndef FR_BASE_CLOCK_H
#define FR_BASE_CLOCK_H
/* Time in nanoseconds, the one unit of the tree; converted only where something is printed. */
#include <stdint.h>

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

int64_t clock_mono_ns(void); /* never goes back; for durations and deadlines */
int64_t clock_wall_ns(void); /* since the epoch */

/* Milliseconds until deadline_ns (monotonic), rounded up, as poll() takes them; 0 when past. */
int clock_poll_ms(int64_t deadline_ns);

#endif
