#ifndef FD_PACE_H
#define FD_PACE_H
/* A slow machine, and a coarse clock: from the moment the first window opens every clock but those
 * of processor time runs N times as fast as the real one, and every timeout takes a Nth of it.
 * Work takes as long as ever, so that it seems N times slower; below 1, faster. One formula for all
 * clocks:
 *
 *   shown(mono) = since + N * (mono - since) + skipped, rounded down to a step of a coarse clock
 *
 * Pure arithmetic on fd_live and the page; async-signal-safe. */
#include <stdbool.h>
#include "shim/live.h"
#include "shim/ns.h"

static inline bool fd_pace_on(void)
{
    return fd_live.paced && fd_live.open;
}

/* The window opens: from the first one on the clocks are ours. */
void fd_pace_open(int64_t real_ns, int64_t mono_ns);

int64_t fd_pace_mono(int64_t mono_ns); /* what CLOCK_MONOTONIC shows at a real instant of it */
int64_t fd_pace_now(void);             /* and now, also where it is as ever */
int64_t fd_pace_real(void);            /* CLOCK_REALTIME before anything else is done to it */
int64_t fd_pace_clock(clockid_t id, int64_t real_ns); /* another clock, given its real reading */
bool fd_pace_has(clockid_t id);        /* is it one that runs with CLOCK_MONOTONIC? */

/* File stamps: what the kernel wrote, as the fast wall clock would have, and back. */
int64_t fd_pace_of_stamp(int64_t real_ns);
int64_t fd_pace_to_stamp(int64_t shown_ns);

/* Deadlines and spans as the program has them, for the kernel: never early, 0 stays 0, what is
 * negative stays negative. span_back is for what the kernel says is left. */
int64_t fd_pace_deadline(clockid_t id, int64_t shown_ns);
int64_t fd_pace_span(int64_t ns);
int64_t fd_pace_span_back(int64_t ns);

#endif
