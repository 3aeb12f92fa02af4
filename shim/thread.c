/* Threads get their ordinal from who started them and in which turn, not from who runs first: the
 * scheduler must not decide which stream a thread draws from, nor how late it is. */
#include "shim/late.h"
#include "shim/live.h"
#include "shim/mix.h"
#include "shim/real.h"
#include "shim/stall.h"

#define WAITING 64 /* threads started and not yet running; more take an ordinal by first touch */

static struct waiting {
    _Atomic uint32_t used;
    void *(*run)(void *);
    void *arg;
    uint64_t ordinal;
    int64_t late_ns;
} waiting[WAITING];

static void *begin(void *arg)
{
    struct waiting *w = arg;
    void *(*run)(void *) = w->run;
    void *own = w->arg;
    int64_t late = w->late_ns;
    fd_thread.ordinal = w->ordinal;
    atomic_store_explicit(&w->used, 0, memory_order_release);
    fd_late_begin(late, run);
    return run(own);
}

FD_EXPORT int pthread_create(pthread_t *p, const pthread_attr_t *at, void *(*run)(void *),
                             void *arg)
{
    if (!fd_live_on())
        return REAL(pthread_create)(p, at, run, arg);
    fd_stall_touch(FD_STALL_THREAD, "pthread_create");
    if (!fd_live_held(FD_AXIS_RNG) && !fd_live.stalls)
        return REAL(pthread_create)(p, at, run, arg);
    struct fd_thread *t = fd_thread_now();
    uint64_t ordinal = fd_mix(t->ordinal + 1, ++t->children);
    for (int i = 0; i < WAITING; i++) {
        uint32_t none = 0;
        struct waiting *w = &waiting[i];
        if (!atomic_compare_exchange_strong(&w->used, &none, 1))
            continue;
        w->run = run;
        w->arg = arg;
        w->ordinal = ordinal;
        w->late_ns = fd_stall_thread(ordinal);
        int err = REAL(pthread_create)(p, at, begin, w);
        if (err)
            atomic_store_explicit(&w->used, 0, memory_order_release);
        return err;
    }
    return REAL(pthread_create)(p, at, run, arg);
}
