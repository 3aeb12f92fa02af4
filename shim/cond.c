/* glibc keeps a condition's clock in bit 1 of its reference word: at offset 36 from 2.25 on, at 28
 * in 2.41 (both measured). A table of our own would need a lock that is as hot as the conditions.
 * Where this libc has it is tried once, on two conditions of our own. */
#include "shim/cond.h"
#include "shim/clock.h"
#include "shim/pace.h"
#include "shim/text.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>

#define MONOTONIC_BIT 2u

enum { UNTRIED, UNKNOWN }; /* or the offset */
static _Atomic int layout;

static bool is_monotonic(const pthread_cond_t *c, int offset)
{
    uint32_t w;
    fd_copy(&w, (const char *)c + offset, sizeof w);
    return w & MONOTONIC_BIT;
}

static int try(void)
{
    int (*attr_init)(pthread_condattr_t *), (*set)(pthread_condattr_t *, clockid_t);
    int (*init)(pthread_cond_t *, const pthread_condattr_t *);
    *(void **)&attr_init = dlsym(RTLD_DEFAULT, "pthread_condattr_init");
    *(void **)&set = dlsym(RTLD_DEFAULT, "pthread_condattr_setclock");
    *(void **)&init = dlsym(RTLD_DEFAULT, "pthread_cond_init");
    pthread_condattr_t at;
    pthread_cond_t wall, mono;
    if (!attr_init || !set || !init || attr_init(&at) || init(&wall, &at) ||
        set(&at, CLOCK_MONOTONIC) || init(&mono, &at))
        return UNKNOWN;
    /* The word that tells the two apart, and only that one, is the clock's. */
    for (int offset = 0; offset + 4 <= (int)sizeof wall; offset += 4)
        if (is_monotonic(&mono, offset) && !is_monotonic(&wall, offset))
            return offset ? offset : UNKNOWN;
    return UNKNOWN;
}

/* Without the layout: the clock that the deadline lies nearer to. */
static clockid_t guess(const struct timespec *deadline)
{
    int64_t at = fd_ns(deadline), wall = fd_clock_peek() / 2, mono = fd_pace_now() / 2;
    return at / 2 > wall / 2 + mono / 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

clockid_t fd_cond_clock(const pthread_cond_t *c, const struct timespec *deadline)
{
    int now = atomic_load_explicit(&layout, memory_order_acquire);
    if (now == UNTRIED) {
        now = try();
        atomic_store_explicit(&layout, now, memory_order_release);
    }
    if (now == UNKNOWN)
        return guess(deadline);
    return is_monotonic(c, now) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}
