#ifndef FR_STATS_CATCH_H
#define FR_STATS_CATCH_H
/* How long to wait for a failure.  Pure and thread-safe. */
#include <stdint.h>

/* Fewest runs that show at least one failure with the given chance when each run fails with rate:
 * ceil(log(1 - chance) / log(1 - rate)); 29 for 10 % and 299 for 1 % at a chance of .95.
 * An exact tie counts as reached: rates are decimal, and .19 at .1 is two runs.
 * rate in (0, 1], chance in [0, 1); otherwise, or beyond INT64_MAX, -1: no number of runs does. */
int64_t runs_to_catch(double rate, double chance);

/* The chance to see at least one failure in runs: 1 - (1 - rate)^runs, accurate for tiny rates.
 * rate in [0, 1], runs >= 0; otherwise NaN. */
double chance_to_catch(double rate, int64_t runs);

#endif
