#ifndef FR_STATS_QUANTILE_H
#define FR_STATS_QUANTILE_H
/* What n draws say about a quantile, whatever their distribution: the answers are ranks in the
 * sorted draws, counted from 1.  Pure and thread-safe.
 *
 * q and confidence in (0, 1).  For draws with ties the coverage is at least what is said.
 * H. David & H. Nagaraja, "Order Statistics" (2003), 7.1. */
#include <stdint.h>

struct quantile_ranks {
    int64_t low;     /* the lower end is the draw of this rank; 0: too few draws, it is open */
    int64_t high;    /* the same of the upper end */
    double coverage; /* chance that the interval holds the quantile, an open end being infinite */
};

/* Two-sided, half of 1 - confidence on either side at most; a tie, within 1e-12 relative, is
 * enough.  coverage is NaN, and the ranks 0, if a number is out of its range or n < 0. */
struct quantile_ranks quantile_ranks(int64_t n, double q, double confidence);

/* Fewest draws with which both ends exist: 72 for .95 at 95 %.  -1: a number out of its range. */
int64_t quantile_min_draws(double q, double confidence);

/* The rank of the sample's own quantile: n q rounded up, at least 1 (type 1 of R. Hyndman & Y. Fan,
 * American Statistician 50 (1996) 361).  n q within 1e-9 of a whole number is that number, since q
 * is decimal.  n >= 1, else -1. */
int64_t quantile_rank(int64_t n, double q);

#endif
