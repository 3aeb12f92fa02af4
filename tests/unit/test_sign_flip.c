/* Tests by relabelling: the signs of pairs, and the score of a trend. */
#include "../check.h"

#include "reference.h"
#include "stats/binomial.h"
#include "stats/permute.h"
#include "stats/random.h"

static const struct flip_draws usual = {.seed = 1, .resamples = 20000};

/* All signs, in whole multiples of 1 / 2520, which all runs up to 10 divide. */
static double by_listing(const struct run_pair *pairs, int n)
{
    int64_t d[16], seen = 0;
    int hits = 0;

    for (int i = 0; i < n; i++) {
        d[i] = 2520 / pairs[i].n1 * pairs[i].k1 - 2520 / pairs[i].n2 * pairs[i].k2;
        seen += d[i];
    }
    for (int signs = 0; signs < 1 << n; signs++) {
        int64_t sum = 0;

        for (int i = 0; i < n; i++)
            sum += signs >> i & 1 ? d[i] : -d[i];
        hits += llabs(sum) >= llabs(seen);
    }
    return (double)hits / (1 << n);
}

static int64_t below(struct rng *r, int64_t n)
{
    return (int64_t)(rng_uniform(r) * (double)n);
}

static struct run_pair random_pair(struct rng *r, int64_t most)
{
    int64_t n1 = 1 + below(r, most), n2 = 1 + below(r, most);

    return (struct run_pair){below(r, n1 + 1), n1, below(r, n2 + 1), n2};
}

TEST(signs_are_all_counted)
{
    struct rng r = rng_of(5);

    for (int round = 0; round < 300; round++) {
        struct run_pair pairs[10];
        int n = round % 11;
        double sum = 0;

        for (int i = 0; i < n; i++) {
            pairs[i] = random_pair(&r, round % 2 ? 10 : 2);
            sum += (double)pairs[i].k1 / (double)pairs[i].n1 -
                   (double)pairs[i].k2 / (double)pairs[i].n2;
        }

        struct sign_flip f = sign_flip(pairs, (size_t)n, &usual);

        CHECK(f.exact);
        CHECK_NEAR(f.p, by_listing(pairs, n), 1e-15);
        CHECK_NEAR(f.sum, sum, 1e-14);
    }
}

/* Denominators whose common one is too large for a table, and then for a whole number. */
TEST(large_denominators_are_listed_or_drawn)
{
    static const int64_t prime[] = {999983, 1000003, 999979, 1000033, 999961, 1000037, 999959};
    struct run_pair pairs[7];

    for (int i = 0; i < 7; i++)
        pairs[i] = (struct run_pair){prime[i] / (i + 2), prime[i], 0, 1};

    /* About .5, .3 and -.2: of the eight sums, four are as far from 0 as .6. */
    struct run_pair mixed[] = {
        {500001, prime[0], 0, 1}, {300007, prime[1], 0, 1}, {0, 1, 199999, prime[0]}};
    struct sign_flip listed = sign_flip(mixed, 3, &usual), drawn = sign_flip(pairs, 7, &usual);

    CHECK(listed.exact);
    CHECK_NEAR(listed.p, .5, 0);
    CHECK(!drawn.exact);
    CHECK_NEAR(drawn.p, 2. / 128, 6 * sqrt(2. / 128 / 20000)); /* all signs are alike */
    CHECK_NEAR(drawn.sum, 1. / 2 + 1. / 3 + 1. / 4 + 1. / 5 + 1. / 6 + 1. / 7 + 1. / 8, 1e-5);
}

/* What is drawn is near what is counted, is fixed by its seed, and is never 0. */
TEST(drawn_signs_are_near_counted_ones)
{
    enum { N = 300 };
    struct run_pair *pairs = calloc(N, sizeof(*pairs));
    struct flip_draws other = {.seed = 2, .resamples = 20000};
    struct rng r = rng_of(11);

    for (int i = 2; i < N; i++)
        pairs[i] = (struct run_pair){below(&r, 11), 10, below(&r, 11), 10};
    pairs[0] = pairs[1] = (struct run_pair){0, 10, 0, 10};

    struct sign_flip counted = sign_flip(pairs, N, &usual);

    /* They move nothing, but no whole number is large enough for their denominator. */
    pairs[0] = (struct run_pair){1, 999983, 0, 1000003};
    pairs[1] = (struct run_pair){1, 999979, 1, 1000033};

    struct sign_flip drawn = sign_flip(pairs, N, &usual);

    CHECK(counted.exact && !drawn.exact);
    CHECK_NEAR(drawn.p, counted.p, .02);
    CHECK_NEAR(drawn.p, sign_flip(pairs, N, &usual).p, 0);
    CHECK(fabs(drawn.p - sign_flip(pairs, N, &other).p) > 0);
    for (int i = 2; i < N; i++)
        pairs[i] = (struct run_pair){10, 10, i % 3, 10};
    CHECK_NEAR(sign_flip(pairs, N, &usual).p, 1. / 20001, 1e-15);
    free(pairs);
}

