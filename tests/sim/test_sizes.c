/* Tests keep their size: where nothing is real, a p of at most .05 comes in at most .05 of cases.
 * By listing all outcomes where that can be done, by simulation for a sweep over many settings. */
#include "check.h"

#include "stats/adjust.h"
#include "stats/binomial.h"
#include "stats/compare.h"
#include "stats/permute.h"
#include "stats/random.h"

#define ALPHA .05

static const struct flip_draws no_draws = {0};

/* ---- signs of pairs ---- */

/* For any differences: all signs are as likely, and of them at most .05 have such a p. */
TEST(sign_flip_keeps_its_size_for_given_differences)
{
    struct rng r = rng_of(1);
    double largest = 0;

    for (int round = 0; round < 40; round++) {
        struct run_pair pairs[10];
        int n = 4 + round % 7, rejected = 0;

        for (int i = 0; i < n; i++)
            pairs[i] = (struct run_pair){(int64_t)(rng_uniform(&r) * 7), 6, 0, 4 + i % 3};
        for (int signs = 0; signs < 1 << n; signs++) {
            struct run_pair flipped[10];

            for (int i = 0; i < n; i++) {
                struct run_pair p = pairs[i];

                flipped[i] = signs >> i & 1 ? (struct run_pair){p.k2, p.n2, p.k1, p.n1} : p;
            }
            rejected += sign_flip(flipped, (size_t)n, &no_draws).p <= ALPHA * (1 + 1e-12);
        }
        CHECK_LE((double)rejected / (1 << n), ALPHA);
        largest = fmax(largest, (double)rejected / (1 << n));
    }
    CHECK_LE(.045, largest); /* nor is it needlessly strict */
}

/* That the counts of two arms of `runs` runs differ by d. */
static double chance_of_difference(int64_t d, int64_t runs, double rate)
{
    double chance = 0;

    for (int64_t k = 0; k <= runs; k++) {
        if (k + d >= 0 && k + d <= runs)
            chance += exp(binomial_log_mass(k, runs, rate) + binomial_log_mass(k + d, runs, rate));
    }
    return chance;
}

/* All outcomes of eight inputs with two runs under either setting, each with a rate of its own. */
TEST(sign_flip_keeps_its_size_for_equal_rates)
{
    enum { N = 8, RUNS = 2, DIFFERENCES = 2 * RUNS + 1, OUTCOMES = 390625 };
    static const double rates[][N] = {{.5, .5, .5, .5, .5, .5, .5, .5},
                                      {.1, .1, .1, .1, .1, .1, .1, .1},
                                      {.05, .2, .3, .4, .6, .7, .8, .95},
                                      {.9, .9, .9, .9, .99, .99, .99, .99}};
    double size[4] = {0}, largest = 0;

    /* Only the difference of an input's two counts matters. */
    for (int code = 0; code < OUTCOMES; code++) {
        struct run_pair pairs[N];

        for (int i = 0, left = code; i < N; i++, left /= DIFFERENCES) {
            int d = left % DIFFERENCES - RUNS;

            pairs[i] = (struct run_pair){d > 0 ? d : 0, RUNS, d < 0 ? -d : 0, RUNS};
        }
        if (sign_flip(pairs, N, &no_draws).p > ALPHA)
            continue;
        for (int s = 0; s < 4; s++) {
            double chance = 1;

            for (int i = 0; i < N; i++)
                chance *= chance_of_difference(pairs[i].k1 - pairs[i].k2, RUNS, rates[s][i]);
            size[s] += chance;
        }
    }
    for (int s = 0; s < 4; s++) {
        CHECK_LE(size[s], ALPHA);
        largest = fmax(largest, size[s]);
    }
    CHECK_LE(.005, largest); /* not by never rejecting */
}

/* ---- trend ---- */

typedef double trend_p(const unsigned *k, const unsigned *n, const unsigned *d, size_t levels);

static double p_of_score(const unsigned *k, const unsigned *n, const unsigned *d, size_t levels)
{
    double z = trend_score(k, n, d, levels);

    return isnan(z) ? 1 : normal_upper(z);
}

