#ifndef FR_REPORT_POINTS_H
#define FR_REPORT_POINTS_H
/* Differences between rates, in percentage points, and what stands beside them in a row. Numbers
 * are rounded to the nearest, but never onto a value that means something of its own (0, 100, a
 * margin) unless they are it: they get another decimal instead. */
#include <stdint.h>

#include "base/text.h"
#include "stats/interval.h"

enum { POINTS_DECIMALS_MOST = 6 };

/* The margin is a rate too; NaN: there is none. */
int points_decimals(double difference, double margin, int least);
void points_add(double difference, int decimals, struct text *out); /* "+20", "−17.5", "0.0" */
void points_plain(double rate, struct text *out); /* a margin: "5", "2.5", without a sign */

/* Both ends with the same number of decimals. */
int points_interval_decimals(struct interval i, double margin, int least);

void points_p(double p, struct text *out);         /* "0.47", "0.003", "<0.001", "1" */
void points_ratio(double ratio, struct text *out); /* "4.0", "0.50", "0.0040" */

/* A chance in a column of whole percents: 0 and 100 only if exact. "30%", "1%", "99%" */
void points_chance(double chance, struct text *out);

/* "s" behind a number that is not one. */
static inline const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

#endif
