/* What must hold of the numbers whatever their values: notes in each test. */
#include "../check.h"

#include "stats/adjust.h"
#include "stats/binomial.h"
#include "stats/catch.h"
#include "stats/compare.h"
#include "stats/interval.h"
#include "stats/sequence.h"

typedef struct interval method(int64_t k, int64_t runs, double confidence);

static struct interval one_sided(int64_t k, int64_t runs, double confidence)
{
    return (struct interval){interval_low(k, runs, confidence), interval_high(k, runs, confidence)};
}

static const struct {
    const char *name;
    method *of;
} methods[] = {
    {"exact", interval_exact},
    {"one-sided", one_sided},
    {"wilson", interval_wilson},
    {"sequence", sequence_interval},
};

static const double levels[] = {.5, .8, .95, .99, .9999};

enum {
    METHODS = sizeof(methods) / sizeof(methods[0]),
    LEVELS = sizeof(levels) / sizeof(levels[0]),
};

/* Rounding may turn equality around; a real violation is far larger. */
static const double ROUNDING = 1e-12;

static void check_order(const char *name, struct interval low, struct interval high)
{
    if (low.low <= high.low + ROUNDING && low.high <= high.high + ROUNDING)
        return;
    CHECK_SAY("%s: [%.17g, %.17g] is not left of [%.17g, %.17g]", name, low.low, low.high, high.low,
              high.high);
}

/* One failure more, or one more of the same runs failing, moves both ends up; one pass more moves
 * both down. */
TEST(intervals_follow_the_counts)
{
    for (int m = 0; m < METHODS; m++) {
        for (int64_t n = 1; n <= 40; n++) {
            for (int64_t k = 0; k <= n; k++) {
                struct interval here = methods[m].of(k, n, .95);

                if (k < n)
                    check_order(methods[m].name, here, methods[m].of(k + 1, n, .95));
                check_order(methods[m].name, here, methods[m].of(k + 1, n + 1, .95));
                check_order(methods[m].name, methods[m].of(k, n + 1, .95), here);
            }
        }
    }
}

static void check_shape(int m, int64_t k, int64_t n, double level)
{
    struct interval here = methods[m].of(k, n, level);
    struct interval mirror = methods[m].of(n - k, n, level);
    double rate = (double)k / (double)n;

    CHECK_NEAR(here.low, 1 - mirror.high, ROUNDING);
    CHECK_LE(0, here.low);
    CHECK_LE(here.high, 1);
    /* A one-sided bound at .5 is about the median, which may pass the rate by a little. */
    if (methods[m].of != one_sided || level > .5) {
        CHECK_LE(here.low, rate);
        CHECK_LE(rate, here.high);
    }
    CHECK((k > 0) == (here.low > 0));
    CHECK((k < n) == (here.high < 1));
}

TEST(intervals_contain_the_rate_and_mirror)
{
    for (int m = 0; m < METHODS; m++) {
        for (int l = 0; l < LEVELS; l++) {
            for (int64_t n = 1; n <= 60; n++) {
                for (int64_t k = 0; k <= n; k++)
                    check_shape(m, k, n, levels[l]);
            }
        }
    }
}

TEST(intervals_widen_with_confidence)
{
    for (int m = 0; m < METHODS; m++) {
        for (int64_t k = 0; k <= 30; k++) {
            struct interval before = methods[m].of(k, 30, levels[0]);

            for (int l = 1; l < LEVELS; l++) {
                struct interval here = methods[m].of(k, 30, levels[l]);

                CHECK_LE(here.low, before.low);
                CHECK_LE(before.high, here.high);
                before = here;
            }
        }
        struct interval nearly_sure = methods[m].of(5, 10, 1 - 1e-15);

        CHECK_LE(nearly_sure.low, .13);
        CHECK_LE(.87, nearly_sure.high);
    }
    CHECK_LE(interval_exact(5, 10, 1 - 1e-15).low, 1e-3);
}

/* The right to look after every run costs width, for every count. */
TEST(sequence_contains_exact)
{
    for (int64_t n = 1; n <= 200; n = n < 60 ? n + 1 : n < 100 ? 100 : n + 100) {
        for (int64_t k = 0; k <= n; k++) {
            for (int l = 0; l < LEVELS; l++) {
                struct interval exact = interval_exact(k, n, levels[l]);
                struct interval sequence = sequence_interval(k, n, levels[l]);

                CHECK_LE(sequence.low, exact.low + ROUNDING); /* equal at one run and .8 */
                CHECK_LE(exact.high, sequence.high + ROUNDING);
            }
        }
    }
}

