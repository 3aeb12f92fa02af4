/* A cause hit by 2, 5, 10 or 25 % of seeds is diagnosed in at least 90 % of cases within the
 * default budget, at 5 ms per warm and 240 ms per fresh run; and hardly ever is another named. */
#include "check.h"
#include "sim.h"

#include <stdlib.h>

static void campaign(const char *name, rule *r, double p, uint32_t want)
{
    const char *asked = getenv("FR_SIM_POWER");
    unsigned n = asked ? (unsigned)atoi(asked) : 200, right = 0, other = 0;
    double seconds = 0;
    for (unsigned i = 0; i < n; i++) {
        struct scripted s;
        struct finding f = {0};
        scripted_init(&s, r, p, 7919u * i + 3);
        sim_diagnose(&s, 104729u * i + 11, 300, &f);
        uint32_t got = 0;
        for (size_t k = 0; k < f.causes; k++)
            got |= axis_bit(f.cause[k].axis);
        right += got == want && f.verdict == VERDICT_FLAKY && f.strength == STRENGTH_ALWAYS;
        other += got != 0 && got != want;
        seconds += f.stats.seconds / n;
        finding_done(&f);
    }
    printf("# %-18s p=%.2f: %u of %u diagnosed, %u otherwise, %.1f s\n", name, p, right, n, other,
           seconds);
    CHECK(right * 10 >= n * 9);
    CHECK(other * 100 <= n);
}

static const double rates[] = {.02, .05, .10, .25};

TEST(a_cause_in_the_random_seed)
{
    for (size_t i = 0; i < 4; i++)
        campaign("rng", rule_rng, rates[i], axis_bit(FD_AXIS_RNG));
}

TEST(a_cause_in_the_hash_seed)
{
    for (size_t i = 0; i < 4; i++)
        campaign("hashseed", rule_hashseed, rates[i], axis_bit(FD_AXIS_HASHSEED));
}

TEST(a_cause_in_the_clock_that_nature_does_not_draw)
{
    for (size_t i = 1; i < 4; i++)
        campaign("time", rule_time_value, rates[i], axis_bit(FD_AXIS_TIME));
}

/* Of eight copies one loses in four runs of five, of four in more than half. */
TEST(a_race_that_is_not_always_lost)
{
    unsigned n = 100, right = 0, other = 0;
    for (unsigned i = 0; i < n; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        scripted_init(&s, rule_lost_race, .2, 7919u * i + 3);
        s.shared = true;
        sim_diagnose(&s, 104729u * i + 11, 300, &f);
        bool named = f.causes == 1 && f.cause[0].axis == FD_AXIS_WORKERS;
        right += named && f.verdict == VERDICT_FLAKY;
        other += f.causes && !named;
    }
    printf("# a race: %u of %u diagnosed, %u otherwise\n", right, n, other);
    CHECK(right * 10 >= n * 7);
    CHECK_EQ(other, 0);
}

TEST(two_axes_needed_together)
{
    campaign("hashseed+rng", rule_hashseed_and_rng, .5,
             axis_bit(FD_AXIS_HASHSEED) | axis_bit(FD_AXIS_RNG));
    campaign("hashseed+rng", rule_hashseed_and_rng, .25,
             axis_bit(FD_AXIS_HASHSEED) | axis_bit(FD_AXIS_RNG));
}