/* The largest chance over equal rates, by all outcomes of three levels. */
static double trend_size(trend_p *of, const unsigned *n)
{
    static const unsigned d[] = {0, 1, 3};
    double size[21] = {0}, largest = 0;

    for (unsigned code = 0; code < (n[0] + 1) * (n[1] + 1) * (n[2] + 1); code++) {
        unsigned k[] = {code % (n[0] + 1), code / (n[0] + 1) % (n[1] + 1),
                        code / (n[0] + 1) / (n[1] + 1)};

        if (of(k, n, d, 3) > ALPHA)
            continue;
        for (int r = 0; r <= 20; r++)
            size[r] += exp(binomial_log_mass(k[0], n[0], r / 20.) +
                           binomial_log_mass(k[1], n[1], r / 20.) +
                           binomial_log_mass(k[2], n[2], r / 20.));
    }
    for (int r = 0; r <= 20; r++)
        largest = fmax(largest, size[r]);
    return largest;
}

TEST(exact_trend_keeps_its_size)
{
    static const unsigned runs[][3] = {{2, 2, 2}, {4, 4, 4}, {8, 5, 3}, {3, 8, 8}, {10, 10, 10}};
    double of_score = 0;

    for (int i = 0; i < 5; i++) {
        CHECK_LE(trend_size(trend_greater, runs[i]), ALPHA);
        of_score = fmax(of_score, trend_size(p_of_score, runs[i]));
    }
    /* Control: the p of the score goes over its level, and this must show. */
    CHECK_LE(ALPHA + .005, of_score);
}

/* ---- a sweep over settings, none of which does anything ---- */

enum { SETTINGS = 50, BASE = 10, MOST_RUNS = 20, SWEEPS = 20000 };

static int64_t flips(struct rng *r, int n, double rate)
{
    int64_t k = 0;

    for (int i = 0; i < n; i++)
        k += rng_uniform(r) < rate;
    return k;
}

struct blamed {
    int64_t holm, plain, all_failed; /* sweeps in which something was */
};

static struct blamed sweep_all(double rate)
{
    static const int runs[] = {2, 5, 10, 20};
    double p_of[BASE + 1][MOST_RUNS + 1][MOST_RUNS + 1];
    struct rng r = rng_of((uint64_t)(rate * 100));
    struct blamed ret = {0};

    for (int b = 0; b <= BASE; b++)
        for (int i = 0; i < 4; i++)
            for (int k = 0; k <= runs[i]; k++)
                p_of[b][runs[i]][k] = fisher_greater(k, runs[i], b, BASE);
    for (int s = 0; s < SWEEPS; s++) {
        double p[SETTINGS], least = 1;
        int64_t base = flips(&r, BASE, rate);
        bool all_failed = false;

        for (int i = 0; i < SETTINGS; i++) {
            int n = runs[i % 4];
            int64_t k = flips(&r, n, rate);

            p[i] = p_of[base][n][k];
            least = fmin(least, p[i]);
            all_failed |= n == 2 && k == 2;
        }
        ret.plain += least <= ALPHA;
        ret.all_failed += all_failed;
        if (least <= ALPHA) { /* else no adjusted p can be */
            double holm[SETTINGS];

            CHECK_EQ(adjust_holm(p, SETTINGS, holm), 0);
            for (int i = 0; i < SETTINGS; i++)
                least = i == 0 ? holm[0] : fmin(least, holm[i]);
            ret.holm += least <= ALPHA;
        }
    }
    return ret;
}

/* Whether so many of the sweeps would be seen with a chance below 1e-8 if each had .05. */
static bool too_many(int64_t hits)
{
    return binomial_tails(hits, SWEEPS, ALPHA).upper < 1e-8;
}

TEST(a_sweep_blames_rarely)
{
    static const double rates[] = {.02, .1, .3, .5, .8};

    CHECK(too_many(SWEEPS * 60 / 1000) && !too_many(SWEEPS * 58 / 1000));
    for (int i = 0; i < 5; i++) {
        struct blamed b = sweep_all(rates[i]);

        printf("rate %.2f: Holm %.4f, unadjusted %.3f, \"2 of 2 failed\" %.3f\n", rates[i],
               (double)b.holm / SWEEPS, (double)b.plain / SWEEPS, (double)b.all_failed / SWEEPS);
        CHECK(!too_many(b.holm));
        /* Controls: what is not adjusted must be seen to blame. */
        if (rates[i] >= .1 && rates[i] <= .5)
            CHECK(too_many(b.plain));
        if (rates[i] >= .3)
            CHECK(too_many(b.all_failed));
    }
}
