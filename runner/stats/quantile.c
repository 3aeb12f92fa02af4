#include "stats/quantile.h"

#include <math.h>
#include <stdbool.h>

#include "stats/binomial.h"

static const double TIE = 1e-12;

static bool sane(double q, double confidence)
{
    return q > 0 && q < 1 && confidence > 0 && confidence < 1;
}

/* The largest r in [1, n] with P(B <= r - 1) <= most, B binomial(n, q); 0: none. */
static int64_t lower_rank(int64_t n, double q, double most)
{
    int64_t low = 0, high = n;

    while (low < high) {
        int64_t r = low + (high - low + 1) / 2;

        if (binomial_tails(r - 1, n, q).lower <= most)
            low = r;
        else
            high = r - 1;
    }
    return low;
}

/* The smallest s in [1, n] with P(B >= s) <= most; 0: none. */
static int64_t upper_rank(int64_t n, double q, double most)
{
    int64_t low = 1, high = n + 1;

    while (low < high) {
        int64_t s = low + (high - low) / 2;

        if (binomial_tails(s, n, q).upper <= most)
            high = s;
        else
            low = s + 1;
    }
    return low <= n ? low : 0;
}

struct quantile_ranks quantile_ranks(int64_t n, double q, double confidence)
{
    if (!sane(q, confidence) || n < 0)
        return (struct quantile_ranks){.coverage = NAN};

    double most = .5 * (1 - confidence) * (1 + TIE);
    int64_t low = lower_rank(n, q, most), high = upper_rank(n, q, most);
    double below = low > 0 ? binomial_tails(low - 1, n, q).lower : 0;
    double above = high > 0 ? binomial_tails(high, n, q).upper : 0;

    return (struct quantile_ranks){.low = low, .high = high, .coverage = 1 - below - above};
}

int64_t quantile_min_draws(double q, double confidence)
{
    if (!sane(q, confidence))
        return -1;

    /* The rarer side needs more draws: the log of the larger of q and 1 - q. */
    double log_side = q < .5 ? log1p(-q) : log(q);
    double log_most = log(.5 * (1 - confidence));
    double guess = ceil(log_most / log_side);

    if (!(guess < 9e18))
        return -1;

    int64_t n = guess < 1 ? 1 : (int64_t)guess;

    if (n > 1 && (double)(n - 1) * log_side <= log_most + TIE)
        n--;
    else if ((double)n * log_side > log_most + TIE)
        n++;
    return n;
}

int64_t quantile_rank(int64_t n, double q)
{
    if (n < 1 || !(q > 0 && q < 1))
        return -1;

    double rank = ceil((double)n * q - 1e-9);

    return rank < 1 ? 1 : (int64_t)rank;
}
