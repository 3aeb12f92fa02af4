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

/* Blocks of a repetition: fewer, and no permutation of them shows anything at ALPHA. At the second
 * look there is one more. */
#define LEAST_EACH  2
#define MOST_EACH   3
#define BLOCKS_MOST (REPETITIONS * MOST_EACH)

struct arm { /* a condition's blocks in one stage */
    int condition;
    unsigned planned, done;
    unsigned failed[BLOCKS_MOST];
    struct counts each[BLOCKS_MOST];
};

/* What a block of the condition is going to take. */
int64_t experiment_block_ns(const struct experiment *x, int condition);

/* All blocks of a stage, in one random order. Ends early where the budget does. */
int experiment_arms(struct experiment *x, struct arm *arms, size_t n, struct err *e);

void arm_sum(const struct arm *a, unsigned from, unsigned to, struct counts *ret);

/* From the counts to the verdict, the evidence and the cause. */
void experiment_conclude(struct experiment *x);

#endif
