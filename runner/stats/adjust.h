#ifndef FR_STATS_ADJUST_H
#define FR_STATS_ADJUST_H
/* p values when several questions were asked at once.  Pure and thread-safe.
 *
 * p[0..n) in [0, 1], ret_adjusted[0..n) another array, in the order of p, capped at 1; equal p
 * values get equal results.  Returns -1 and writes nothing if a p is NaN or outside [0, 1].
 * No memory is needed; time grows with n squared, and families here are hundreds at most. */
#include <stddef.h>

/* n times p.  Holds the chance of any false claim; adjust_holm does too and is never larger. */
int adjust_bonferroni(const double *p, size_t n, double *ret_adjusted);

/* Holds the chance of any false claim, whatever the dependence between the questions.
 * S. Holm, Scandinavian Journal of Statistics 6 (1979) 65. */
int adjust_holm(const double *p, size_t n, double *ret_adjusted);

/* Holds the expected share of false claims among the claims, for independent questions.
 * Y. Benjamini & Y. Hochberg, JRSS B 57 (1995) 289. */
int adjust_bh(const double *p, size_t n, double *ret_adjusted);

/* The same under any dependence.  Y. Benjamini & D. Yekutieli, Annals of Statistics 29 (2001). */
int adjust_by(const double *p, size_t n, double *ret_adjusted);

#endif
