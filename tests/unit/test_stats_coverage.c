/* The promises themselves, by enumeration instead of simulation: how often is the true rate
 * missed, how often is an equal rate called different?  Each with a control that must fail,
 * because a check that cannot fail shows nothing. */
#include "../check.h"

#include "stats/binomial.h"
#include "stats/compare.h"
#include "stats/interval.h"
#include "stats/sequence.h"

typedef struct interval method(int64_t k, int64_t runs, double confidence);

enum { MOST_RUNS = 100 };

static double coverage(const struct interval *of, int64_t n, double p)
{
    double covered = 0;

    for (int64_t k = 0; k <= n; k++) {
        if (of[k].low <= p && p <= of[k].high)
            covered += exp(binomial_log_mass(k, n, p));
    }
    return covered;
}

/* Coverage jumps down just outside an interval's end: the minima are there, not on the grid. */
static double least_coverage(method *of, int64_t n, double confidence)
{
    struct interval all[MOST_RUNS + 1];
    double least = 1;

    for (int64_t k = 0; k <= n; k++)
        all[k] = of(k, n, confidence);
    for (int i = 0; i <= 200; i++)
        least = fmin(least, coverage(all, n, i / 200.));
    for (int64_t k = 0; k <= n; k++) {
        double at[] = {all[k].low - 1e-9, all[k].low + 1e-9, all[k].high - 1e-9,
                       all[k].high + 1e-9};

        for (int i = 0; i < 4; i++) {
            if (at[i] >= 0 && at[i] <= 1)
                least = fmin(least, coverage(all, n, at[i]));
        }
    }
    return least;
}

TEST(exact_interval_covers)
{
    double least = 1;

    for (int64_t n = 1; n <= MOST_RUNS; n++)
        least = fmin(least, least_coverage(interval_exact, n, .95));
    CHECK_LE(.95, least);
    /* Not by being needlessly wide: the known minimum over all these n is .950002. */
    CHECK_LE(least, .95001);
    for (int64_t n = 1; n <= MOST_RUNS; n += 11) {
        CHECK_LE(.8, least_coverage(interval_exact, n, .8));
        CHECK_LE(.99, least_coverage(interval_exact, n, .99));
    }
}

/* Control: the score interval is right on average only, and this must show. */
TEST(wilson_is_seen_to_miss)
{
    CHECK_LE(least_coverage(interval_wilson, 10, .95), .87);
}

/* The chance that one of the intervals after run 1, 2, ... horizon leaves out p.  The counts whose
 * interval holds p are a band that only moves up with n, so two walkers find its edges. */
static double ever_missed(method *of, double p, double confidence, int64_t horizon)
{
    double *at = calloc((size_t)horizon + 2, sizeof(*at));
    int64_t low = 0, high = 0;
    double missed = 0;

    if (at == NULL)
        abort();
    at[0] = 1;
    for (int64_t n = 1; n <= horizon; n++) {
        high++;
        for (int64_t k = high; k >= low; k--)
            at[k] = at[k] * (1 - p) + (k > low ? at[k - 1] * p : 0);
        for (; low <= high && of(low, n, confidence).high < p; low++)
            missed += at[low];
        for (; high >= low && of(high, n, confidence).low > p; high--) {
            missed += at[high];
            at[high] = 0;
        }
    }
    free(at);
    return missed;
}

TEST(sequence_may_be_looked_at_after_every_run)
{
    static const double rate[] = {.01, .1, .3, .5, .75, .9, .97, .995};

    for (int i = 0; i < 8; i++) {
        CHECK_LE(ever_missed(sequence_interval, rate[i], .95, 300), .05);
        CHECK_LE(ever_missed(sequence_interval, rate[i], .95, 2000), .05);
        CHECK_LE(ever_missed(sequence_interval, rate[i], .8, 300), .2);
    }
    CHECK_NEAR(ever_missed(sequence_interval, .9, .95, 300), .0275, 5e-5);
    CHECK_NEAR(ever_missed(sequence_interval, .5, .95, 300), .0343, 5e-5);
}

/* Control: the same walk must see what peeking does to an interval made for one look. */
TEST(peeking_at_the_exact_interval_is_seen)
{
    CHECK_NEAR(ever_missed(interval_exact, .9, .95, 300), .245, 5e-4);
}

static double p_greater(struct fisher f)
{
    return f.greater;
}

static double p_two_sided(struct fisher f)
{
    return f.two_sided;
}

static double p_mid(struct fisher f)
{
    return f.greater - f.point / 2;
}

/* The largest chance over equal rates that the test calls them different at .05. */
static double largest_size(double (*p_of)(struct fisher f), int64_t n1, int64_t n2)
{
    double size[51] = {0}, most = 0;

    for (int64_t i = 0; i < (n1 + 1) * (n2 + 1); i++) {
        int64_t k1 = i % (n1 + 1), k2 = i / (n1 + 1);

        if (p_of(fisher_exact(k1, n1, k2, n2)) > .05)
            continue;
        for (int r = 0; r <= 50; r++)
            size[r] += exp(binomial_log_mass(k1, n1, r / 50.) + binomial_log_mass(k2, n2, r / 50.));
    }
    for (int r = 0; r <= 50; r++)
        most = fmax(most, size[r]);
    return most;
}

TEST(fisher_keeps_its_size)
{
    double most_mid = 0;

    for (int64_t n1 = 2; n1 <= 20; n1 += 3) {
        for (int64_t n2 = 2; n2 <= 40; n2 += 3) {
            CHECK_LE(largest_size(p_greater, n1, n2), .05);
            CHECK_LE(largest_size(p_two_sided, n1, n2), .05);
            most_mid = fmax(most_mid, largest_size(p_mid, n1, n2));
        }
    }
    /* Control: mid-p goes over its level somewhere, and this must show. */
    CHECK_LE(.0501, most_mid);
}
