#ifndef FR_STATS_BINOMIAL_H
#define FR_STATS_BINOMIAL_H
/* The numerical kernel: binomial, beta and normal distributions.
 *
 * Everything in stats/ is pure and thread-safe: no state, no I/O, libm only; what allocates says
 * so.
 * Rates and probabilities are plain numbers in [0, 1], never percent; logarithms are natural.
 * An argument outside the stated range gives NaN, and so does a fraction that does not
 * converge: a wrong number must not look like a result. */
#include <stdint.h>

/* The two sides of a distribution at one point.  Each is accurate relative to itself; the smaller
 * one is never computed as one minus the larger. */
struct tails {
    double lower;
    double upper;
};

/* log( G(x+y+1) / (G(x+1) G(y+1)) * p^x * q^y ), G the gamma function, for real x, y >= 0:
 * for whole numbers the log of the binomial probability of x successes in x + y runs.
 * q = 1 - p is passed because a caller often knows it better than 1 - p does.
 * Source: the saddle point form of C. Loader, "Fast and accurate computation of binomial
 * probabilities" (2000). */
double log_binomial(double x, double y, double p, double q);

/* log B(a, b), the beta function, a, b > 0.  DLMF 5.12.1 */
double log_beta(double a, double b);

/* The regularized incomplete beta function I_x(a, b) and its complement, a, b > 0; y = 1 - x is
 * passed for the same reason as q above.  DLMF 8.17.2, by the continued fraction 8.17.22. */
struct tails beta_tails(double a, double b, double x, double y);

/* Their logarithms, for tails below the smallest double. */
struct tails beta_log_tails(double a, double b, double x, double y);

/* The x with I_x(a, b) = lower, a, b > 0, lower in [0, 1].  For a point close to 1 ask for the
 * other side: 1 - beta_quantile(b, a, upper). */
double beta_quantile(double a, double b, double lower);

/* P(X <= k) in lower and P(X >= k) in upper, X binomial(runs, rate): both contain k itself.
 * 0 <= k <= runs.  DLMF 8.17.5 */
struct tails binomial_tails(int64_t k, int64_t runs, double rate);

/* log P(X = k), X binomial(runs, rate); -infinity when it cannot happen. */
double binomial_log_mass(int64_t k, int64_t runs, double rate);

/* The x with P(Z <= x) = p, Z standard normal; -infinity at 0, infinity at 1.  DLMF 7.17 */
double normal_quantile(double p);

/* P(Z > x), accurate relative to itself in the far tail too.  DLMF 7.2.2 */
double normal_upper(double x);

#endif
