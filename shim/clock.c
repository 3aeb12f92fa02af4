#include "shim/clock.h"
#include "shim/live.h"
#include "shim/pace.h"

#define SECOND 1000000000LL
#define BELOW 1000LL /* as near below an instant as a double of today's seconds can tell */
#define SPIN 10000         /* equal reads in a row by one thread: it waits for a change */
#define TICK 2000          /* what such a thread is given: libuuid makes 11 ids of a microsecond */

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static int64_t minus(int64_t a, int64_t b)
{
    return b == INT64_MIN ? plus(plus(a, INT64_MAX), 1) : plus(a, -b);
}

/* The wall clock at the speed that is held, and how long it is since the window opened. */
static int64_t paced_real(void)
{
    return fd_pace_on() ? fd_pace_real() : fd_clock_real();
}

static int64_t paced_gone(int64_t mono)
{
    int64_t from = fd_live.page->window_mono_ns;
    return fd_pace_on() ? minus(fd_pace_mono(mono), fd_pace_mono(from)) : minus(mono, from);
}

/* Before the window: starts a second below the instant and runs, slower and slower, so that it
 * never arrives however long the collection takes. Not lower: what a module read when it was
 * imported would else seem long ago. */
static int64_t before(int64_t real)
{
    int64_t gone = minus(real, fd_live.birth_ns), instant = fd_live.page->settings.time_ns;
    int64_t left = SECOND * SECOND / plus(SECOND, gone > 0 ? gone : 0);
    return minus(instant, left > BELOW ? left : BELOW);
}

/* Flow `at`: how far the clock was moved on when it passed the boundary; 0 before, and where it had
 * come to it by itself: between two reads there is never less time than really passed. */
static int64_t jump(const struct fd_page *p)
{
    int64_t first = __atomic_load_n(&p->at_mono_ns, __ATOMIC_ACQUIRE);
    int64_t left = p->settings.time_step_ns - paced_gone(first);
    return first && left > 0 ? left : 0;
}

