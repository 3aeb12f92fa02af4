#include "shim/stall.h"
#include "shim/mix.h"
#include "shim/ns.h"
#include "shim/raw.h"
#include <sys/stat.h>

#define EACH_MOST INT64_C(400000000) /* ns that one thread is kept at one kind of place */
#define ALL_MOST INT64_C(1000000000) /* and all threads of a test everywhere: two
                                        * seconds to spare are always enough */

void fd_stall_seen(enum fd_stall at)
{
    struct fd_seen *seen = &fd_live.page->seen;
    uint32_t *n = at < FD_STALL_COUNT ? &seen->stalled[at] : &seen->clock_reads;
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

void fd_stall_take_back(void)
{
    struct fd_page *p = fd_live.page;
    struct fd_thread *t = &fd_thread;
    t->read = 0;
    if (!fd_live.open || t->epoch != fd_live.epoch)
        return;
    __atomic_fetch_sub(&p->slot[t->slot].touched[FD_AXIS_TIMING], 1, __ATOMIC_RELAXED);
    if (p->settings.watch)
        __atomic_fetch_sub(&p->seen.clock_reads, 1, __ATOMIC_RELAXED);
    if (t->site)
        __atomic_fetch_sub(&p->site[t->site - 1].count, 1, __ATOMIC_RELAXED);
    t->site = 0;
}

/* Until an instant, so that signals that interrupt it do not make it longer. */
void fd_stall_sleep(int64_t for_ns)
{
    struct timespec until = fd_timespec(fd_clock_mono() + for_ns);
    while (FD_SYS4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 1 /* TIMER_ABSTIME */, &until, NULL) == -4)
        ; /* EINTR */
}

/* The nth delay of a thread at a place; 0 once there were enough of them. */
static int64_t length(enum fd_stall at, uint64_t ordinal, uint32_t nth)
{
    const struct fd_settings *s = &fd_live.page->settings;
    if ((int64_t)nth * s->stall_ns >= EACH_MOST && nth)
        return 0;
    if (!s->stall_seeded)
        return s->stall_ns;
    uint64_t draw = fd_mix(fd_mix(fd_mix(s->stall_seed, at), ordinal), nth);
    return (int64_t)(draw % (uint64_t)s->stall_ns) + 1;
}

static int64_t granted(int64_t ns)
{
    int64_t *all = &fd_live.page->stalled_ns;
    if (ns <= 0 || __atomic_load_n(all, __ATOMIC_RELAXED) >= ALL_MOST)
        return 0;
    __atomic_fetch_add(all, ns, __ATOMIC_RELAXED);
    return ns;
}

void fd_stall_take(enum fd_stall at)
{
    struct fd_thread *t = fd_thread_now();
    int64_t ns = granted(length(at, t->ordinal, __atomic_fetch_add(&t->stalled[at], 1,
                                                                   __ATOMIC_RELAXED)));
    if (ns)
        fd_stall_sleep(ns);
}

void fd_stall_io_on(int fd)
{
    struct stat s;
    if (!fd_live.open || FD_SYS2(SYS_fstat, fd, &s) != 0 ||
        !(S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode)))
        return;
    if (fd_stall_watching())
        fd_stall_seen(FD_STALL_IO);
    fd_stall(FD_STALL_IO);
}

int64_t fd_stall_thread(uint64_t ordinal)
{
    const struct fd_settings *s = &fd_live.page->settings;
    if (!(fd_live.stalls >> FD_STALL_THREAD & 1) || !fd_live.open)
        return 0;
    uint32_t nth = __atomic_add_fetch(&fd_live.page->stall_threads, 1, __ATOMIC_ACQ_REL);
    return s->stall_nth && s->stall_nth != nth ? 0 : granted(length(FD_STALL_THREAD, ordinal, 0));
}