TEST(no_runs_say_nothing)
{
    for (int m = 0; m < METHODS; m++) {
        struct interval i = methods[m].of(0, 0, .95);

        CHECK(i.low <= 0 && i.high >= 1);
    }
    CHECK_NEAR(fisher_greater(0, 0, 3, 10), 1, 0);
    CHECK_NEAR(fisher_two_sided(0, 5, 0, 5), 1, 0);
}

TEST(nonsense_is_not_a_number)
{
    for (int m = 0; m < METHODS; m++) {
        CHECK(isnan(methods[m].of(3, 2, .95).low));
        CHECK(isnan(methods[m].of(-1, 2, .95).high));
        CHECK(isnan(methods[m].of(1, 2, 1).low));
        CHECK(isnan(methods[m].of(1, 2, NAN).low));
    }
    CHECK(isnan(fisher_greater(3, 2, 0, 1)));
    CHECK(isnan(beta_quantile(0, 1, .5)));
    CHECK(isnan(normal_quantile(NAN)));
    CHECK(isnan(chance_to_catch(1.5, 3)));
    CHECK(isnan(difference_newcombe(0, 0, 1, 2, .95).low));
    CHECK_EQ(runs_to_catch(0, .95), -1);
    CHECK_EQ(runs_to_catch(.1, 1), -1);
    CHECK_EQ(runs_to_catch(NAN, .5), -1);
}

/* ---- kernel ---- */

TEST(beta_quantile_inverts_beta_tails)
{
    static const double shape[] = {.3, .5, 1, 2.5, 17, 400, 1e5};
    static const double chance[] = {1e-9, .005, .025, .3, .5, .9, .999};

    for (int i = 0; i < 7 * 7 * 7; i++) {
        double a = shape[i / 49], b = shape[i / 7 % 7], want = chance[i % 7];
        double x = beta_quantile(a, b, want);
        double other = beta_quantile(b, a, 1 - want);

        CHECK_NEAR(x + other, 1, 1e-9);
        if (x > .999999) /* 1 - x has lost its digits: the mirror above is the test */
            continue;
        CHECK_NEAR(beta_tails(a, b, x, 1 - x).lower / want, 1, 1e-8);
    }
}

TEST(log_tails_are_the_logarithms)
{
    static const double shape[] = {.3, 1, 2.5, 40, 3000};

    for (int i = 0; i < 25 * 9; i++) {
        double a = shape[i / 9 / 5], b = shape[i / 9 % 5], x = (i % 9 + 1) / 10.;
        struct tails t = beta_tails(a, b, x, 1 - x), l = beta_log_tails(a, b, x, 1 - x);

        CHECK_NEAR(exp(l.lower), t.lower, 1e-15 + 1e-11 * t.lower);
        CHECK_NEAR(exp(l.upper), t.upper, 1e-15 + 1e-11 * t.upper);
    }
    /* I_x(a, 1) = x^a, far below the smallest double. */
    CHECK_NEAR(beta_log_tails(1e5, 1, .5, .5).lower / (1e5 * log(.5)), 1, 1e-14);
    CHECK_NEAR(beta_log_tails(1, 1e5, .5, .5).upper / (1e5 * log(.5)), 1, 1e-14);
}

TEST(tails_overlap_in_one_mass)
{
    for (int64_t n = 1; n <= 60; n++) {
        for (int64_t k = 0; k <= n; k++) {
            struct tails t = binomial_tails(k, n, .3);

            CHECK_NEAR(t.lower + t.upper - exp(binomial_log_mass(k, n, .3)), 1, 1e-13);
        }
    }
    for (int p = 1; p < 1000; p++)
        CHECK_NEAR(normal_upper(-normal_quantile(p / 1e3)), p / 1e3, 1e-15);
}

/* ---- compare ---- */

