/* How often the bootstrap's interval holds the mean over inputs, ten runs of each: measured and
 * printed, since nothing is promised; what is checked is that it is near what others measured, that
 * BCa is not worse than percentiles, and that an interval which takes all runs for independent is
 * seen to fail.  FR_SIM_SETS=10000 simulates more sets of inputs than the usual 1000. */
#include "check.h"

#include "stats/binomial.h"
#include "stats/bootstrap.h"
#include "stats/interval.h"
#include "stats/random.h"

enum { RUNS = 10, RESAMPLES = 800, MOST_INPUTS = 40 };

static const double LEVEL = .95;

static int sets(void)
{
    const char *n = getenv("FR_SIM_SETS");

    return n ? atoi(n) : 1000;
}

/* Beta(4, 2) is the fourth of five sorted uniform numbers. */
static double rate_middling(struct rng *r)
{
    double u[5];

    for (int i = 0; i < 5; i++)
        u[i] = rng_uniform(r);
    bootstrap_sort(u, 5);
    return u[3];
}

/* Beta(.6, .15), most rates being nearly 0 or 1.  M. Joehnk, Metrika 8 (1964) 5. */
static double rate_extreme(struct rng *r)
{
    double x, y;

    do {
        x = pow(rng_uniform(r), 1 / .6);
        y = pow(rng_uniform(r), 1 / .15);
    } while (!(x + y <= 1 && x + y > 0));
    return x / (x + y);
}

struct world {
    const char *name;
    double (*rate)(struct rng *r);
    double mean;
    int inputs;
    double percentile, bca; /* measured by an independent program, 1500 sets, +- .012 */
};

static const struct world worlds[] = {
    {"10 inputs, Beta(4, 2)", rate_middling, 4. / 6, 10, .903, .915},
    {"10 inputs, Beta(.6, .15)", rate_extreme, .8, 10, .863, .891},
    {"20 inputs, Beta(4, 2)", rate_middling, 4. / 6, 20, .933, .941},
    {"20 inputs, Beta(.6, .15)", rate_extreme, .8, 20, .916, .941},
    {"40 inputs, Beta(.6, .15)", rate_extreme, .8, 40, .940, .951},
};

struct held {
    int percentile, bca, pooled;
};

static bool holds(struct interval i, double value)
{
    return i.low - 1e-12 <= value && value <= i.high + 1e-12;
}

static struct held simulate(const struct world *w, uint64_t seed, int n)
{
    struct rng r = rng_of(seed);
    struct held ret = {0};

    for (int s = 0; s < n; s++) {
        struct bootstrap_plan plan = {rng_next(&r), RESAMPLES, LEVEL};
        double values[MOST_INPUTS];
        int64_t passes = 0;
        struct bootstrap b;

        for (int i = 0; i < w->inputs; i++) {
            double rate = w->rate(&r);
            int k = 0;

            for (int run = 0; run < RUNS; run++)
                k += rng_uniform(&r) < rate;
            values[i] = (double)k / RUNS;
            passes += k;
        }
        CHECK_EQ(bootstrap_mean(values, (size_t)w->inputs, &plan, &b), 0);
        ret.percentile += holds(b.percentile, w->mean);
        ret.bca += holds(b.bca.interval, w->mean);
        ret.pooled += holds(interval_exact(passes, w->inputs * RUNS, LEVEL), w->mean);
    }
    return ret;
}

/* So far that chance makes it once in 1e8: 5.7 deviations of the difference of two measured
 * shares. */
static void check_near(int held, int n, double want)
{
    double share = (double)held / n;

    CHECK_NEAR(share, want, 5.7 * sqrt(want * (1 - want) * (1. / n + 1. / 1500)));
}

TEST(coverage_is_what_it_is_known_to_be)
{
    int n = sets(), percentile = 0, bca = 0;

    printf("%d sets of %d runs, %d resamples, at %.2f\n", n, RUNS, RESAMPLES, LEVEL);
    for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
        struct held h = simulate(&worlds[i], 100 + i, n);

        printf("%-26s percentile %.3f, BCa %.3f, all runs as one sample %.3f\n", worlds[i].name,
               (double)h.percentile / n, (double)h.bca / n, (double)h.pooled / n);
        check_near(h.percentile, n, worlds[i].percentile);
        check_near(h.bca, n, worlds[i].bca);
        percentile += h.percentile;
        bca += h.bca;
        /* Control: runs of one input resemble each other, and forgetting that must show. */
        CHECK(binomial_tails(h.pooled, n, LEVEL).lower < 1e-8);
    }
    CHECK(bca > percentile);
}

/* Control of the simulation itself: an interval that promises its coverage, on a coin. */
TEST(an_exact_interval_is_seen_to_hold)
{
    struct rng r = rng_of(7);
    int n = 10 * sets(), held = 0;

    for (int s = 0; s < n; s++) {
        int k = 0;

        for (int run = 0; run < 40; run++)
            k += rng_uniform(&r) < .9;
        held += holds(interval_exact(k, 40, LEVEL), .9);
    }
    CHECK(binomial_tails(held, n, LEVEL).lower > 1e-8);
}
