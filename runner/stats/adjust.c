#include "stats/adjust.h"

#include <math.h>
#include <stdbool.h>

static bool sane(const double *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(p[i] >= 0 && p[i] <= 1))
            return false;
    }
    return true;
}

static size_t count_below(const double *p, size_t n, double limit)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += p[i] < limit;
    return count;
}

static size_t count_up_to(const double *p, size_t n, double limit)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += p[i] <= limit;
    return count;
}

int adjust_bonferroni(const double *p, size_t n, double *ret_adjusted)
{
    if (!sane(p, n))
        return -1;
    for (size_t i = 0; i < n; i++)
        ret_adjusted[i] = fmin(1, (double)n * p[i]);
    return 0;
}

int adjust_holm(const double *p, size_t n, double *ret_adjusted)
{
    if (!sane(p, n))
        return -1;
    /* Of equal values the first in order has the largest factor, so all of them get that one. */
    for (size_t i = 0; i < n; i++)
        ret_adjusted[i] = fmin(1, (double)(n - count_below(p, n, p[i])) * p[i]);
    /* Running maximum along the order of p.  In place: a value already raised only holds maxima
     * that belong to every larger p anyway. */
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (p[j] <= p[i] && ret_adjusted[j] > ret_adjusted[i])
                ret_adjusted[i] = ret_adjusted[j];
        }
    }
    return 0;
}

/* factor * n * p / rank, then the running minimum from the top. */
static int adjust_step_up(const double *p, size_t n, double factor, double *ret_adjusted)
{
    if (!sane(p, n))
        return -1;
    for (size_t i = 0; i < n; i++)
        ret_adjusted[i] = fmin(1, factor * (double)n / (double)count_up_to(p, n, p[i]) * p[i]);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (p[j] >= p[i] && ret_adjusted[j] < ret_adjusted[i])
                ret_adjusted[i] = ret_adjusted[j];
        }
    }
    return 0;
}

int adjust_bh(const double *p, size_t n, double *ret_adjusted)
{
    return adjust_step_up(p, n, 1, ret_adjusted);
}

int adjust_by(const double *p, size_t n, double *ret_adjusted)
{
    double harmonic = 0;

    for (size_t j = n; j > 0; j--)
        harmonic += 1 / (double)j;
    return adjust_step_up(p, n, harmonic, ret_adjusted);
}
