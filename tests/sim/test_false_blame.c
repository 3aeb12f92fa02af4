/* A pure coin must come out as a real flake with no cause: at most 12 of 2,000 simulated coins may
 * be blamed on anything, at every coin probability and for coins that are not independent. */
#include "check.h"
#include "sim.h"

#include <stdlib.h>

#define MOST_PER_2000 12

static unsigned coins(void)
{
    const char *n = getenv("FR_SIM_COINS"); /* the long campaign asks for more */
    return n ? (unsigned)atoi(n) : 2000;
}

static void campaign(const char *name, rule *r, double p)
{
    unsigned n = coins(), blamed = 0, wrong = 0;
    for (unsigned i = 0; i < n; i++) {
        struct scripted s;
        struct finding f = {0};
        scripted_init(&s, r, p, 1000003u * i + 17);
        s.network = s.shared = true;
        s.before[BEFORE_FILE] = 30;
        sim_diagnose(&s, 77u * i + 5, 300, &f);
        blamed += f.causes > 0;
        /* Unattributed where both outcomes were seen; a rare coin may stay quiet. */
        wrong += f.causes == 0 && f.baseline.failed > 0 && f.baseline.failed < f.baseline.runs &&
                 f.verdict != VERDICT_UNATTRIBUTED;
        finding_done(&f);
    }
    printf("# %-16s p=%.2f: %u of %u blamed\n", name, p, blamed, n);
    CHECK(blamed * 2000 <= MOST_PER_2000 * n);
    CHECK_EQ(wrong, 0);
}

TEST(independent_coins)
{
    static const double ps[] = {.02, .05, .1, .2, .3, .5, .7, .9};
    for (size_t i = 0; i < sizeof ps / sizeof *ps; i++)
        campaign("coin", rule_coin, ps[i]);
}

TEST(coins_that_follow_a_counter)
{
    campaign("counter parity", rule_counter_parity, .5);
}

TEST(coins_that_follow_the_process_id)
{
    campaign("pid parity", rule_pid_parity, .5);
}

TEST(coins_that_come_in_runs)
{
    static const double ps[] = {.02, .05, .2, .5};
    for (size_t i = 0; i < sizeof ps / sizeof *ps; i++)
        campaign("runs", rule_runs, ps[i]);
}

/* A flake needs nothing of its machine. */
TEST(coins_need_nothing)
{
    static const double ps[] = {.02, .05, .1, .2, .5, .9};
    for (size_t i = 0; i < sizeof ps / sizeof *ps; i++) {
        unsigned n = coins() / 4, needs = 0;
        for (unsigned k = 0; k < n; k++) {
            struct scripted s;
            struct finding f = {0};
            scripted_init(&s, rule_coin, ps[i], 1000003u * k + 29);
            s.demanding = s.network = true;
            sim_diagnose(&s, 77u * k + 11, 300, &f);
            needs += f.requirements > 0;
            finding_done(&f);
        }
        printf("# needs            p=%.2f: %u of %u\n", ps[i], needs, n);
        CHECK(needs * 2000 <= MOST_PER_2000 * n);
    }
}
