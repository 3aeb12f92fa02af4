#include "stats/compare.h"

#include <math.h>
#include <stdbool.h>

/* A 2x2 table with fixed margins: x of the total failures fall into the first n1 runs. */
struct margins {
    int64_t n1, n2, total;
    int64_t least, most; /* the x the margins allow */
};

static struct margins margins_of(int64_t k1, int64_t n1, int64_t k2, int64_t n2)
{
    int64_t total = k1 + k2;

    return (struct margins){
        .n1 = n1,
        .n2 = n2,
        .total = total,
        .least = total > n2 ? total - n2 : 0,
        .most = total < n1 ? total : n1,
    };
}

/* P(x + 1) / P(x), from the ratio of two hypergeometric terms. */
static long double ratio_up(const struct margins *m, int64_t x)
{
    long double up = (long double)(m->n1 - x) * (long double)(m->total - x);
    long double down = (long double)(x + 1) * (long double)(m->n2 - m->total + x + 1);

    return up / down;
}

/* The most likely x.  Weights are taken relative to it: they then only shrink, so the sums cannot
 * overflow, and a weight that vanishes stands for a p below the smallest long double. */
static int64_t mode_of(const struct margins *m)
{
    long double all = (long double)m->n1 + (long double)m->n2;
    int64_t x = (int64_t)(((long double)m->n1 + 1) * ((long double)m->total + 1) / (all + 2));

    if (x < m->least)
        x = m->least;
    return x > m->most ? m->most : x;
}

static long double weight_of(const struct margins *m, int64_t mode, int64_t at)
{
    long double w = 1;

    for (int64_t x = mode; x < at && w > 0; x++)
        w *= ratio_up(m, x);
    for (int64_t x = mode; x > at && w > 0; x--)
        w /= ratio_up(m, x - 1);
    return w;
}

struct sums {
    long double above, at, below, all, unlikely;
};

static void sums_add(struct sums *s, long double w, int64_t x, int64_t seen)
{
    /* Tables as likely as the seen one must count as such although their weight comes along
     * another path of roundings; distinct weights differ by far more than 1e-7. */
    if (w <= s->at * (1 + 1e-7L))
        s->unlikely += w;
    if (x > seen)
        s->above += w;
    else if (x < seen)
        s->below += w;
    s->all += w;
}

static double share(long double part, long double all)
{
    return fmin(1, (double)(part / all));
}

struct fisher fisher_exact(int64_t k1, int64_t n1, int64_t k2, int64_t n2)
{
    if (k1 < 0 || k1 > n1 || k2 < 0 || k2 > n2)
        return (struct fisher){NAN, NAN, NAN, NAN};

    struct margins m = margins_of(k1, n1, k2, n2);
    int64_t mode = mode_of(&m);
    struct sums s = {.at = weight_of(&m, mode, k1)};
    long double w = 1;

    for (int64_t x = mode; x <= m.most && w > 0; x++) {
        sums_add(&s, w, x, k1);
        w *= ratio_up(&m, x);
    }
    w = 1;
    for (int64_t x = mode - 1; x >= m.least && w > 0; x--) {
        w /= ratio_up(&m, x);
        sums_add(&s, w, x, k1);
    }
    return (struct fisher){
        .greater = share(s.above + s.at, s.all),
        .less = share(s.below + s.at, s.all),
        .two_sided = share(s.unlikely, s.all),
        .point = share(s.at, s.all),
    };
}

double fisher_greater(int64_t k1, int64_t n1, int64_t k2, int64_t n2)
{
    return fisher_exact(k1, n1, k2, n2).greater;
}

double fisher_two_sided(int64_t k1, int64_t n1, int64_t k2, int64_t n2)
{
    return fisher_exact(k1, n1, k2, n2).two_sided;
}

int64_t provoked_runs_needed(int64_t k, int64_t n, double alpha, int64_t cap)
{
    /* A p that equals alpha but for rounding is a rejection. */
    double bar = alpha * (1 + 1e-12);

    for (int64_t r = 1; r <= cap; r++) {
        if (fisher_greater(r, r, k, n) <= bar)
            return r;
    }
    return -1;
}

struct interval difference_newcombe(int64_t k1, int64_t n1, int64_t k2, int64_t n2,
                                    double confidence)
{
    struct interval one = interval_wilson(k1, n1, confidence);
    struct interval two = interval_wilson(k2, n2, confidence);

    if (isnan(one.low) || isnan(two.low) || n1 == 0 || n2 == 0)
        return (struct interval){NAN, NAN};

    double p1 = (double)k1 / (double)n1;
    double p2 = (double)k2 / (double)n2;
    double low = p1 - p2 - hypot(p1 - one.low, two.high - p2);
    double high = p1 - p2 + hypot(one.high - p1, p2 - two.low);

    return (struct interval){fmax(-1, low), fmin(1, high)};
}
