#include "stats/permute.h"

#include <math.h>
#include <stdlib.h>

/* ways[c * width + s]: in how many ways c things add up to s.  As long doubles: counts beyond
 * 2^64 lose digits that no p value shows. NULL: no memory. */
struct table {
    long double *ways;
    size_t counts, width;
};

static struct table table_new(size_t most_count, size_t most_sum)
{
    struct table t = {.counts = most_count + 1, .width = most_sum + 1};
    t.ways = calloc(t.counts * t.width, sizeof *t.ways);
    if (t.ways)
        t.ways[0] = 1;
    return t;
}

static long double *at(struct table *t, size_t count, size_t sum)
{
    return &t->ways[count * t->width + sum];
}

/* Share of the ways to take `count` things whose sum is `least` or more. */
static double share_from(struct table *t, size_t count, size_t least)
{
    long double all = 0, part = 0;
    for (size_t s = 0; s < t->width; s++) {
        all += *at(t, count, s);
        part += s >= least ? *at(t, count, s) : 0;
    }
    return all > 0 ? fmin(1, (double)(part / all)) : NAN;
}

static size_t sum_of(const unsigned *v, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum;
}

double permute_greater(const unsigned *first, size_t n1, const unsigned *second, size_t n2)
{
    size_t seen = sum_of(first, n1), all = seen + sum_of(second, n2);
    if (n1 == 0 || n2 == 0)
        return NAN;
    struct table t = table_new(n1, all);
    if (!t.ways)
        return NAN;
    for (size_t i = 0; i < n1 + n2; i++) {
        unsigned v = i < n1 ? first[i] : second[i - n1];
        for (size_t c = n1; c > 0; c--)
            for (size_t s = all + 1; s-- > v;)
                *at(&t, c, s) += *at(&t, c - 1, s - v);
    }
    double p = share_from(&t, n1, seen);
    free(t.ways);
    return p;
}

static long double choose(unsigned n, unsigned k)
{
    long double c = 1;
    for (unsigned i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return c;
}

#define LEVEL_MOST 1024 /* runs of a level */

/* One more level: x of its n runs fail, in choose(n, x) ways. */
static void add_level(struct table *from, struct table *to, unsigned n, unsigned d)
{
    long double ways[LEVEL_MOST + 1];
    unsigned most = to->counts <= n ? (unsigned)to->counts - 1 : n;
    for (unsigned x = 0; x <= most; x++)
        ways[x] = choose(n, x);
    for (size_t c = 0; c < from->counts; c++) {
        for (size_t s = 0; s < from->width; s++) {
            long double w = *at(from, c, s);
            for (unsigned x = 0; w > 0 && x <= most && c + x < to->counts; x++)
                if (s + (size_t)d * x < to->width)
                    *at(to, c + x, s + (size_t)d * x) += w * ways[x];
        }
    }
}

double trend_greater(const unsigned *k, const unsigned *n, const unsigned *d, size_t levels)
{
    size_t failed = 0, seen = 0, highest = 0;
    for (size_t i = 0; i < levels; i++) {
        if (k[i] > n[i] || n[i] > LEVEL_MOST)
            return NAN;
        failed += k[i];
        seen += (size_t)d[i] * k[i];
        highest = d[i] > highest ? d[i] : highest;
    }
    struct table t = table_new(failed, failed * highest);
    for (size_t i = 0; i < levels && t.ways; i++) {
        struct table next = table_new(failed, failed * highest);
        if (next.ways) {
            next.ways[0] = 0;
            add_level(&t, &next, n[i], d[i]);
        }
        free(t.ways);
        t = next;
    }
    if (!t.ways)
        return NAN;
    double p = share_from(&t, failed, seen);
    free(t.ways);
    return p;
}

double trend_score(const unsigned *k, const unsigned *n, const unsigned *d, size_t levels)
{
    /* Whole numbers wide enough for their products: only the end is rounded. */
    __int128 runs = 0, failed = 0, scores = 0, num = 0;
    double square = 0;
    for (size_t i = 0; i < levels; i++) {
        if (k[i] > n[i])
            return NAN;
        runs += n[i];
        failed += k[i];
        scores += (__int128)n[i] * d[i];
    }
    for (size_t i = 0; i < levels; i++) {
        __int128 off = runs * d[i] - scores; /* from the mean score, times the runs */
        num += off * k[i];
        square += (double)n[i] * (double)off * (double)off;
    }
    double rate = (double)failed / (double)runs, other = (double)(runs - failed) / (double)runs;
    double variance = rate * other * square;
    return variance > 0 ? (double)num / sqrt(variance) : NAN;
}
