#ifndef FR_STATS_SEQUENCE_H
#define FR_STATS_SEQUENCE_H
/* An interval that may be looked at after every run.  Pure and thread-safe.
 *
 * The interval of interval.h holds for one look, decided before the runs; who stops when it looks
 * good is wrong more often than it says.  This one covers the true rate at all times at once.
 * The price is width.
 *
 * 0 <= k <= runs, confidence in [.5, 1) (below .5 a new run could move a bound the wrong way);
 * outside: NaN.  J. Ville 1939; H. Robbins, Ann. Math. Statist. 41 (1970) 1397; S. Howard et al.,
 * Annals of Statistics 49 (2021). */
#include <stdint.h>

#include "stats/interval.h"

/* A mixture over Beta(a, b), a, b > 0. */
struct mixture {
    double a;
    double b;
};

/* What we use: Jeffreys' prior, the one that is good at both ends. */
#define MIXTURE_JEFFREYS ((struct mixture){.5, .5})

/* All rates p with wealth against p below 1 / (1 - confidence).  0 failures give low 0 exactly,
 * all failures give high 1 exactly; no runs give [0, 1]. */
struct interval sequence_interval(int64_t k, int64_t runs, double confidence);
struct interval sequence_interval_of(int64_t k, int64_t runs, double confidence,
                                     struct mixture prior);

/* Log of the wealth of a bet against "the rate is p": B(a+k, b+runs-k) / B(a, b) divided by
 * p^k (1-p)^(runs-k).  If the rate is p, the chance that it ever reaches log(1 / alpha) is at most
 * alpha.  Infinite when the runs are impossible at p. */
double sequence_log_wealth(int64_t k, int64_t runs, double p);
double sequence_log_wealth_of(int64_t k, int64_t runs, double p, struct mixture prior);

#endif
