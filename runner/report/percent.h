#ifndef FR_REPORT_PERCENT_H
#define FR_REPORT_PERCENT_H
/* Rates and bounds as people read them. One rule everywhere: "0" and "100" are printed only when
 * the number is exactly that; a bound that merely rounds there gets more decimals. A lower bound
 * is rounded down and an upper bound up, so that no claim grows in print. None adds the sign. */
#include "base/text.h"

void percent_near(double rate, struct text *out);                 /* "15", "0.4", "99.97" */
void percent_floor(double rate, struct text *out);                /* for "≥" */
void percent_ceil(double rate, struct text *out);                 /* for "below" */
void percent_interval(double low, double high, struct text *out); /* "4–25 %" */

/* One-sided 95 % bounds where the counts are extreme, exact (binomial): the rate at which n runs
 * without a failure, or with nothing but failures, still happen with probability 5 %. */
double bound_above_none(unsigned runs);
double bound_below_all(unsigned runs);

/* A probability: "0.03", "0.0004", "2e-07"; never "0". */
void percent_p(double p, struct text *out);

#endif
