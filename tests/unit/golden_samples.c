/* Golden cases of samples of inputs: bootstrap, correlation of runs, metrics, order statistics. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "stats/bootstrap.h"
#include "stats/metric.h"
#include "stats/quantile.h"

static void run_percentile(struct golden *g)
{
    size_t b;
    double *boot = reals(g, "boot", &b);

    bootstrap_sort(boot, b);
    expect_interval(g, bootstrap_percentile(boot, b, real(g, "confidence")));
    free(boot);
}

static void run_bca(struct golden *g)
{
    size_t n, b;
    double *data = reals(g, "data", &n), *boot = reals(g, "boot", &b);

    bootstrap_sort(boot, b);

    struct bca have = bootstrap_bca(data, n, boot, b, real(g, "confidence"));

    expect_interval(g, have.interval);
    expect(g, "z0", isfinite(have.z0) ? have.z0 : NAN);
    expect(g, "accel", have.accel);
    free(data);
    free(boot);
}

/* The documentation's bands for a Monte Carlo bootstrap, against the exact numbers. */
static void check_engine(struct golden *g, const double *values, size_t n, double t)
{
    enum { B = 20000 };
    struct bootstrap_plan plan = {.seed = g->index, .resamples = B, .confidence = .95};
    double *means = memory(B, sizeof(*means));
    double cdf = number(json_object_object_get(g->out, "cdf_at_t"));
    double sd = number(json_object_object_get(g->out, "sd"));
    struct bootstrap boot;
    size_t up_to = 0;

    require(g, "no resamples", bootstrap_means(values, n, 1, &plan, means) == 0);
    require(g, "no bootstrap", bootstrap_mean(values, n, &plan, &boot) == 0);
    for (size_t i = 0; i < B; i++)
        up_to += means[i] <= t + 1e-12;
    require(g, "the resamples' distribution is off",
            fabs((double)up_to / B - cdf) <= 5 * sqrt(cdf * (1 - cdf) / B) + 1. / B);
    require(g, "the resamples' deviation is off",
            fabs(boot.error - sd) <= 5 * sd / sqrt(2. * B) * 1.5);
    free(means);
}

static void run_ideal(struct golden *g)
{
    struct json_object *list = input(g, "counts");
    size_t n = length(list);
    unsigned runs = (unsigned)count(g, "runs"), *counts = memory(n, sizeof(*counts));
    double *values = memory(n, sizeof(*values)), t = real(g, "t"), mean = 0, square = 0;

    for (size_t i = 0; i < n; i++) {
        counts[i] = (unsigned)count_at(list, i);
        values[i] = (double)counts[i] / runs;
        mean += values[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        square += (values[i] - mean) * (values[i] - mean);
    expect(g, "mean", mean);
    expect(g, "sd", sqrt(square) / (double)n);
    expect(g, "cdf_at_t", ideal_bootstrap_cdf(counts, n, runs, t));
    check_engine(g, values, n, t);
    free(counts);
    free(values);
}

static void run_icc(struct golden *g)
{
    struct json_object *list = input(g, "counts");
    size_t n = length(list);
    struct runs_of *inputs = memory(n, sizeof(*inputs));

    for (size_t i = 0; i < n; i++) {
        struct json_object *one = json_object_array_get_idx(list, i);

        inputs[i] = (struct runs_of){count_at(one, 0), count_at(one, 1)};
    }

    struct icc have = metric_icc(inputs, n);

    expect(g, "rho", have.rho);
    expect(g, "rho_raw", have.raw);
    expect(g, "k0", have.k0);
    free(inputs);
}

static void run_width(struct golden *g)
{
    struct growth by = {.more_runs = real(g, "runs"), .more_inputs = real(g, "inputs")};

    expect(g, "ratio", metric_projected_width(real(g, "k"), real(g, "rho"), by));
}

static void run_pass_all(struct golden *g)
{
    expect(g, "value", metric_pass_all(count(g, "c"), count(g, "n"), count(g, "k")));
}

static void run_pass_any(struct golden *g)
{
    expect(g, "value", metric_pass_any(count(g, "c"), count(g, "n"), count(g, "k")));
}

static void run_ranks(struct golden *g)
{
    struct quantile_ranks have = quantile_ranks(count(g, "n"), real(g, "q"), real(g, "confidence"));

    expect_count(g, "r", have.low > 0 ? have.low : -1);
    expect_count(g, "s", have.high > 0 ? have.high : -1);
    expect(g, "coverage", have.coverage);
}

static void run_min_draws(struct golden *g)
{
    expect_count(g, "n", quantile_min_draws(real(g, "q"), real(g, "confidence")));
}

static void run_rank(struct golden *g)
{
    expect_count(g, "rank", quantile_rank(count(g, "n"), real(g, "q")));
}

const struct golden_function golden_samples[] = {
    {"percentile_interval", run_percentile},
    {"bca_interval", run_bca},
    {"bootstrap_ideal_mean", run_ideal},
    {"icc_anova", run_icc},
    {"projected_width", run_width},
    {"pass_hat_k", run_pass_all},
    {"pass_at_k", run_pass_any},
    {"quantile_ranks", run_ranks},
    {"quantile_min_n", run_min_draws},
    {"sample_quantile_rank", run_rank},
    {NULL, NULL},
};
