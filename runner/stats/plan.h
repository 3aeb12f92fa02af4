#ifndef FR_STATS_PLAN_H
#define FR_STATS_PLAN_H
/* What a gate will do, before any run: its chances and its price at a rate one believes in.
 * Thread-safe.  Rates are in [0, 1]; NaN, or -1 for a number of runs, if something makes no sense.
 * Runs are taken to be independent: the real price is never below. */
#include <stdint.h>

#include "stats/gate.h"

struct plan {
    double runs; /* expected number of runs */
    double pass; /* chance of each verdict; small ones are accurate relative to themselves */
    double fail;
    double undecided;
};

/* After exactly `runs` runs. */
struct plan plan_fixed(const struct gate_rule *rule, int64_t runs, double rate);

/* Stopping where the table says, by following the chance of every number of passes from run to run.
 * Time planned^2 / 2 at most, memory planned numbers; NaN without memory.  planned >= 1. */
struct plan plan_stopped(const struct gate_stop *stops, int64_t planned, double rate);

/* Fewest runs, up to cap, after which PASS has a chance of target in (0, 1] or more.  The chance
 * saw-tooths in the number of runs, so more runs than that may do worse.  -1: none up to cap, or
 * the rate is not above the bar.  Time grows with the result: some 20 ns a run, for GATE_WILSON
 * and GATE_SEQUENTIAL some 200. */
int64_t plan_runs(const struct gate_rule *rule, double rate, double target, int64_t cap);

/* The same for a gate that is looked at after every run and stops at the first verdict: fewest runs
 * to allow.  Its chance grows with every run.  -1: none up to cap, no sense, or no memory.  Time
 * grows with the square of the result. */
int64_t plan_runs_stopped(const struct gate_rule *rule, double rate, double target, int64_t cap);

#endif
