#ifndef FD_STALL_H
#define FD_STALL_H
/* Where a loaded machine keeps a program waiting, and the tally of what such a machine could spoil.
 * A delay is a pure function of (seed, place, thread's ordinal, how many of it the thread took), so
 * that it repeats; it is slept by raw system calls and counts nowhere. All of them together are
 * bounded, for each thread and for the trial: slow is not for ever. Async-signal-safe; errno is
 * kept. */
#include "shim/live.h"

static inline bool fd_stall_watching(void)
{
    return fd_live.open && fd_live.page->settings.watch;
}

void fd_stall_seen(enum fd_stall at);
void fd_stall_take(enum fd_stall at);

/* A call that a slow machine could spoil; FD_STALL_COUNT: a read of a monotonic clock. */
static inline void fd_stall_touch(enum fd_stall at, const char *hook)
{
    fd_touch(FD_AXIS_TIMING, hook);
    if (__builtin_expect(fd_stall_watching(), 0))
        fd_stall_seen(at);
}

/* Python reads the clock before each of its locks and sleeps, to have a deadline where there is
 * one: what follows shows that it was no read of the program's, and it is taken back. */
void fd_stall_take_back(void);
static inline void fd_stall_take_own(void)
{
    if (fd_thread.read)
        fd_stall_take_back();
}

/* The same, of one with a deadline or a length. */
static inline void fd_stall_timed(enum fd_stall at, const char *hook)
{
    fd_stall_touch(at, hook);
    if (__builtin_expect(fd_stall_watching(), 0))
        __atomic_fetch_add(&fd_live.page->seen.timed, 1, __ATOMIC_RELAXED);
}

/* The program stands at this place. */
static inline void fd_stall(enum fd_stall at)
{
    if (__builtin_expect(fd_live.stalls >> at & 1, 0) && fd_live.open)
        fd_stall_take(at);
}

/* Before bytes are taken from, or given to, a pipe or a socket; nothing on other files. */
void fd_stall_io_on(int fd);
static inline void fd_stall_io(int fd)
{
    if (__builtin_expect(fd_live.stalls >> FD_STALL_IO & 1, 0) ||
        __builtin_expect(fd_stall_watching(), 0))
        fd_stall_io_on(fd);
}

/* How long the thread that is started now shall be late, or 0. */
int64_t fd_stall_thread(uint64_t ordinal);

void fd_stall_sleep(int64_t for_ns); /* really */

#endif
