/* The bootstrap: its draws are those that the header promises, a seed fixes them, and the steps
 * after the draws do at their ends what they must. */
#include "../check.h"

#include "stats/binomial.h"
#include "stats/bootstrap.h"
#include "stats/random.h"

static const struct bootstrap_plan usual = {.seed = 42, .resamples = 5000, .confidence = .95};

/* The first numbers from the state 1, 2, 3, 4 are those that the authors' own program gives; from
 * the seed 0 an independent program's. */
TEST(generator_is_the_published_one)
{
    struct rng r = {{1, 2, 3, 4}}, seeded = rng_of(0);
    const uint64_t want[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240)};

    for (int i = 0; i < 4; i++)
        CHECK(rng_next(&r) == want[i]);
    CHECK(rng_next(&seeded) == UINT64_C(0x99ec5f36cb75f2b4));
    CHECK(rng_next(&seeded) == UINT64_C(0xbf6e1f784956452a));
    for (int i = 0; i < 1000; i++) {
        double u = rng_uniform(&seeded);

        CHECK(u >= 0 && u < 1);
    }
}

/* The sums over 1 to n of the first resamples, computed by an independent program from the words of
 * the header; with 1,200,007 values one draw of 30,000 is dropped. */
static void check_sums(size_t n, uint64_t seed, const double *want, size_t resamples)
{
    double *values = calloc(n, sizeof(*values)), *means = calloc(resamples, sizeof(*means));
    struct bootstrap_plan plan = {.seed = seed, .resamples = resamples, .confidence = .95};

    for (size_t i = 0; i < n; i++)
        values[i] = (double)(i + 1);
    CHECK_EQ(bootstrap_means(values, n, 1, &plan, means), 0);
    for (size_t r = 0; r < resamples; r++)
        CHECK_EQ(llround(means[r] * (double)n), llround(want[r]));
    free(values);
    free(means);
}

TEST(draws_are_fixed_for_good)
{
    check_sums(7, 42, (const double[]){16, 37, 29, 34, 38, 25}, 6);
    check_sums(1000, 1, (const double[]){491805, 510464, 495447}, 3);
    check_sums(1200007, 7, (const double[]){720170287682, 719916398597}, 2);
}

/* Several values share the draws; alone or beside others they have the same resamples. */
TEST(values_side_by_side_share_the_draws)
{
    enum { N = 33, WIDTH = 3, B = 200 };
    double together[N * WIDTH], alone[N], means[B * WIDTH], mean[B];
    struct bootstrap_plan plan = {.seed = 9, .resamples = B, .confidence = .9};

    for (int i = 0; i < N * WIDTH; i++)
        together[i] = (double)(i * 37 % 64) / 64;
    CHECK_EQ(bootstrap_means(together, N, WIDTH, &plan, means), 0);
    for (int j = 0; j < WIDTH; j++) {
        for (int i = 0; i < N; i++)
            alone[i] = together[i * WIDTH + j];
        CHECK_EQ(bootstrap_means(alone, N, 1, &plan, mean), 0);
        for (int r = 0; r < B; r++)
            CHECK_NEAR(means[r * WIDTH + j], mean[r], 1e-15);
    }
}

static void sample(double *values, size_t n)
{
    struct rng r = rng_of(3);

    for (size_t i = 0; i < n; i++)
        values[i] = floor(rng_uniform(&r) * 11) / 10;
}

static void check_moved(struct interval a, struct interval b, double by, double add)
{
    CHECK_NEAR(a.low * by + add, b.low, 1e-11 * fabs(by));
    CHECK_NEAR(a.high * by + add, b.high, 1e-11 * fabs(by));
}

/* Another unit or origin changes the numbers and nothing else, over the whole range of doubles. */
TEST(intervals_move_with_the_values)
{
    static const double by[] = {1, 2, 1e-300, 1e300, 3};
    static const double add[] = {0, 0, 0, 0, 5};
    double values[25], moved[25];
    struct bootstrap a, b;

    sample(values, 25);
    CHECK_EQ(bootstrap_mean(values, 25, &usual, &a), 0);
    CHECK_LE(a.percentile.low, a.mean);
    CHECK_LE(a.mean, a.percentile.high);
    CHECK_LE(a.bca.interval.low, a.mean);
    CHECK_LE(a.mean, a.bca.interval.high);
    for (int m = 0; m < 5; m++) {
        for (int i = 0; i < 25; i++)
            moved[i] = values[i] * by[m] + add[m];
        CHECK_EQ(bootstrap_mean(moved, 25, &usual, &b), 0);
        check_moved(a.percentile, b.percentile, by[m], add[m]);
        check_moved(a.bca.interval, b.bca.interval, by[m], add[m]);
        CHECK_NEAR(a.error * by[m], b.error, 1e-11 * by[m]);
        CHECK_NEAR(a.bca.z0, b.bca.z0, 1e-15);
    }
}

TEST(more_confidence_is_wider)
{
    double values[20];
    struct bootstrap before, b;
    struct bootstrap_plan plan = usual;

    sample(values, 20);
    plan.confidence = .5;
    CHECK_EQ(bootstrap_mean(values, 20, &plan, &before), 0);
    for (int i = 0; i < 4; i++) {
        plan.confidence = (const double[]){.8, .9, .99, .9999}[i];
        CHECK_EQ(bootstrap_mean(values, 20, &plan, &b), 0);
        CHECK_LE(b.percentile.low, before.percentile.low);
        CHECK_LE(before.percentile.high, b.percentile.high);
        CHECK_LE(b.bca.interval.low, before.bca.interval.low);
        CHECK_LE(before.bca.interval.high, b.bca.interval.high);
        before = b;
    }
}

