#ifndef REFERENCE_H
#define REFERENCE_H
/* Statistics that the product does not use, for the tests of those it does: alternatives that it
 * was compared with, and slow exact forms.  Built on runner/stats. */
#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

typedef struct interval interval_method(int64_t k, int64_t n, double confidence,
                                        const double *prior);

/* At rate p: the chance that the interval after n runs holds p, that p is below it, or above. */
struct coverage {
    double inside, below, above;
};

struct coverage exact_coverage(interval_method *of, const double *prior, int64_t n, double p,
                               double confidence);

/* The chance that one of the intervals after run 1, 2, ... horizon leaves out p. */
double ever_missed(interval_method *of, const double *prior, int64_t horizon, double p,
                   double confidence);

/* Chance that Fisher's one-sided test rejects at alpha. */
double fisher_power(int64_t n1, int64_t n2, double p1, double p2, double alpha);

/* R. Boschloo 1970: the one-sided Fisher p as an ordering, its chance at the worst common rate. */
double boschloo_greater(int64_t k1, int64_t n1, int64_t k2, int64_t n2);

/* Runs of each arm by the normal approximation.  J. Fleiss, "Statistical Methods for Rates and
 * Proportions" (1981). */
double two_proportions_runs(double p1, double p2, double alpha, double power);

/* Exact two-sided test of b against c discordant pairs. */
double mcnemar_exact(int64_t b, int64_t c);

/* Level of the j-th test, j >= 1, of a family whose size is not known: they add up to alpha. */
double spend_harmonic(int64_t j, double alpha);
double spend_basel(int64_t j, double alpha);

/* Log of the wealth of a bet against "the rate is at most p0": the mixture cut to (p0, 1). */
double one_sided_log_wealth(int64_t k, int64_t n, double p0, double a, double b);

/* A bet against equal rates, block by block of one run per arm.  R. Turner, A. Ly & P. Grunwald
 * 2021. */
struct two_arms {
    double g;            /* pseudo-runs of either outcome */
    double a, b, blocks; /* so far: outcomes of 1 in either arm */
    double log_wealth, most;
};

void two_arms_block(struct two_arms *t, int a, int b);

/* The bootstrap distribution of the mean of counts[0..n) / runs with all resamples taken: its
 * cumulative distribution at t, by adding one draw after the other. */
double ideal_bootstrap_cdf(const unsigned *counts, size_t n, unsigned runs, double t);

#endif
