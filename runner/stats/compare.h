#ifndef FR_STATS_COMPARE_H
#define FR_STATS_COMPARE_H
/* Do two settings fail at different rates?  Pure and thread-safe.
 *
 * Counts: 0 <= k1 <= n1, 0 <= k2 <= n2; otherwise NaN.  p values are in [0, 1].
 * Time grows with the number of tables the margins allow: min(n1, n2, k1 + k2) steps. */
#include <stdint.h>

#include "stats/interval.h"

/* All that Fisher's exact test (R. Fisher 1935) says about k1 of n1 against k2 of n2. */
struct fisher {
    double greater;   /* P(as many or more in the first): small when rate 1 is above rate 2 */
    double less;      /* P(as many or fewer in the first) */
    double two_sided; /* P(a table no more likely than this one) */
    double point;     /* P(exactly this table): mid-p = tail - point / 2 (Lancaster 1961) */
};

struct fisher fisher_exact(int64_t k1, int64_t n1, int64_t k2, int64_t n2);

/* p value against "rate 1 is not above rate 2".  For a provoked setting against the baseline,
 * the provoked one comes first. */
double fisher_greater(int64_t k1, int64_t n1, int64_t k2, int64_t n2);

/* p value against "the rates are equal". */
double fisher_two_sided(int64_t k1, int64_t n1, int64_t k2, int64_t n2);

/* Fewest runs r such that r failures of r, against k of n in the baseline, have a one-sided p of
 * at most alpha; -1 if cap runs are not enough.  For a family of m settings pass alpha / m. */
int64_t provoked_runs_needed(int64_t k, int64_t n, double alpha, int64_t cap);

/* Interval for rate 1 - rate 2, within [-1, 1]; n1, n2 > 0.  Method 10 of R. Newcombe, Statistics
 * in Medicine 17 (1998) 873. */
struct interval difference_newcombe(int64_t k1, int64_t n1, int64_t k2, int64_t n2,
                                    double confidence);

#endif
