#ifndef SIM_H
#define SIM_H
/* One simulated diagnosis, and campaigns of many. */
#include "base/clock.h"
#include "scripted.h"
#include "search/diagnose.h"

static inline void sim_diagnose(struct scripted *s, uint64_t seed, double budget_s,
                                struct finding *f)
{
    struct err e = {0};
    struct trial t = {.tier = TIER_FRESH};
    struct diagnosis d = {.budget_ns = (int64_t)(budget_s * (double)NS_PER_S), .seed = seed};
    s->base.ops->run(&s->base, &t, 1, &d.first, &e);
    diagnose(&s->base, &d, NULL, f, &e);
}

#endif
