#include "stats/interval.h"

#include <math.h>
#include <stdbool.h>

#include "stats/binomial.h"

static bool sane(int64_t k, int64_t runs, double confidence)
{
    return k >= 0 && k <= runs && confidence > 0 && confidence < 1;
}

/* The rate at which k or more of runs happens with the chance miss.  The upper bound is its mirror,
 * so that the small tail is always the one that is solved for. */
static double exact_low(int64_t k, int64_t runs, double miss)
{
    if (k == 0)
        return 0;
    if (k == runs)
        return exp(log(miss) / (double)runs);
    return beta_quantile((double)k, (double)(runs - k) + 1, miss);
}

struct interval interval_exact(int64_t k, int64_t runs, double confidence)
{
    double miss = .5 * (1 - confidence);

    if (!sane(k, runs, confidence))
        return (struct interval){NAN, NAN};
    return (struct interval){exact_low(k, runs, miss), 1 - exact_low(runs - k, runs, miss)};
}

double interval_low(int64_t k, int64_t runs, double confidence)
{
    return sane(k, runs, confidence) ? exact_low(k, runs, 1 - confidence) : NAN;
}

double interval_high(int64_t k, int64_t runs, double confidence)
{
    return sane(k, runs, confidence) ? 1 - exact_low(runs - k, runs, 1 - confidence) : NAN;
}

struct interval interval_wilson(int64_t k, int64_t runs, double confidence)
{
    if (!sane(k, runs, confidence))
        return (struct interval){NAN, NAN};
    if (runs == 0)
        return (struct interval){0, 1};

    double n = (double)runs;
    double z = normal_quantile(.5 * (1 - confidence));
    double z2 = z * z / n;
    double p = (double)k / n;
    double half = sqrt(z2 * (p * ((double)(runs - k) / n) + z2 / 4));
    double high = (p + z2 / 2 + half) / (1 + z2);

    /* The two bounds are the roots of one quadratic: low from their product, because the
     * difference centre - half cancels for few failures in many runs. */
    double low = k == 0 ? 0 : p * p / (1 + z2) / high;

    return (struct interval){low, k == runs ? 1 : high};
}

struct interval interval_bayes(int64_t k, int64_t runs, double confidence, double a, double b)
{
    if (!sane(k, runs, confidence) || !(a > 0 && b > 0))
        return (struct interval){NAN, NAN};

    double miss = .5 * (1 - confidence);
    double for_it = a + (double)k;
    double against = b + (double)(runs - k);

    return (struct interval){beta_quantile(for_it, against, miss),
                             1 - beta_quantile(against, for_it, miss)};
}
