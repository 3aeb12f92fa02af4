#ifndef FR_STATS_PERMUTE_H
#define FR_STATS_PERMUTE_H
/* Exact tests that give out the same failures anew.  Pure; they allocate, and are thread-safe.
 * p values are in [0, 1]; NaN for numbers that make no sense, and without memory. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Blocks of runs that were assigned to two arms at random: P(the first arm's sum is as large or
 * larger) over all assignments of the same n1 + n2 blocks.  Holds whatever the runs of one block,
 * or of neighbouring ones, have to do with each other, since only the assignment is random (R.
 * Fisher 1935, E. Pitman 1937).  Values: 0 to BLOCK_MOST. */
#define BLOCK_MOST 64
double permute_greater(const unsigned *first, size_t n1, const unsigned *second, size_t n2);

/* Does the rate grow with the score?  k[i] of n[i] runs failed at score d[i].  P(sum of d k is as
 * large or larger) given all margins: exact, after W. Cochran (1954) and P. Armitage (1955). */
double trend_greater(const unsigned *k, const unsigned *n, const unsigned *d, size_t levels);

/* The same as a score that is about standard normal without a trend.  normal_upper of it is too
 * small for 20 runs a level: print the exact p.  NaN when all runs have one outcome or one score.
 */
double trend_score(const unsigned *k, const unsigned *n, const unsigned *d, size_t levels);

/* One input under two settings: k1 of n1 runs passed, and k2 of n2. */
struct run_pair {
    int64_t k1, n1, k2, n2;
};

struct sign_flip {
    double p;       /* two-sided; NaN for pairs that make no sense, and without memory */
    double sum;     /* of the differences k1 / n1 - k2 / n2 */
    size_t nonzero; /* differences that are not 0 */
    bool exact;     /* false: p is drawn, not counted */
};

struct flip_draws {
    uint64_t seed;    /* fixes a p that is drawn, see random.h */
    size_t resamples; /* > 0 */
};

/* Do the settings differ?  Without a difference each input's difference is as likely with the other
 * sign: P(|sum| as large or larger) over all signs (R. Fisher 1935).  With one run of each it is
 * McNemar's exact test.  Differences are compared as whole multiples of one fraction, so equal sums
 * are equal.
 *
 * Counted while that takes below about 30 ms: as good as always up to 1000 inputs with few
 * different numbers of runs.  Else (1 + as large) / (1 + resamples), which never understates.
 * n1, n2 > 0, below 2^31. */
struct sign_flip sign_flip(const struct run_pair *pairs, size_t n, const struct flip_draws *draws);

#endif