TEST(pairs_are_their_differences)
{
    double first[30], second[30], difference[30];
    struct bootstrap a, b, back;

    sample(first, 30);
    for (int i = 0; i < 30; i++) {
        second[i] = first[(i + 7) % 30] * .5;
        difference[i] = first[i] - second[i];
    }
    CHECK_EQ(bootstrap_paired(first, second, 30, &usual, &a), 0);
    CHECK_EQ(bootstrap_mean(difference, 30, &usual, &b), 0);
    CHECK_EQ(bootstrap_paired(second, first, 30, &usual, &back), 0);
    CHECK_NEAR(a.bca.interval.low, b.bca.interval.low, 0);
    CHECK_NEAR(a.percentile.high, b.percentile.high, 0);
    CHECK_NEAR(a.mean, -back.mean, 1e-15);
    CHECK_NEAR(a.percentile.low, -back.percentile.high, 1e-12);
    CHECK_NEAR(a.bca.interval.low, -back.bca.interval.high, 1e-12);
}

/* Values that do not vary, also where .1 + .1 + .1 is not .3. */
TEST(no_variation_is_a_point)
{
    double values[] = {.1, .1, .1}, pair[] = {.1 + .2, .3};
    struct bootstrap b;

    CHECK_EQ(bootstrap_mean(values, 3, &usual, &b), 0);
    CHECK_NEAR(b.percentile.low, .1, 1e-16);
    CHECK_NEAR(b.bca.interval.high, .1, 1e-16);
    CHECK_NEAR(b.bca.z0, 0, 0);
    CHECK_NEAR(b.bca.accel, 0, 0);
    CHECK_EQ(bootstrap_mean(pair, 2, &usual, &b), 0);
    CHECK_NEAR(b.bca.accel, 0, 0);
    CHECK_NEAR(b.bca.z0, 0, 0);
    CHECK_EQ(bootstrap_mean(values, 1, &usual, &b), 0);
    CHECK_NEAR(b.bca.interval.low, .1, 1e-16);
    CHECK_NEAR(b.error, 0, 1e-16);
}

/* .1 + .3 and .2 + .2 are one mean.  By listing the 27 resamples of three values: 10 are below, 7
 * equal, 10 above. */
TEST(equal_means_count_half)
{
    double values[] = {.1, .2, .3}, means[27];

    for (int i = 0; i < 27; i++)
        means[i] = (values[i % 3] + values[i / 3 % 3] + values[i / 9]) / 3;
    bootstrap_sort(means, 27);
    CHECK_NEAR(bootstrap_bca(values, 3, means, 27, .9).z0, 0, 1e-15);
}

TEST(resamples_on_one_side_give_no_bca)
{
    double values[] = {0, 1, 2}, above[] = {1.5, 1.6, 2}, below[] = {0, .5, .9};
    struct bca a = bootstrap_bca(values, 3, above, 3, .9),
               b = bootstrap_bca(values, 3, below, 3, .9);

    CHECK(isinf(a.z0) && a.z0 < 0 && isnan(a.interval.low) && isnan(a.interval.high));
    CHECK(isinf(b.z0) && b.z0 > 0 && isnan(b.interval.low));
}

/* By hand: 0, 0, 0, 1 has skewness 2 / sqrt 3, and 6 sqrt 4 below it. */
TEST(acceleration_is_the_skewness)
{
    double values[] = {0, 0, 0, 1}, means[] = {0, .25, .5};

    CHECK_NEAR(bootstrap_bca(values, 4, means, 3, .9).accel, 2 / sqrt(3) / 12, 1e-15);
    CHECK_NEAR(bootstrap_bca(values, 4, means, 3, .9).z0, 0, 1e-15);
}

TEST(quantiles_interpolate)
{
    double means[] = {1, 2, 4};

    CHECK_NEAR(bootstrap_quantile(means, 3, 0), 1, 0);
    CHECK_NEAR(bootstrap_quantile(means, 3, .25), 1.5, 0);
    CHECK_NEAR(bootstrap_quantile(means, 3, .75), 3, 0);
    CHECK_NEAR(bootstrap_quantile(means, 3, 1), 4, 0);
    CHECK_NEAR(bootstrap_quantile(means, 1, .3), 1, 0);
    CHECK(isnan(bootstrap_quantile(means, 0, .5)));
    CHECK(isnan(bootstrap_quantile(means, 3, NAN)));
}

TEST(nonsense_is_refused)
{
    double values[] = {1, NAN, INFINITY}, means[8] = {7};
    struct bootstrap b = {.mean = 7};
    struct bootstrap_plan none = usual, sure = usual;

    none.resamples = 0;
    sure.confidence = 1;
    CHECK_EQ(bootstrap_mean(values, 2, &usual, &b), -1);
    CHECK_EQ(bootstrap_mean(values + 2, 1, &usual, &b), -1);
    CHECK_EQ(bootstrap_mean((double[]){1e308, 1e308}, 2, &usual, &b), -1);
    CHECK_EQ(bootstrap_mean(values, 0, &usual, &b), -1);
    CHECK_EQ(bootstrap_mean(values, 1, &none, &b), -1);
    CHECK_EQ(bootstrap_mean(values, 1, &sure, &b), -1);
    CHECK_EQ(bootstrap_paired(values, values, 0, &usual, &b), -1);
    CHECK_EQ(bootstrap_paired(values, values, 2, &usual, &b), -1);
    CHECK_EQ(bootstrap_means(values, 1, 0, &usual, means), -1);
    CHECK_EQ(bootstrap_means(values, 1, BOOTSTRAP_WIDEST + 1, &usual, means), -1);
    CHECK_NEAR(b.mean, 7, 0);
    CHECK_NEAR(means[0], 7, 0);
}
