#ifndef FR_STATS_BOOTSTRAP_H
#define FR_STATS_BOOTSTRAP_H
/* An interval for the mean over inputs, by drawing the inputs anew.  Thread-safe; it allocates.
 *
 * One value for each input, whatever its runs: inputs are drawn whole, as clusters, so that runs of
 * one input which resemble each other do not pass for evidence.  B. Efron, Annals of Statistics 7
 * (1979) 1.
 *
 * The interval covers less often than it says when inputs are few: at 95 % some 90 % with ten of
 * them, 93 to 95 % from twenty on; the simulation in tests/sim measures it.
 *
 * A seed fixes the result for good.  Order of draws: resample after resample; each begins with a
 * fresh 64-bit number of random.h and takes its lower half first, then its upper half, then the
 * next number; a half u gives the index u n / 2^32, unless (u n) mod 2^32 < 2^32 mod n, which is
 * dropped (D. Lemire, ACM Trans. Model. Comput. Simul. 29 (2019) 3).  Values are summed as whole
 * multiples of one power of 2, so that order and machine cannot matter. */
#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

struct bootstrap_plan {
    uint64_t seed;
    size_t resamples; /* > 0; 5000 is usual */
    double confidence;
};

/* The corrections of BCa: bias and acceleration.  B. Efron, JASA 82 (1987) 171. */
struct bca {
    struct interval interval; /* NaN when all resamples lie on one side of the mean */
    double z0;                /* infinite then */
    double accel;
};

struct bootstrap {
    double mean;
    double error; /* standard deviation of the resamples */
    struct interval percentile;
    struct bca bca;
};

/* values[0..n): finite; their order is part of what the seed fixes, so keep a canonical one.
 * -1 and nothing written: no value, 2^32 or more of them, one not finite, a plan that makes no
 * sense, or no memory. */
int bootstrap_mean(const double *values, size_t n, const struct bootstrap_plan *plan,
                   struct bootstrap *ret);

/* The mean of first[i] - second[i]: the same inputs under two settings, drawn as pairs. */
int bootstrap_paired(const double *first, const double *second, size_t n,
                     const struct bootstrap_plan *plan, struct bootstrap *ret);

/* Several values for each input, values[i * width + j], that share the draws, so that their
 * resamples may be compared: ret_means[r * width + j] is the mean of value j in resample r.  With
 * width 1 the resamples of bootstrap_mean.  -1 as there, or width not in 1..BOOTSTRAP_WIDEST. */
#define BOOTSTRAP_WIDEST 8
int bootstrap_means(const double *values, size_t n, size_t width, const struct bootstrap_plan *plan,
                    double *ret_means);

/* The steps after the draws, for means[0..b) sorted upwards. NaN for b = 0. */

/* Quantile q in [0, 1] with linear interpolation at q (b - 1): type 7 of R. Hyndman & Y. Fan,
 * American Statistician 50 (1996) 361. */
double bootstrap_quantile(const double *means, size_t b, double q);
struct interval bootstrap_percentile(const double *means, size_t b, double confidence);

/* A resample equal to the mean of values counts half on either side; equal is within 1e-12 of the
 * largest value, because means of decimals are. */
struct bca bootstrap_bca(const double *values, size_t n, const double *means, size_t b,
                         double confidence);

void bootstrap_sort(double *means, size_t b);

#endif
