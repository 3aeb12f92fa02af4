#ifndef FR_SEARCH_CONCURRENCY_RULES_H
#define FR_SEARCH_CONCURRENCY_RULES_H
/* The words that the experiment over worker counts uses, as rules on numbers. Percent and
 * percentage points throughout. */
#include "model/concurrency.h"

/* How a difference to the reference's rate reads: from a reference that never failed any is STRONG,
 * from one that sometimes did it takes 10 points, and one that always did leaves no room. */
enum signal_word rule_signal(double reference, double delta);
double rule_score(enum signal_word s, double delta); /* 0: no candidate */

/* Percent of the repetitions in which it failed more often. */
double rule_consistency(const double *delta, size_t n);

/* CONFIRMED from 80 % on, WEAK from 50 %; only with a mean above zero, and, to be more than WEAK,
 * only if an exact test shows the difference too: a coin that came out so shows nothing. */
enum standing rule_standing(double consistency, double mean, bool shown);

#endif
