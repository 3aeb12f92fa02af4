#include "stats/sequence.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "stats/binomial.h"

static bool sane(int64_t k, int64_t runs, struct mixture prior)
{
    return k >= 0 && k <= runs && prior.a > 0 && prior.b > 0;
}

/* The log wealth for 0 < p < 1, q = 1 - p.  Written around log_binomial, which does not cancel:
 * lgamma differences would lose nine digits at a million runs. */
static double log_wealth(double k, double rest, double p, double q, struct mixture prior)
{
    double a = prior.a + k;
    double b = prior.b + rest;

    return log(a + b) - log(a) - log(b) - log_binomial(a, b, p, q) + prior.a * log(p) +
           prior.b * log(q) - log_beta(prior.a, prior.b);
}

double sequence_log_wealth_of(int64_t k, int64_t runs, double p, struct mixture prior)
{
    if (!sane(k, runs, prior) || !(p >= 0 && p <= 1))
        return NAN;

    double x = (double)k;
    double rest = (double)(runs - k);

    if ((p <= 0 && k > 0) || (p >= 1 && k < runs))
        return INFINITY;
    if (p <= 0 || p >= 1)
        return log_beta(prior.a + x, prior.b + rest) - log_beta(prior.a, prior.b);
    return log_wealth(x, rest, p, 1 - p, prior);
}

double sequence_log_wealth(int64_t k, int64_t runs, double p)
{
    return sequence_log_wealth_of(k, runs, p, MIXTURE_JEFFREYS);
}

/* The smaller root of wealth = 1 / alpha.  In t = log p the log wealth is convex, and left of k/n
 * it falls, so Newton started left of the root stays there and needs no bracket. */
static double lower_root(double k, double rest, double log_bar, struct mixture prior)
{
    if (k <= 0)
        return 0;

    /* Leaving out the factor (1-p)^-rest >= 1 makes the wealth smaller: a start left of it. */
    double at_zero = log_beta(prior.a + k, prior.b + rest) - log_beta(prior.a, prior.b);
    double t = fmin((at_zero - log_bar) / k, -DBL_EPSILON);

    for (int i = 0; i < 200; i++) {
        double p = exp(t);
        double q = -expm1(t);
        double slope = rest * (p / q) - k;
        double step = (log_bar - log_wealth(k, rest, p, q, prior)) / slope;

        if (isnan(step))
            return NAN;
        t = fmin(t + step, -DBL_MIN);
        if (fabs(step) <= 4 * DBL_EPSILON)
            break;
    }
    return exp(t);
}

struct interval sequence_interval_of(int64_t k, int64_t runs, double confidence,
                                     struct mixture prior)
{
    if (!sane(k, runs, prior) || !(confidence >= .5 && confidence < 1))
        return (struct interval){NAN, NAN};

    double log_bar = -log(1 - confidence);
    double x = (double)k;
    double rest = (double)(runs - k);
    struct mixture mirror = {prior.b, prior.a};

    return (struct interval){lower_root(x, rest, log_bar, prior),
                             1 - lower_root(rest, x, log_bar, mirror)};
}

struct interval sequence_interval(int64_t k, int64_t runs, double confidence)
{
    return sequence_interval_of(k, runs, confidence, MIXTURE_JEFFREYS);
}
