#include "reference.h"

#include <math.h>
#include <stdlib.h>

#include "stats/binomial.h"
#include "stats/compare.h"
#include "stats/sequence.h"

static double *numbers(size_t n)
{
    double *ret = calloc(n, sizeof(*ret));

    if (ret == NULL)
        abort();
    return ret;
}

struct coverage exact_coverage(interval_method *of, const double *prior, int64_t n, double p,
                               double confidence)
{
    struct coverage ret = {0};

    for (int64_t k = 0; k <= n; k++) {
        struct interval i = of(k, n, confidence, prior);
        double mass = exp(binomial_log_mass(k, n, p));

        *(p < i.low ? &ret.below : p > i.high ? &ret.above : &ret.inside) += mass;
    }
    return ret;
}

double ever_missed(interval_method *of, const double *prior, int64_t horizon, double p,
                   double confidence)
{
    double missed = 0, *at = numbers((size_t)horizon + 2); /* P(k failures, never missed) */

    at[0] = 1;
    for (int64_t n = 1; n <= horizon; n++) {
        for (int64_t k = n; k >= 0; k--) {
            at[k] = at[k] * (1 - p) + (k > 0 ? at[k - 1] * p : 0);

            struct interval i = of(k, n, confidence, prior);

            if (i.low <= p && p <= i.high)
                continue;
            missed += at[k];
            at[k] = 0;
        }
    }
    free(at);
    return missed;
}

double fisher_power(int64_t n1, int64_t n2, double p1, double p2, double alpha)
{
    double power = 0, bar = alpha * (1 + 1e-12);
    int64_t least = 0; /* of the first arm, that rejects: it grows with the second's */

    for (int64_t j = 0; j <= n2; j++) {
        while (least <= n1 && fisher_greater(least, n1, j, n2) > bar)
            least++;
        if (least <= n1)
            power += exp(binomial_log_mass(j, n2, p2)) * binomial_tails(least, n1, p1).upper;
    }
    return power;
}

/* Of the tables with `total` of 1, the share whose p is `most` at most. */
static double share_of_extreme(int64_t n1, int64_t n2, int64_t total, double most)
{
    double share = 0;

    for (int64_t k1 = total > n2 ? total - n2 : 0; k1 <= total && k1 <= n1; k1++) {
        struct fisher f = fisher_exact(k1, n1, total - k1, n2);

        if (f.greater <= most)
            share += f.point;
    }
    return share;
}

static double chance_of_extreme(const double *share, int64_t n, double rate)
{
    double chance = 0;

    for (int64_t total = 0; total <= n; total++)
        chance += share[total] * exp(binomial_log_mass(total, n, rate));
    return chance;
}

double boschloo_greater(int64_t k1, int64_t n1, int64_t k2, int64_t n2)
{
    enum { GRID = 4000 };
    int64_t n = n1 + n2;
    double most = fisher_greater(k1, n1, k2, n2) * (1 + 1e-9), best = 0, at = 0;
    double *share = numbers((size_t)n + 1);

    for (int64_t total = 0; total <= n; total++)
        share[total] = share_of_extreme(n1, n2, total, most);
    for (int i = 0; i <= GRID; i++) {
        double chance = chance_of_extreme(share, n, (double)i / GRID);

        if (chance > best) {
            best = chance;
            at = (double)i / GRID;
        }
    }
    /* The top between the neighbours of the best point, by thirds. */
    double low = fmax(0, at - 1. / GRID), high = fmin(1, at + 1. / GRID);

    for (int i = 0; i < 60; i++) {
        double x = low + (high - low) / 3, y = high - (high - low) / 3;
        double at_x = chance_of_extreme(share, n, x), at_y = chance_of_extreme(share, n, y);

        best = fmax(best, fmax(at_x, at_y));
        *(at_x < at_y ? &low : &high) = at_x < at_y ? x : y;
    }
    free(share);
    return fmin(1, best);
}

double two_proportions_runs(double p1, double p2, double alpha, double power)
{
    double both = (p1 + p2) / 2;
    double reach = -normal_quantile(alpha) * sqrt(2 * both * (1 - both)) +
                   normal_quantile(power) * sqrt(p1 * (1 - p1) + p2 * (1 - p2));

    return reach * reach / ((p1 - p2) * (p1 - p2));
}

double mcnemar_exact(int64_t b, int64_t c)
{
    return b + c == 0 ? 1 : fmin(1, 2 * binomial_tails(b < c ? b : c, b + c, .5).lower);
}

double spend_harmonic(int64_t j, double alpha)
{
    return alpha / ((double)j * ((double)j + 1));
}

double spend_basel(int64_t j, double alpha)
{
    return 6 * alpha / (M_PI * M_PI * (double)j * (double)j);
}

double one_sided_log_wealth(int64_t k, int64_t n, double p0, double a, double b)
{
    double before = beta_log_tails(a, b, p0, 1 - p0).upper;
    double after = beta_log_tails(a + (double)k, b + (double)(n - k), p0, 1 - p0).upper;

    return sequence_log_wealth_of(k, n, p0, (struct mixture){a, b}) + after - before;
}

static double log_chance(double rate, int outcome)
{
    return outcome ? log(rate) : log1p(-rate);
}

void two_arms_block(struct two_arms *t, int a, int b)
{
    double rate_a = (t->g + t->a) / (2 * t->g + t->blocks);
    double rate_b = (t->g + t->b) / (2 * t->g + t->blocks);
    double equal = (rate_a + rate_b) / 2;

    t->log_wealth +=
        log_chance(rate_a, a) + log_chance(rate_b, b) - log_chance(equal, a) - log_chance(equal, b);
    t->most = fmax(t->most, t->log_wealth);
    t->a += a;
    t->b += b;
    t->blocks++;
}

double ideal_bootstrap_cdf(const unsigned *counts, size_t n, unsigned runs, double t)
{
    size_t width = n * runs + 1;
    double *chance = numbers(width), *next = numbers(width), cdf = 0;

    chance[0] = 1;
    for (size_t draw = 0; draw < n; draw++) {
        for (size_t s = 0; s < width; s++)
            next[s] = 0;
        for (size_t i = 0; i < n; i++) {
            for (size_t s = counts[i]; s < width; s++)
                next[s] += chance[s - counts[i]] / (double)n;
        }

        double *spent = chance;

        chance = next;
        next = spent;
    }
    for (size_t s = 0; s < width && (double)s <= t * (double)(width - 1) + 1e-9; s++)
        cdf += chance[s];
    free(chance);
    free(next);
    return cdf;
}
