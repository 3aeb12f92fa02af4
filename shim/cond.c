/* glibc keeps a condition's clock in bit 1 of the reference word at offset 36 (2.25 and later). A
 * table of our own would need a lock that is as hot as the conditions. Whether this libc does so
 * is tried once, on two conditions of our own. */
#include "shim/cond.h"
#include "shim/clock.h"
#include "shim/text.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>

#define OFFSET 36
#define MONOTONIC_BIT 2u

enum { UNTRIED, KNOWN, UNKNOWN };
static _Atomic int layout;

static uint32_t word(const pthread_cond_t *c)
{
    uint32_t w;
    fd_copy(&w, (const char *)c + OFFSET, sizeof w);
    return w;
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
    return (word(&mono) & MONOTONIC_BIT) && !(word(&wall) & MONOTONIC_BIT) ? KNOWN : UNKNOWN;
}

/* Without the layout: the clock that the deadline lies nearer to. */
static clockid_t guess(const struct timespec *deadline)
{
    int64_t at = fd_ns(deadline), wall = fd_clock_peek() / 2, mono = fd_clock_mono() / 2;
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
    return word(c) & MONOTONIC_BIT ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}