TEST(fisher_sides_agree)
{
    for (int64_t n1 = 1; n1 <= 12; n1++) {
        for (int64_t n2 = 1; n2 <= 12; n2++) {
            for (int64_t i = 0; i < (n1 + 1) * (n2 + 1); i++) {
                int64_t k1 = i % (n1 + 1), k2 = i / (n1 + 1);
                struct fisher f = fisher_exact(k1, n1, k2, n2);
                struct fisher swapped = fisher_exact(k2, n2, k1, n1);
                struct fisher passes = fisher_exact(n1 - k1, n1, n2 - k2, n2);

                CHECK_NEAR(f.greater, swapped.less, 1e-14);
                CHECK_NEAR(f.greater, passes.less, 1e-14);
                CHECK_NEAR(f.two_sided, swapped.two_sided, 1e-14);
                CHECK_NEAR(f.greater + f.less - f.point, 1, 1e-14);
                CHECK_LE(fmin(f.greater, f.less), f.two_sided + 1e-14);
                if (k1 < n1)
                    CHECK_LE(fisher_greater(k1 + 1, n1, k2, n2), f.greater + 1e-14);
            }
        }
    }
}

TEST(newcombe_is_antisymmetric)
{
    for (int64_t k1 = 0; k1 <= 9; k1++) {
        for (int64_t k2 = 0; k2 <= 14; k2++) {
            struct interval d = difference_newcombe(k1, 9, k2, 14, .95);
            struct interval back = difference_newcombe(k2, 14, k1, 9, .95);
            double seen = (double)k1 / 9 - (double)k2 / 14;

            CHECK_NEAR(d.low, -back.high, 1e-14);
            CHECK_LE(d.low, seen);
            CHECK_LE(seen, d.high);
        }
    }
}

TEST(provoked_runs_are_the_fewest)
{
    for (int64_t k = 0; k <= 6; k++) {
        int64_t r = provoked_runs_needed(k, 10, .05 / 50, 200);

        CHECK(r > 1);
        CHECK_LE(fisher_greater(r, r, k, 10), .05 / 50);
        CHECK(fisher_greater(r - 1, r - 1, k, 10) > .05 / 50);
    }
    CHECK_EQ(provoked_runs_needed(10, 10, .05, 200), -1);
}

/* ---- adjust ---- */

static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
    return (double)(*state >> 11) * 0x1p-53;
}

TEST(adjustments_are_ordered)
{
    enum { MOST = 30 };
    double p[MOST], holm[MOST], plain[MOST], bh[MOST];
    uint64_t state = 1;

    for (size_t round = 0; round < 400; round++) {
        size_t n = 1 + round % MOST;

        for (size_t i = 0; i < n; i++) {
            double u = next_random(&state);

            p[i] = round % 2 ? floor(u * 8) / 8 : u * u * u; /* every second round with ties */
        }
        CHECK_EQ(adjust_holm(p, n, holm), 0);
        CHECK_EQ(adjust_bonferroni(p, n, plain), 0);
        CHECK_EQ(adjust_bh(p, n, bh), 0);
        for (size_t i = 0; i < n; i++) {
            CHECK_LE(p[i], bh[i]);
            CHECK_LE(bh[i], holm[i] + ROUNDING);
            CHECK_LE(holm[i], plain[i]);
            for (size_t j = 0; j < n; j++)
                CHECK(p[i] > p[j] || (holm[i] <= holm[j] && bh[i] <= bh[j]));
        }
    }
}

TEST(adjustments_reject_nan)
{
    double p[] = {.1, NAN, .2}, ret[] = {7, 7, 7};

    CHECK_EQ(adjust_holm(p, 3, ret), -1);
    CHECK_EQ(adjust_bh(p, 3, ret), -1);
    p[1] = 1.5;
    CHECK_EQ(adjust_bonferroni(p, 3, ret), -1);
    CHECK_NEAR(ret[0], 7, 0);
    CHECK_EQ(adjust_holm(p, 0, ret), 0);
}

/* ---- catch ---- */

TEST(runs_to_catch_inverts_the_chance)
{
    static const double rate[] = {1e-6, .001, .01, .05, .1, .3, .5, .77, .99};

    for (int i = 0; i < 9; i++) {
        for (int c = 1; c < 200; c++) {
            double chance = c / 200.;
            int64_t n = runs_to_catch(rate[i], chance);

            CHECK_LE(chance, chance_to_catch(rate[i], n) + ROUNDING);
            CHECK(chance_to_catch(rate[i], n - 1) < chance);
        }
    }
    CHECK_EQ(runs_to_catch(.1, .95), 29);
    CHECK_EQ(runs_to_catch(.01, .95), 299);
    CHECK_EQ(runs_to_catch(.1, .19), 2);
    CHECK_EQ(runs_to_catch(1, .95), 1);
}
