#ifndef FR_STATS_INTERVAL_H
#define FR_STATS_INTERVAL_H
/* What a number of failures says about the rate of failure.  Pure and thread-safe.
 *
 * Counts: 0 <= k <= runs.  Confidence: a number in (0, 1), .95 for 95 %.  Outside: NaN.
 * No runs say nothing: [0, 1]. */
#include <stdint.h>

struct interval {
    double low;
    double high;
};

/* Two-sided "exact" interval, half of 1 - confidence on either side: covers the true rate at
 * least as often as confidence says, whatever the rate.  0 failures give low 0 exactly, all
 * failures give high 1 exactly.  C. Clopper & E. Pearson, Biometrika 26 (1934). */
struct interval interval_exact(int64_t k, int64_t runs, double confidence);

/* One-sided exact bounds: the true rate is at least low, or at most high, each alone at the full
 * confidence.  Say which on the screen: 10 of 10 is "at least 74 %" here and "69 % to 100 %"
 * two-sided. */
double interval_low(int64_t k, int64_t runs, double confidence);
double interval_high(int64_t k, int64_t runs, double confidence);

/* Score interval: right on average over rates, not for each.  E. Wilson, JASA 22 (1927). */
struct interval interval_wilson(int64_t k, int64_t runs, double confidence);

/* Equal-tailed credible interval of the posterior Beta(a + k, b + runs - k); a, b > 0 are the
 * prior's.  Not a confidence interval: never print it as one. */
struct interval interval_bayes(int64_t k, int64_t runs, double confidence, double a, double b);

#endif
