#include "shim/live.h"
#include "shim/mix.h"
#include "shim/raw.h"

struct fd_live fd_live;
__thread struct fd_thread fd_thread;
_Atomic int fd_state;

void fd_live_adopt(struct fd_page *page)
{
    const struct fd_settings *s = &page->settings;
    bool time = s->held >> FD_AXIS_TIME & 1;
    fd_live.page = page;
    fd_live.held = s->held;
    fd_live.time_mode = s->time_mode;
    fd_live.time_flow = s->time_flow;
    fd_live.witness = s->witness;
    fd_live.seed = s->rng_seed;
    bool timing = s->held >> FD_AXIS_TIMING & 1;
    bool fast = s->speed && s->speed != FD_SPEED_AS_EVER;
    fd_live.paced = timing && (fast || s->coarse_ns || s->skip_sleeps);
    fd_live.stalls = timing ? s->stalls : 0;
    bool moved = s->time_mode != FD_TIME_REAL || s->time_flow != FD_FLOW_RUN;
    fd_live.altered = fd_live.paced || (time && moved);
    fd_live.open = fd_live.inside = fd_live.noting = false;
    fd_live.node = 0;
    fd_live.children = 0;
    fd_live.window++;
    fd_live.epoch++;
    fd_live.pid = (int32_t)FD_SYS1(SYS_getpid, 0);
    __atomic_fetch_add(&page->attached, 1, __ATOMIC_ACQ_REL);
}

void fd_injected(enum fd_axis axis, int err)
{
    struct fd_page *p = fd_live.page;
    __atomic_store_n(&p->injected_axis, (uint32_t)axis, __ATOMIC_RELAXED);
    __atomic_store_n(&p->injected_errno, err, __ATOMIC_RELAXED);
    __atomic_fetch_add(&p->injected_count, 1, __ATOMIC_ACQ_REL);
}

uint64_t fd_live_child_ordinal(void)
{
    uint32_t n = __atomic_add_fetch(&fd_live.children, 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&fd_live.page->processes, 1, __ATOMIC_ACQ_REL);
    return fd_mix(fd_live.ordinal + 1, n);
}

void fd_thread_renew(void)
{
    static uint32_t strangers; /* threads that came past the pthread_create hook: by first touch */
    struct fd_thread *t = &fd_thread;
    if (!t->ordinal && FD_SYS1(SYS_gettid, 0) != fd_live.pid)
        t->ordinal = fd_mix(UINT64_MAX, __atomic_add_fetch(&strangers, 1, __ATOMIC_RELAXED));
    for (int door = 0; door < FD_DOOR_COUNT; door++)
        t->drawn[door] = 0;
    for (int at = 0; at < FD_STALL_COUNT; at++)
        t->stalled[at] = 0;
    t->children = 0;
    t->window = fd_live.window;
}

void fd_thread_claim(void)
{
    uint32_t n = __atomic_fetch_add(&fd_live.page->slots, 1, __ATOMIC_ACQ_REL);
    fd_thread.slot = n < FD_SLOTS - 1 ? n : FD_SLOTS - 1;
    fd_thread.epoch = fd_live.epoch;
}
