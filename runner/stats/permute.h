#ifndef FR_STATS_PERMUTE_H
#define FR_STATS_PERMUTE_H
/* Exact tests that give out the same failures anew.  Pure; they allocate, and are thread-safe.
 * p values are in [0, 1]; NaN for numbers that make no sense, and without memory. */
#include <stddef.h>

/* Blocks of runs that were assigned to two arms at random: P(the first arm's sum is as large or
 * larger) over all assignments of the same n1 + n2 blocks.  Holds whatever the runs of one block,
 * or of neighbouring ones, have to do with each other, since only the assignment is random (R.
 * Fisher 1935, E. Pitman 1937).  Values: 0 to BLOCK_MOST. */
#define BLOCK_MOST 64
double permute_greater(const unsigned *first, size_t n1, const unsigned *second, size_t n2);

/* Does the rate grow with the score?  k[i] of n[i] runs failed at score d[i].  P(sum of d k is as
 * large or larger) given all margins: exact, after W. Cochran (1954) and P. Armitage (1955). */
double trend_greater(const unsigned *k, const unsigned *n, const unsigned *d, size_t levels);

#endif
