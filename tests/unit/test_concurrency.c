/* The words of the experiment over worker counts as rules on numbers, and the exact tests beside
 * them against counting every case. */
#include "../check.h"

#include "search/concurrency_rules.h"
#include "stats/permute.h"

#include <math.h>

/* Acceptance 34. */
TEST(signal_words_follow_the_difference)
{
    CHECK_EQ(rule_signal(0, 5), SIGNAL_STRONG); /* from a reference that never failed */
    CHECK_EQ(rule_signal(0, 0), SIGNAL_NONE);
    CHECK_EQ(rule_signal(30, 9.9), SIGNAL_WEAK);
    CHECK_EQ(rule_signal(30, 10), SIGNAL_STRONG);
    CHECK_EQ(rule_signal(30, 0), SIGNAL_NONE);
    CHECK_EQ(rule_signal(30, -20), SIGNAL_NONE);
    CHECK_EQ(rule_signal(100, 0), SIGNAL_NONE);
    CHECK(rule_score(SIGNAL_STRONG, 10) == 110 && rule_score(SIGNAL_WEAK, 9) == 59);
    CHECK(rule_score(SIGNAL_NONE, 0) == 0);
}

/* Acceptance 34: 100, 66.67 and 33.33 % are confirmed, weak and rejected. */
TEST(standing_follows_consistency_and_needs_a_mean_and_a_test)
{
    static const double three[] = {5, 10, 20}, two[] = {5, -1, 20}, one[] = {5, -1, 0};
    CHECK(rule_consistency(three, 3) == 100);
    CHECK(fabs(rule_consistency(two, 3) - 66.67) < 0.01);
    CHECK(fabs(rule_consistency(one, 3) - 33.33) < 0.01);
    CHECK_EQ(rule_standing(100, 10, true), STANDING_CONFIRMED);
    CHECK_EQ(rule_standing(200.0 / 3, 10, true), STANDING_WEAK);
    CHECK_EQ(rule_standing(100.0 / 3, 10, true), STANDING_REJECTED);
    CHECK_EQ(rule_standing(100, 0, true), STANDING_REJECTED); /* a zero mean never confirms */
    CHECK_EQ(rule_standing(100, 10, false), STANDING_WEAK);   /* nor does what chance does too */
}

TEST(words_for_people)
{
    const struct stage shown = {.standing = STANDING_CONFIRMED}, half = {.standing = STANDING_WEAK};
    char name[48];
    CHECK_STR(confirmation_word(STANDING_CONFIRMED), "REPEATEDLY OBSERVED");
    CHECK_STR(reproduction_word(&shown), "REPRODUCED");
    CHECK_STR(reproduction_word(&half), "PARTIAL");
    CHECK_STR(rate_word(0), "Stable");
    CHECK_STR(rate_word(20), "Low Flakiness");
    CHECK_STR(rate_word(50), "Flaky");
    CHECK_STR(rate_word(80), "Highly Flaky");
    CHECK_STR(rate_word(99), "Severely Unstable");
    CHECK_STR(rate_word(100), "Consistently Failing");
    condition_name(&(struct condition){.type = CONDITION_MODE, .workers = 4}, name, sizeof name);
    CHECK_STR(name, "Parallel / 4");
}

/* Acceptance 35: what is unknown is in the total and in no rate. */
TEST(unknown_runs_are_counted_and_not_judged)
{
    struct counts n = {.passed = 15, .failed = 5};
    const struct counts more = {.unknown = 4};
    counts_add(&n, &more);
    CHECK_EQ(counts_total(&n), 24);
    CHECK_EQ(counts_judged(&n), 20);
    CHECK(counts_rate(&n) == 0.25);
    CHECK(counts_rate(&more) == 0);
}

/* Every way to choose n1 of the blocks, one by one. */
static double by_counting(const unsigned *v, unsigned n, unsigned n1)
{
    unsigned seen = 0, all = 0, as_large = 0;
    for (unsigned i = 0; i < n1; i++)
        seen += v[i];
    for (unsigned set = 0; set < 1u << n; set++) {
        unsigned sum = 0;
        if ((unsigned)__builtin_popcount(set) != n1)
            continue;
        for (unsigned i = 0; i < n; i++)
            sum += set >> i & 1 ? v[i] : 0;
        all++;
        as_large += sum >= seen;
    }
    return (double)as_large / all;
}

TEST(permutations_are_all_counted)
{
    static const unsigned v[][12] = {{3, 1, 0, 2, 8, 1, 0, 0, 4, 1, 1, 2},
                                     {8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0},
                                     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                                     {1, 2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4}};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        for (unsigned n1 = 1; n1 < 12; n1++)
            CHECK(fabs(permute_greater(v[i], n1, v[i] + n1, 12 - n1) -
                       by_counting(v[i], 12, n1)) < 1e-12);
    CHECK(isnan(permute_greater(v[0], 0, v[0], 3)));
}

/* All assignments of the failures to the runs: each run is one of 12 positions, four of a level. */
static double trend_by_counting(const unsigned *k, const unsigned *d)
{
    unsigned failed = k[0] + k[1] + k[2], seen = d[0] * k[0] + d[1] * k[1] + d[2] * k[2];
    unsigned all = 0, as_large = 0;
    for (unsigned set = 0; set < 1u << 12; set++) {
        unsigned sum = 0;
        if ((unsigned)__builtin_popcount(set) != failed)
            continue;
        for (unsigned i = 0; i < 12; i++)
            sum += set >> i & 1 ? d[i / 4] : 0;
        all++;
        as_large += sum >= seen;
    }
    return (double)as_large / all;
}

TEST(trends_are_exact)
{
    static const unsigned d[] = {1, 2, 4}, n[] = {4, 4, 4};
    for (unsigned code = 0; code < 125; code++) {
        const unsigned k[] = {code % 5, code / 5 % 5, code / 25};
        CHECK(fabs(trend_greater(k, n, d, 3) - trend_by_counting(k, d)) < 1e-12);
    }
    static const unsigned many[] = {5};
    CHECK(isnan(trend_greater(many, n, d, 1)));
}
