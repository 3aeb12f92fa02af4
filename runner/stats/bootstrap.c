#include "stats/bootstrap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/binomial.h"
#include "stats/random.h"

static const double TIE = 1e-12;

static double largest_of(const double *values, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return NAN;
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

/* The power of 2 that makes whole numbers of the values: n of the largest stay below 2^62.  With a
 * million values they are still rounded by no more than 1e-13 of the largest. */
static int scale_of(double largest, size_t n)
{
    int of_value, of_count;

    frexp(largest, &of_value);
    frexp((double)n, &of_count);
    return 62 - of_value - of_count;
}

static int64_t *scaled(const double *values, size_t count, int scale)
{
    int64_t *ret = malloc(count * sizeof(*ret));

    for (size_t i = 0; ret != NULL && i < count; i++)
        ret[i] = llround(ldexp(values[i], scale));
    return ret;
}

/* The draws of one resample: indices below n.  Halves, limit: see the header. */
struct draws {
    struct rng rng;
    uint32_t n, limit;
};

static struct draws draws_of(uint64_t seed, size_t n)
{
    uint32_t small = (uint32_t)n;

    return (struct draws){.rng = rng_of(seed), .n = small, .limit = (0 - small) % small};
}

static inline bool take(uint32_t half, const struct draws *d, size_t *ret_index)
{
    uint64_t product = (uint64_t)half * d->n;

    *ret_index = (size_t)(product >> 32);
    return (uint32_t)product >= d->limit;
}

/* A copy of the generator stays in registers; half of the time of a draw is its dependent steps. */
static int64_t sum_one(struct draws *d, const int64_t *values)
{
    struct draws own = *d;
    uint32_t left = own.n;
    int64_t sum = 0;

    while (left > 0) {
        uint64_t both = rng_next(&own.rng);
        size_t i;

        if (take((uint32_t)both, &own, &i)) {
            sum += values[i];
            left--;
        }
        if (left > 0 && take((uint32_t)(both >> 32), &own, &i)) {
            sum += values[i];
            left--;
        }
    }
    *d = own;
    return sum;
}

static void sum_wide(struct draws *d, const int64_t *values, size_t width, int64_t *ret_sums)
{
    uint32_t left = d->n;
    uint64_t both = 0;

    for (size_t j = 0; j < width; j++)
        ret_sums[j] = 0;
    for (bool fresh = true; left > 0; fresh = !fresh) {
        size_t i;

        both = fresh ? rng_next(&d->rng) : both >> 32;
        if (!take((uint32_t)both, d, &i))
            continue;
        for (size_t j = 0; j < width; j++)
            ret_sums[j] += values[i * width + j];
        left--;
    }
}

static bool plan_sane(const struct bootstrap_plan *plan, size_t n)
{
    return n > 0 && n <= UINT32_MAX && plan->resamples > 0 && plan->confidence > 0 &&
           plan->confidence < 1;
}

int bootstrap_means(const double *values, size_t n, size_t width, const struct bootstrap_plan *plan,
                    double *ret_means)
{
    if (!plan_sane(plan, n) || width < 1 || width > BOOTSTRAP_WIDEST)
        return -1;

    double largest = largest_of(values, n * width);
    int scale = isnan(largest) ? 0 : scale_of(largest, n);
    int64_t *whole = isnan(largest) ? NULL : scaled(values, n * width, scale);

    if (whole == NULL)
        return -1;

    struct draws d = draws_of(plan->seed, n);

    for (size_t r = 0; r < plan->resamples; r++) {
        int64_t sums[BOOTSTRAP_WIDEST];

        if (width == 1)
            sums[0] = sum_one(&d, whole);
        else
            sum_wide(&d, whole, width, sums);
        for (size_t j = 0; j < width; j++)
            ret_means[r * width + j] = ldexp((double)sums[j] / (double)n, -scale);
    }
    free(whole);
    return 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void bootstrap_sort(double *means, size_t b)
{
    qsort(means, b, sizeof(*means), by_value);
}

double bootstrap_quantile(const double *means, size_t b, double q)
{
    if (b == 0 || !(q >= 0 && q <= 1))
        return NAN;

    double at = q * (double)(b - 1), below = floor(at);
    size_t i = (size_t)below;

    if (i + 1 >= b)
        return means[b - 1];
    return means[i] + (at - below) * (means[i + 1] - means[i]);
}

struct interval bootstrap_percentile(const double *means, size_t b, double confidence)
{
    double miss = .5 * (1 - confidence);

    return (struct interval){bootstrap_quantile(means, b, miss),
                             bootstrap_quantile(means, b, 1 - miss)};
}

/* In two passes: the second takes out what the first has rounded. */
static double mean_of(const double *values, size_t n)
{
    double sum = 0, off = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];

    double mean = sum / (double)n;

    for (size_t i = 0; i < n; i++)
        off += values[i] - mean;
    return mean + off / (double)n;
}

/* Skewness over 6 sqrt(n), which is what the jackknife of a mean comes to.  Values that differ by
 * rounding alone have none. */
static double accel_of(const double *values, size_t n, double slack)
{
    double mean = mean_of(values, n), square = 0, cube = 0, farthest = 0;

    for (size_t i = 0; i < n; i++) {
        double u = values[i] - mean;

        square += u * u;
        cube += u * u * u;
        farthest = fmax(farthest, fabs(u));
    }
    return farthest <= slack ? 0 : cube / (6 * square * sqrt(square));
}

/* Where BCa takes its quantile instead of at P(Z <= z). */
static double bca_level(const struct bca *b, double z)
{
    double shifted = b->z0 + z, shrunk = 1 - b->accel * shifted;

    if (shrunk <= 0) /* beyond the pole: the end on that side */
        return shifted < 0 ? 0 : 1;
    return normal_upper(-(b->z0 + shifted / shrunk));
}

struct bca bootstrap_bca(const double *values, size_t n, const double *means, size_t b,
                         double confidence)
{
    struct bca ret = {{NAN, NAN}, NAN, NAN};

    if (n == 0 || b == 0 || !(confidence > 0 && confidence < 1))
        return ret;

    double slack = TIE * largest_of(values, n), mean = mean_of(values, n);
    size_t below = 0, up_to = 0;

    for (size_t i = 0; i < b; i++) {
        below += means[i] < mean - slack;
        up_to += means[i] <= mean + slack;
    }
    ret.z0 = normal_quantile(((double)below + (double)up_to) / (2 * (double)b));
    ret.accel = accel_of(values, n, slack);
    if (!isfinite(ret.z0))
        return ret;

    double z = normal_quantile(.5 * (1 - confidence));

    ret.interval.low = bootstrap_quantile(means, b, bca_level(&ret, z));
    ret.interval.high = bootstrap_quantile(means, b, bca_level(&ret, -z));
    return ret;
}

static double deviation_of(const double *means, size_t b)
{
    double mean = mean_of(means, b), square = 0;

    for (size_t i = 0; i < b; i++)
        square += (means[i] - mean) * (means[i] - mean);
    return sqrt(square / (double)b);
}

int bootstrap_mean(const double *values, size_t n, const struct bootstrap_plan *plan,
                   struct bootstrap *ret)
{
    size_t b = plan->resamples;
    double *means = b > 0 && b <= SIZE_MAX / sizeof(*means) ? malloc(b * sizeof(*means)) : NULL;

    if (means == NULL || bootstrap_means(values, n, 1, plan, means) < 0) {
        free(means);
        return -1;
    }
    bootstrap_sort(means, b);
    *ret = (struct bootstrap){
        .mean = mean_of(values, n),
        .error = deviation_of(means, b),
        .percentile = bootstrap_percentile(means, b, plan->confidence),
        .bca = bootstrap_bca(values, n, means, b, plan->confidence),
    };
    free(means);
    return 0;
}

int bootstrap_paired(const double *first, const double *second, size_t n,
                     const struct bootstrap_plan *plan, struct bootstrap *ret)
{
    double *differences = n > 0 && n <= UINT32_MAX ? malloc(n * sizeof(*differences)) : NULL;

    if (differences == NULL)
        return -1;
    for (size_t i = 0; i < n; i++)
        differences[i] = first[i] - second[i];

    int status = bootstrap_mean(differences, n, plan, ret);

    free(differences);
    return status;
}
