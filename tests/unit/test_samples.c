/* Metrics over repeated runs, the correlation of runs, and order statistics. */
#include "../check.h"

#include "stats/metric.h"
#include "stats/quantile.h"

/* ---- pass^k and pass@k ---- */

/* Every set of k of n runs, of which the first `passes` passed. */
static void by_listing(int passes, int n, int k, double *ret_all, double *ret_any)
{
    int sets = 0, all = 0, any = 0;

    for (unsigned set = 0; set < 1u << n; set++) {
        if (__builtin_popcount(set) != k)
            continue;
        int hit = __builtin_popcount(set & ((1u << passes) - 1));

        sets++;
        all += hit == k;
        any += hit > 0;
    }
    *ret_all = (double)all / sets;
    *ret_any = (double)any / sets;
}

TEST(metrics_are_what_listing_says)
{
    for (int n = 1; n <= 11; n++) {
        for (int i = 0; i < (n + 1) * (n + 1); i++) {
            int passes = i / (n + 1), k = i % (n + 1);
            double all, any;

            by_listing(passes, n, k, &all, &any);
            CHECK_NEAR(metric_pass_all(passes, n, k), all, 1e-14);
            CHECK_NEAR(metric_pass_any(passes, n, k), any, 1e-14);
        }
    }
}

TEST(metrics_of_one_run_are_the_rate)
{
    static const int64_t runs[] = {1, 2, 10, 1000, 1000000, 1000000000};

    for (int i = 0; i < 6; i++) {
        for (int64_t part = 0; part <= 4; part++) {
            int64_t n = runs[i], passes = n / 4 * part;
            double rate = (double)passes / (double)n;

            CHECK_NEAR(metric_pass_all(passes, n, 1), rate, 1e-14 * rate);
            CHECK_NEAR(metric_pass_any(passes, n, 1), rate, 1e-14 * rate);
            CHECK(n == 1 || metric_pass_all(passes, n, 2) <= rate);
            CHECK(n == 1 || rate <= metric_pass_any(passes, n, 2));
            /* No failing set among the passes is a set that passes among the failures. */
            CHECK(n == 1 || fabs(metric_pass_any(passes, n, 2) + metric_pass_all(n - passes, n, 2) -
                                 1) < 1e-14);
        }
    }
    CHECK_NEAR(metric_pass_any(1, INT64_C(1000000000000), 1) * 1e12, 1, 1e-14);
}

TEST(metrics_without_enough_runs_are_left_out)
{
    CHECK(isnan(metric_pass_all(2, 2, 5)) && isnan(metric_pass_any(2, 2, 5)));
    CHECK(isnan(metric_pass_all(3, 2, 1)) && isnan(metric_pass_any(-1, 2, 1)));
    CHECK(isnan(metric_pass_all(1, 2, -1)));
    CHECK(metric_pass_any(0, 5, 5) <= 0);
    CHECK(metric_pass_all(4, 5, 5) <= 0);
}

/* ---- correlation ---- */

TEST(correlation_at_its_ends)
{
    const struct runs_of settled[] = {{0, 5}, {5, 5}, {5, 5}}, even[] = {{1, 2}, {1, 2}, {1, 2}},
                         once[] = {{0, 1}, {1, 1}}, same[] = {{5, 5}, {5, 5}},
                         one[] = {{2, 5}, {0, 0}};

    CHECK_NEAR(metric_icc(settled, 3).raw, 1, 1e-15);
    CHECK_NEAR(metric_icc(even, 3).raw, -1, 1e-15);
    CHECK(metric_icc(even, 3).rho <= 0);
    CHECK(isnan(metric_icc(once, 2).rho));
    CHECK(isnan(metric_icc(same, 2).rho));
    CHECK(isnan(metric_icc(one, 2).rho)); /* an input without runs is none */
    CHECK(isnan(metric_icc(one, 0).rho));
}

/* Neither the order of inputs nor which outcome is called a pass matters, and inputs without runs
 * do not. */
