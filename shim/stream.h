#ifndef FD_STREAM_H
#define FD_STREAM_H
/* Entropy from the seed: counter-based streams, one for each (seed, test, door, process, thread).
 * A stream never stands still (a program that draws again until it finds a free name would never
 * end) and never depends on who else draws. No lock, no state but the thread's own counters. */
#include <stddef.h>
#include <stdint.h>
#include "shim/live.h"

void fd_stream_fill(enum fd_door door, void *buf, size_t n);
uint64_t fd_stream_word(enum fd_door door);

#endif
