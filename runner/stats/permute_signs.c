#include "stats/permute.h"

#include <math.h>
#include <stdlib.h>

#include "stats/random.h"

enum {
    WORK_MOST = 30000000, /* additions of the exact count */
    RANGE_MOST = 4000000, /* numbers it keeps */
    LISTED_MOST = 22,     /* differences whose signs are listed one by one instead */
};

/* The differences as whole numbers: absolute values, and what their true signs add up to. */
struct flips {
    int64_t *by;
    size_t n;
    int64_t all, seen; /* sum of by; |signed sum| */
    int64_t slack;     /* what rounding may have moved a sum by; 0: nothing is rounded */
    double sum;        /* of the differences themselves */
};

struct fraction {
    int64_t num, den;
};

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static bool pair_sane(const struct run_pair *p)
{
    return p->n1 > 0 && p->n1 <= INT32_MAX && p->n2 > 0 && p->n2 <= INT32_MAX && p->k1 >= 0 &&
           p->k1 <= p->n1 && p->k2 >= 0 && p->k2 <= p->n2;
}

static struct fraction difference_of(const struct run_pair *p)
{
    int64_t num = p->k1 * p->n2 - p->k2 * p->n1, den = p->n1 * p->n2;
    int64_t divisor = common_divisor(num, den);
    return (struct fraction){num / divisor, den / divisor};
}

/* f->by becomes the numerators over one denominator.  false: too large, f is untouched but by. */
static bool scale_exactly(struct flips *f, const struct fraction *d)
{
    int64_t den = 1, divisor = 0, signed_sum = 0, all = 0;
    for (size_t i = 0; i < f->n; i++)
        if (__builtin_mul_overflow(den, d[i].den / common_divisor(den, d[i].den), &den))
            return false;
    for (size_t i = 0; i < f->n; i++) {
        int64_t by;
        if (__builtin_mul_overflow(d[i].num, den / d[i].den, &by) ||
            __builtin_add_overflow(signed_sum, by, &signed_sum) ||
            __builtin_add_overflow(all, llabs(by), &all) || all > INT64_MAX / 2)
            return false;
        f->by[i] = llabs(by);
        divisor = common_divisor(by, divisor);
    }
    f->sum = (double)signed_sum / (double)den;
    for (size_t i = 0; i < f->n; i++)
        f->by[i] /= divisor;
    f->all = f->n > 0 ? all / divisor : 0;
    f->seen = f->n > 0 ? llabs(signed_sum) / divisor : 0;
    f->slack = 0;
    return true;
}

/* The same, rounded to a power of 2 that keeps all sums in range.  Sums that rounding may have
 * parted count as equal: the p can only become larger. */
static void scale_roughly(struct flips *f, const struct fraction *d)
{
    int bits, scale;
    int64_t signed_sum = 0;
    frexp((double)f->n, &bits);
    scale = 61 - bits;
    f->all = 0;
    f->sum = 0;
    for (size_t i = 0; i < f->n; i++) {
        double value = (double)d[i].num / (double)d[i].den;
        int64_t by = llround(ldexp(value, scale));
        f->sum += value;
        f->by[i] = llabs(by);
        f->all += f->by[i];
        signed_sum += by;
    }
    f->seen = llabs(signed_sum);
    f->slack = (int64_t)f->n + 1 + (int64_t)ldexp(1, scale - 52) * (int64_t)f->n;
}

/* P(those with a plus sum up to `most` or less), sign by sign.  Probabilities, not counts: halves
 * are exact until 2^-1074. NaN: no memory. */
static double share_up_to(const struct flips *f, int64_t most)
{
    size_t width = (size_t)most + 1, reached = 0;
    double *p = calloc(width, sizeof *p), share = 0;
    if (!p)
        return NAN;
    p[0] = 1;
    for (size_t i = 0; i < f->n; i++) {
        size_t by = (size_t)f->by[i];
        reached = by < width - 1 - reached ? reached + by : width - 1;
        for (size_t s = reached; s >= by; s--)
            p[s] = .5 * (p[s] + p[s - by]);
        for (size_t s = 0; s < by && s < width; s++)
            p[s] *= .5;
    }
    for (size_t s = 0; s < width; s++)
        share += p[s];
    free(p);
    return share;
}

/* The same by listing all signs, in an order where each differs from the one before in one sign
 * (F. Gray 1953). */
static double share_listed(const struct flips *f, int64_t most)
{
    uint64_t ways = UINT64_C(1) << f->n, hits = 1; /* no plus at all: 0, never above most */
    int64_t sum = 0;
    for (uint64_t i = 1; i < ways; i++) {
        int bit = __builtin_ctzll(i);
        bool plus = (i >> bit >> 1 & 1) == 0;
        sum += plus ? f->by[bit] : -f->by[bit];
        hits += sum <= most;
    }
    return (double)hits / (double)ways;
}

static double share_drawn(const struct flips *f, const struct flip_draws *draws)
{
    struct rng rng = rng_of(draws->seed);
    int64_t bar = f->seen > f->slack ? f->seen - f->slack : 0;
    size_t hits = 0;
    for (size_t r = 0; r < draws->resamples; r++) {
        int64_t sum = 0;
        uint64_t bits = 0;
        for (size_t i = 0; i < f->n; i++) {
            bits = i % 64 == 0 ? rng_next(&rng) : bits >> 1;
            sum += bits & 1 ? f->by[i] : -f->by[i];
        }
        hits += llabs(sum) >= bar;
    }
    return (double)(1 + hits) / (double)(1 + draws->resamples);
}

static struct sign_flip flip(const struct flips *f, const struct flip_draws *draws)
{
    struct sign_flip ret = {.sum = f->sum, .nonzero = f->n, .exact = true};
    /* |sum of signs| >= seen: those with a plus sum up to (all - seen) / 2 or less, or, which is as
     * likely, those with a minus do. */
    int64_t most = (f->all - f->seen) / 2;
    if (f->n == 0 || (f->slack == 0 && f->seen == 0))
        ret.p = 1;
    else if (f->slack == 0 && most < RANGE_MOST && (most + 1) * (int64_t)f->n <= WORK_MOST)
        ret.p = fmin(1, 2 * share_up_to(f, most));
    else if (f->slack == 0 && f->n <= LISTED_MOST)
        ret.p = fmin(1, 2 * share_listed(f, most));
    else {
        ret.exact = false;
        ret.p = draws->resamples > 0 ? share_drawn(f, draws) : NAN;
    }
    return ret;
}

struct sign_flip sign_flip(const struct run_pair *pairs, size_t n, const struct flip_draws *draws)
{
    const struct sign_flip none = {.p = NAN, .sum = NAN};
    struct flips f = {0};
    for (size_t i = 0; i < n; i++)
        if (!pair_sane(&pairs[i]))
            return none;
    struct fraction *d = calloc(n + 1, sizeof *d);
    f.by = calloc(n + 1, sizeof *f.by);
    for (size_t i = 0; d && i < n; i++) {
        d[f.n] = difference_of(&pairs[i]);
        f.n += d[f.n].num != 0;
    }
    struct sign_flip ret = none;
    if (d && f.by) {
        if (!scale_exactly(&f, d))
            scale_roughly(&f, d);
        ret = flip(&f, draws);
    }
    free(d);
    free(f.by);
    return ret;
}