TEST(correlation_is_symmetric)
{
    struct runs_of a[] = {{3, 7}, {0, 0}, {9, 9}, {1, 12}, {4, 5}}, b[5];

    for (int i = 0; i < 5; i++)
        b[i] = (struct runs_of){a[4 - i].runs - a[4 - i].passes, a[4 - i].runs};
    CHECK_NEAR(metric_icc(a, 5).raw, metric_icc(b, 5).raw, 1e-14);
    CHECK_NEAR(metric_icc(a, 5).k0, metric_icc(b, 5).k0, 1e-14);
    CHECK_NEAR(metric_harmonic_runs(a, 5), 4 / (1. / 7 + 1. / 9 + 1. / 12 + 1. / 5), 1e-13);
    CHECK(isnan(metric_harmonic_runs(a + 1, 1)));
}

/* Where a difference of sums of squares would have no digit left. */
TEST(correlation_of_very_many_runs)
{
    const struct runs_of a[] = {{500000000, 1000000000}, {500000001, 1000000000}};

    CHECK_NEAR(metric_icc(a, 2).raw * 1e9, -.999999999, 1e-8);
}

TEST(more_runs_help_only_what_is_not_correlated)
{
    CHECK_NEAR(metric_projected_width(10, 1, (struct growth){4, 1}), 1, 1e-15);
    CHECK_NEAR(metric_projected_width(10, 0, (struct growth){4, 1}), .5, 1e-15);
    CHECK_NEAR(metric_projected_width(10, .3, (struct growth){1, 4}), .5, 1e-15);
    CHECK_NEAR(metric_projected_width(10, .76, (struct growth){1, 1}), 1, 1e-15);
    CHECK(isnan(metric_projected_width(0, .3, (struct growth){1, 1})));
    CHECK(isnan(metric_projected_width(10, 1.1, (struct growth){1, 1})));
    CHECK(isnan(metric_projected_width(10, NAN, (struct growth){1, 1})));
}

/* ---- order statistics ---- */

/* Coverage by adding up the chances of every number of draws below the quantile. */
static double covered(int64_t n, double q, struct quantile_ranks r)
{
    long double mass = powl(1 - (long double)q, (long double)n), sum = 0;

    for (int64_t k = 0; k <= n; k++) {
        if (k >= r.low && (r.high == 0 || k < r.high))
            sum += mass;
        mass *= (long double)(n - k) / (long double)(k + 1) * (q / (1 - (long double)q));
    }
    return (double)sum;
}

TEST(ranks_cover)
{
    static const double q[] = {.05, .25, .5, .9, .95, .99}, level[] = {.5, .9, .95, .999};

    for (int i = 0; i < 24; i++) {
        for (int64_t n = 1; n <= 300; n++) {
            struct quantile_ranks r = quantile_ranks(n, q[i / 4], level[i % 4]);

            CHECK_LE(level[i % 4], r.coverage + 1e-12);
            CHECK_NEAR(r.coverage, covered(n, q[i / 4], r), 1e-11);
            /* The next narrower end on either side would miss too often. */
            if (r.low > 0 && r.low < n)
                CHECK(covered(n, q[i / 4], (struct quantile_ranks){r.low + 1, 0, 0}) <
                      1 - (1 - level[i % 4]) / 2 + 1e-12);
            CHECK((r.low > 0 && r.high > 0) == (n >= quantile_min_draws(q[i / 4], level[i % 4])));
        }
    }
}

TEST(ranks_mirror)
{
    for (int64_t n = 1; n <= 100; n++) {
        struct quantile_ranks r = quantile_ranks(n, .25, .9), m = quantile_ranks(n, .75, .9);

        CHECK_EQ(r.low > 0 ? n + 1 - r.low : 0, m.high);
        CHECK_EQ(r.high > 0 ? n + 1 - r.high : 0, m.low);
        CHECK_NEAR(r.coverage, m.coverage, 1e-13);
    }
    CHECK_EQ(quantile_min_draws(.95, .95), 72);
    CHECK_EQ(quantile_min_draws(.05, .95), 72);
}

TEST(rank_of_the_sample)
{
    for (int64_t n = 1; n <= 2000; n++) {
        for (int64_t q = 1; q < 100; q++)
            CHECK_EQ(quantile_rank(n, (double)q / 100), (n * q + 99) / 100);
    }
    CHECK_EQ(quantile_rank(3, 1e-12), 1);
    CHECK_EQ(quantile_rank(0, .5), -1);
    CHECK_EQ(quantile_rank(3, NAN), -1);
    CHECK(isnan(quantile_ranks(10, 1, .95).coverage));
    CHECK(isnan(quantile_ranks(-1, .5, .95).coverage));
    CHECK_EQ(quantile_min_draws(.5, 1), -1);
}
