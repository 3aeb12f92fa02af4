#ifndef FR_SEARCH_CONCURRENCY_IMPL_H
#define FR_SEARCH_CONCURRENCY_IMPL_H
/* Shared by the files of the experiment over worker counts, by nobody else. */
#include "base/clock.h"
#include "search/campaign.h"

struct experiment {
    struct campaign *c;
    struct concurrency *k;
    size_t top;                          /* candidates that are put to the test */
    int64_t cost_ns[CONDITIONS_MAX];     /* of a block, as seen last; 0: not seen */
    struct outcome last[CONDITIONS_MAX]; /* the last that failed */
};

/* The conditions, the baseline first. */
void experiment_conditions(struct concurrency *k, bool xdist);

/* The value of the axis `workers` that is the condition. */
void experiment_value(const struct condition *c, char *ret_value);

/* One block of runs at the condition, every axis that can be drawn drawn anew for each trial. */
int experiment_block(struct experiment *x, int condition, struct counts *ret, struct err *e);

/* From the counts to the verdict, the evidence and the cause. */
void experiment_conclude(struct experiment *x);

#endif