/* Hundreds of inputs that all differ one way: halves beyond the smallest double are not wrong. */
TEST(a_very_small_p_is_small)
{
    enum { N = 2000 };
    struct run_pair *pairs = calloc(N, sizeof(*pairs));

    for (int i = 0; i < N; i++)
        pairs[i] = (struct run_pair){1, 1, 0, 1};
    CHECK_NEAR(sign_flip(pairs, 500, &usual).p / ldexp(2, -500), 1, 1e-12);
    CHECK(sign_flip(pairs, 1000, &usual).p > 0);
    CHECK_LE(sign_flip(pairs, N, &usual).p, 1e-300);
    free(pairs);
}

TEST(one_run_each_is_mcnemar)
{
    for (int b = 0; b <= 12; b++) {
        for (int c = 0; c <= 12; c++) {
            struct run_pair pairs[30];
            size_t n = 0;

            for (int i = 0; i < b; i++)
                pairs[n++] = (struct run_pair){1, 1, 0, 1};
            for (int i = 0; i < c; i++)
                pairs[n++] = (struct run_pair){0, 1, 1, 1};
            pairs[n++] = (struct run_pair){1, 1, 1, 1};
            CHECK_NEAR(sign_flip(pairs, n, &usual).p, mcnemar_exact(b, c), 1e-14);
            CHECK_EQ(sign_flip(pairs, n, &usual).nonzero, b + c);
        }
    }
}

TEST(pairs_without_runs_are_refused)
{
    struct run_pair none = {0, 0, 1, 2}, many = {3, 2, 1, 2}, fine = {1, 2, 1, 2};

    CHECK(isnan(sign_flip(&none, 1, &usual).p));
    CHECK(isnan(sign_flip(&many, 1, &usual).p));
    CHECK_NEAR(sign_flip(&fine, 1, &usual).p, 1, 0);
    CHECK_NEAR(sign_flip(NULL, 0, &usual).p, 1, 0);
}

/* ---- trend ---- */

/* Two levels: the score is that of two proportions with the pooled variance, and scores may be
 * shifted and stretched. */
TEST(trend_of_two_levels_is_two_proportions)
{
    for (unsigned k1 = 0; k1 <= 8; k1++) {
        for (unsigned k2 = 0; k2 <= 12; k2++) {
            unsigned k[] = {k1, k2}, n[] = {8, 12};
            double rate = (k1 + k2) / 20., z = trend_score(k, n, (unsigned[]){0, 1}, 2);
            double want = (k2 / 12. - k1 / 8.) / sqrt(rate * (1 - rate) * (1 / 8. + 1 / 12.));

            if (k1 + k2 == 0 || k1 + k2 == 20) {
                CHECK(isnan(z));
                CHECK_NEAR(trend_greater(k, n, (unsigned[]){0, 1}, 2), 1, 0);
                continue;
            }
            CHECK_NEAR(z, want, 1e-13);
            CHECK_NEAR(z, trend_score(k, n, (unsigned[]){5, 12}, 2), 1e-13);
            CHECK_NEAR(z, -trend_score(k, n, (unsigned[]){1, 0}, 2), 1e-13);
        }
    }
    CHECK(isnan(trend_score((unsigned[]){1, 2}, (unsigned[]){5, 5}, (unsigned[]){3, 3}, 2)));
    CHECK(isnan(trend_score((unsigned[]){6, 2}, (unsigned[]){5, 5}, (unsigned[]){0, 1}, 2)));
}

/* ---- bets that the product does not make ---- */

/* The mean wealth under the rate itself is at most 1: by listing all counts, also where the tails
 * are below the smallest double. */
TEST(bets_do_not_win_on_average)
{
    for (int64_t n = 1; n <= 60; n++) {
        double mean = 0;

        for (int64_t k = 0; k <= n; k++)
            mean += exp(one_sided_log_wealth(k, n, .3, .5, .5) + binomial_log_mass(k, n, .3));
        CHECK_LE(mean, 1 + 1e-12);
    }
    CHECK(isfinite(one_sided_log_wealth(0, 100000, .9, .5, .5)));
    CHECK_LE(one_sided_log_wealth(0, 100000, .9, .5, .5), 0);
}