/* `n` reads of the window came before this one. */
static int64_t around(uint64_t n, bool count)
{
    struct fd_page *p = fd_live.page;
    int64_t mono = fd_clock_mono(), none = 0;
    if (count && n >= p->settings.time_at && !__atomic_load_n(&p->at_mono_ns, __ATOMIC_ACQUIRE)) {
        int64_t real = fd_clock_real();
        __atomic_compare_exchange_n(&p->at_real_ns, &none, real, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
        none = 0;
        __atomic_compare_exchange_n(&p->at_mono_ns, &none, mono, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE);
    }
    int64_t gone = paced_gone(mono);
    return plus(fd_live.base_ns, (gone > 0 ? gone : 0) - p->settings.time_step_ns + jump(p));
}

static int64_t frozen(bool count)
{
    struct fd_page *p = fd_live.page;
    int64_t shown = plus(fd_live.base_ns, __atomic_load_n(&p->frozen_ns, __ATOMIC_ACQUIRE));
    struct fd_thread *t = &fd_thread;
    if (!count)
        return shown;
    t->same = shown == t->last_ns ? t->same + 1 : 0;
    t->last_ns = shown;
    if (t->same < SPIN)
        return shown;
    t->same = 0;
    return plus(fd_live.base_ns, __atomic_add_fetch(&p->frozen_ns, TICK, __ATOMIC_ACQ_REL));
}

static int64_t shown(bool count)
{
    struct fd_page *p = fd_live.page;
    if (!fd_live.open) {
        int64_t real = fd_clock_real();
        return fd_live.time_mode == FD_TIME_INSTANT  ? before(real)
               : fd_live.time_mode == FD_TIME_OFFSET ? plus(real, p->settings.time_ns)
                                                     : real;
    }
    bool kept = fd_live.time_flow >= FD_FLOW_STEP || fd_live.witness;
    uint64_t n = kept && count ? __atomic_fetch_add(&p->window_reads, 1, __ATOMIC_ACQ_REL)
                 : kept        ? __atomic_load_n(&p->window_reads, __ATOMIC_ACQUIRE)
                               : 0;
    switch ((enum fd_time_flow)fd_live.time_flow) {
    case FD_FLOW_FREEZE:
        return frozen(count);
    case FD_FLOW_STEP: {
        int64_t moved;
        if (__builtin_mul_overflow((int64_t)n, p->settings.time_step_ns, &moved))
            moved = INT64_MAX;
        return plus(plus(fd_live.base_ns, moved), __atomic_load_n(&p->frozen_ns, __ATOMIC_ACQUIRE));
    }
    case FD_FLOW_AT:
        return around(n, count);
    case FD_FLOW_RUN:
    default:
        return plus(paced_real(), fd_live.shift_ns);
    }
}

int64_t fd_clock_read(void)
{
    return shown(true);
}

int64_t fd_clock_peek(void)
{
    return shown(false);
}

static void settle(int64_t real)
{
    const struct fd_settings *s = &fd_live.page->settings;
    fd_live.base_ns = s->time_mode == FD_TIME_INSTANT  ? s->time_ns
                      : s->time_mode == FD_TIME_OFFSET ? plus(real, s->time_ns)
                                                       : real;
    fd_live.shift_ns = s->time_mode == FD_TIME_OFFSET ? s->time_ns : minus(fd_live.base_ns, real);
    if (s->time_flow == FD_FLOW_AT)
        fd_live.shift_ns = minus(fd_live.shift_ns, s->time_step_ns);
}

void fd_clock_open(int64_t real_ns, int64_t mono_ns)
{
    struct fd_page *p = fd_live.page;
    p->window_real_ns = real_ns;
    p->window_mono_ns = mono_ns;
    fd_pace_open(real_ns, mono_ns);
    p->frozen_ns = 0;
    p->at_mono_ns = p->at_real_ns = 0;
    p->window_reads = 0;
    settle(fd_live.paced ? fd_pace_of_stamp(real_ns) : real_ns);
}

void fd_clock_join(void)
{
    const struct fd_page *p = fd_live.page;
    fd_pace_open(p->window_real_ns, p->window_mono_ns); /* by hand, the parent's */
    settle(fd_live.paced ? fd_pace_of_stamp(p->window_real_ns) : p->window_real_ns);
}

bool fd_clock_stands(void)
{
    return fd_live.altered && fd_live.open &&
           (fd_live.time_flow == FD_FLOW_FREEZE || fd_live.time_flow == FD_FLOW_STEP);
}

int64_t fd_clock_deadline(int64_t shown_ns)
{
    if (fd_pace_on())
        return plus(fd_clock_real(), fd_pace_span(minus(shown_ns, fd_clock_peek())));
    if (fd_live.open && fd_live.time_flow == FD_FLOW_RUN)
        return minus(shown_ns, fd_live.shift_ns);
    return plus(fd_clock_real(), minus(shown_ns, fd_clock_peek()));
}

/* Atomic maximum: two threads that wait for two deadlines may arrive in any order. */
static void move_to(int64_t moved)
{
    int64_t *at = &fd_live.page->frozen_ns;
    int64_t now = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    while (now < moved && !__atomic_compare_exchange_n(at, &now, moved, false, __ATOMIC_ACQ_REL,
                                                       __ATOMIC_ACQUIRE))
        ;
}

void fd_clock_reached(int64_t shown_ns)
{
    if (fd_clock_stands()) {
        int64_t now = fd_clock_peek();
        if (now < shown_ns)
            move_to(plus(__atomic_load_n(&fd_live.page->frozen_ns, __ATOMIC_ACQUIRE),
                         minus(shown_ns, now)));
    }
}

void fd_clock_slept(int64_t for_ns)
{
    if (for_ns > 0)
        __atomic_fetch_add(&fd_live.page->frozen_ns, for_ns, __ATOMIC_ACQ_REL);
}

/* What the kernel stamped between `newer` and now moves with the clock; older files keep their
 * time (it decides whether a .pyc is valid), and so does a stamp in the real future: nobody but
 * the program itself can have set it (see to_stamp). */
int64_t fd_clock_of_stamp(int64_t raw_ns)
{
    const struct fd_page *p = fd_live.page;
    int64_t real_ns = raw_ns;
    if (real_ns < fd_live.newer_ns || real_ns > fd_clock_real())
        return real_ns;
    if (!fd_live.open && fd_live.time_mode == FD_TIME_INSTANT)
        return before(real_ns);
    if (!fd_live.open)
        return fd_live.time_mode == FD_TIME_OFFSET ? plus(real_ns, p->settings.time_ns) : real_ns;
    if (fd_live.paced)
        real_ns = fd_pace_of_stamp(real_ns);
    int64_t moved = plus(real_ns, fd_live.shift_ns), base = fd_live.base_ns;
    if (fd_live.time_flow == FD_FLOW_FREEZE || fd_live.time_flow == FD_FLOW_STEP)
        return moved < base ? moved : base;
    if (fd_live.time_flow == FD_FLOW_AT) {
        int64_t first = __atomic_load_n(&p->at_real_ns, __ATOMIC_ACQUIRE);
        return first && raw_ns >= first ? plus(moved, jump(p)) : moved;
    }
    return moved;
}

int64_t fd_clock_to_stamp(int64_t shown_ns)
{
    if (!fd_live.open)
        return shown_ns;
    int64_t candidate = minus(shown_ns, fd_live.shift_ns), near = 1;
    if (fd_live.paced) { /* a fast clock has instants between any two of the real one */
        candidate = fd_pace_to_stamp(candidate);
        near = fd_pace_span_back(1) + 2;
    }
    int64_t off = minus(fd_clock_of_stamp(candidate), shown_ns);
    if (off > -near && off < near)
        return candidate;
    if (fd_clock_of_stamp(shown_ns) == shown_ns)
        return shown_ns;
    /* A real time between `newer` and now that the shown clock cannot have for a file: the
     * nearest one that stays put. Off by at most the age of the process. */
    return fd_live.newer_ns - 1;
}
