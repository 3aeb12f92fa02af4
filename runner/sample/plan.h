#ifndef FR_SAMPLE_PLAN_H
#define FR_SAMPLE_PLAN_H
/* --prob-plan: what the gates of a session would need and cost, before any run. Thread-safe.
 * Chances are in [0, 1] and hold when runs are independent and pass at --prob-plan-assume. */
#include "sample/baseline.h"
#include "sample/suite.h"

#define PLAN_MOST  10000 /* runs that are looked at for PLAN_POWER */
#define PLAN_POWER .8

/* Numbers of runs that are none. */
enum { PLAN_NO_GATE = -1, PLAN_NEVER = -2, PLAN_BEYOND = -3 };

struct plan_row {
    const char *name; /* of the case; borrowed */
    int64_t runs;     /* planned */
    int64_t min_runs; /* with fewer the gates cannot pass; PLAN_NO_GATE, PLAN_BEYOND */
    int64_t needed;   /* for PLAN_POWER; PLAN_NO_GATE (or on latency alone), PLAN_NEVER: the assumed
                       * rate is not above the bar, PLAN_BEYOND: PLAN_MOST are not enough */
    double chance;    /* that the gate on the rate passes with `runs`; NaN: there is none */
    double expected; /* runs it would use with --prob-stop; NaN: there is no gate, or no stopping */
    bool latency;    /* there is a gate on latency */
    bool rate;       /* there is one on the rate, or a count of passes */
    double catches[FLAKES_MOST]; /* chance to see a failure, for each of plan_flake */
    double cost;                 /* of the planned runs; NaN: not known */
};

struct sample_plan {
    struct plan_row *of;
    size_t n;
    int64_t runs;       /* of all */
    double cost;        /* of those that are known */
    size_t costs_known; /* cases */
    bool sequential;
};

/* runs[i] is what case i of the suite is to run, 0: it is not selected. costs may be NULL. */
void sample_plan_make(const struct suite *s, const int64_t *runs, const struct earlier *costs,
               struct sample_plan *ret);
void sample_plan_done(struct sample_plan *p);

#endif
