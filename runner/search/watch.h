#ifndef FR_SEARCH_WATCH_H
#define FR_SEARCH_WATCH_H
/* Who is told how a diagnosis goes. The search calls; cli/ prints; tests listen. Called between
 * batches of trials, from the thread that searches; must not block. */
#include <stdint.h>

struct progress {
    const char *phase;     /* "baseline", "replay", "transplant", "provoke", "verify" … */
    const char *what;      /* "time=2028-02-29T00:00:00Z", or "" */
    unsigned runs, failed; /* in this phase */
    unsigned planned;      /* runs planned for this phase, 0 when open */
    double low, high;      /* 95 % confidence sequence of the failure rate; both 0: unknown */
    int64_t left_ns;       /* budget left */
};

struct watch {
    void (*tell)(struct watch *, const struct progress *);
};

static inline void watch_tell(struct watch *w, const struct progress *p)
{
    if (w)
        w->tell(w, p);
}

#endif
