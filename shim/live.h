#ifndef FD_LIVE_H
#define FD_LIVE_H
/* The state of this process: is anything held, which page, which window, and each thread's own.
 *
 * fd_live is written by the start, by the swap of a page (one thread then), by the opening of a
 * window and by the child side of fork; hooks only read it. Nothing here is locked. */
#include <stdatomic.h>
#include <stdbool.h>
#include "shim/wire.h"

struct fd_live {
    struct fd_page *page; /* mapped shared: the trial's, or our own by hand */
    uint32_t held, time_mode, time_flow, witness;
    uint32_t stalls; /* where a delay may act: bits of enum fd_stall */
    uint32_t paths; /* what is done with paths: FD_WAY_ bits of way.h, 0 for nothing */
    bool by_hand;  /* settings came from FD_* text */
    bool pytest;   /* the window opens with PYTEST_CURRENT_TEST */
    bool inside;   /* a child of a test: its window is the parent's and never opens again */
    bool noting;   /* a watched run: pytest imports the project, what is read counts */
    bool open;     /* the window is open */
    bool altered;  /* the wall clock is */
    bool paced;    /* all clocks run fast, or in steps */
    uint32_t epoch;    /* changes with fork and with a new page: threads then claim a new slot */
    uint32_t window;   /* changes with each window: streams start again */
    int64_t base_ns;   /* the wall clock at the window's opening, as shown */
    int64_t shift_ns;  /* shown minus real then */
    int64_t birth_ns;  /* CLOCK_REALTIME when the process, or its page, began */
    int64_t newer_ns;  /* files stamped at or after this move with the clock */
    uint64_t seed, node, ordinal;
    uint32_t children; /* forks and execs since the window opened: their ordinals */
    int32_t pid;       /* tells a vfork child, who shares this memory, from us */
};
extern struct fd_live fd_live;

enum fd_door { FD_DOOR_GETRANDOM, FD_DOOR_SYSCALL, FD_DOOR_GETENTROPY, FD_DOOR_ARC4RANDOM,
               FD_DOOR_DEVICE, FD_DOOR_PYTHON, FD_DOOR_COUNT };

struct fd_thread {
    uint32_t epoch, slot; /* which row of the tally, and since when */
    uint32_t window;      /* of `drawn` and `children` */
    uint32_t children;    /* threads it started: their ordinals */
    uint64_t ordinal;     /* 0 for the first thread of a process */
    uint64_t drawn[FD_DOOR_COUNT]; /* words taken from each stream */
    int64_t last_ns;      /* what a frozen clock showed last, and how often in a row */
    uint32_t same;
    uint32_t stalled[FD_STALL_COUNT]; /* delays it took, by place */
    int64_t late_ns;      /* a delay that it has still to take, before its first line of Python */
    uint32_t site;        /* the entry of its last touch in a witness run, from 1; 0: none */
    uint32_t read;        /* its last touch read a monotonic clock, and nothing came of it yet */
    uint32_t depth;       /* inside a real function that may call a hook again */
    uint32_t lookup;      /* inside a look-up of libc's: what it sends was judged before */
    uint32_t inside;      /* ... which was given a translated path */
    int32_t planted;      /* the descriptor of a planted file that a call is about, plus one */
};
extern __thread struct fd_thread fd_thread;

enum { FD_STATE_NONE, FD_STATE_STARTING, FD_STATE_OFF, FD_STATE_ON };
extern _Atomic int fd_state;

/* start.c; the state after it, STARTING if this call came out of the start itself */
int fd_live_start(void);

/* Is anything held or counted? The first question of every hook. */
static inline bool fd_live_on(void)
{
    int s = atomic_load_explicit(&fd_state, memory_order_acquire);
    if (__builtin_expect(s < FD_STATE_OFF, 0))
        s = fd_live_start();
    return s == FD_STATE_ON;
}

static inline bool fd_live_held(enum fd_axis axis)
{
    return fd_live.held >> axis & 1;
}

static inline enum fd_net fd_live_net(void)
{
    return fd_live_held(FD_AXIS_NETWORK) ? (enum fd_net)fd_live.page->settings.net : FD_NET_OPEN;
}

/* Is the network blocked? */
static inline bool fd_live_blocked(void)
{
    return fd_live_net() == FD_NET_BLOCK;
}

/* Adopts the settings of `page`; the caller says where the window stands. */
void fd_live_adopt(struct fd_page *page);

void fd_thread_claim(void);
void fd_thread_renew(void); /* a new window: the thread's streams start again */
static inline struct fd_thread *fd_thread_now(void)
{
    struct fd_thread *t = &fd_thread;
    if (__builtin_expect(t->window != fd_live.window, 0))
        fd_thread_renew();
    return t;
}

void fd_site_note(enum fd_axis axis, const char *hook);

/* One touch of an axis: a plain increment in the thread's own row. */
static inline void fd_touch(enum fd_axis axis, const char *hook)
{
    struct fd_thread *t = &fd_thread;
    if (__builtin_expect(t->epoch != fd_live.epoch, 0))
        fd_thread_claim();
    uint64_t *n = &fd_live.page->slot[t->slot].touched[axis];
    if (__builtin_expect(t->slot < FD_SLOTS - 1, 1))
        ++*n;
    else
        __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
    if (__builtin_expect(fd_live.witness != 0, 0))
        fd_site_note(axis, hook);
}

/* Notes an error that we caused ourselves: an errno, or a look-up's EAI_ number. */
void fd_injected(enum fd_axis axis, int err);

/* The ordinal of the next child process; deterministic for one process, unique in a trial. */
uint64_t fd_live_child_ordinal(void);

#endif
