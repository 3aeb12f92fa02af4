/* The tests before it: what is found among how many, in how many runs, and what is not claimed. */
#include "check.h"
#include "sim.h"

#include "base/clock.h"

#include <string.h>

static void verdict_is(const struct finding *f, const char *want)
{
    own_text struct text got = {0};
    finding_verdict(f, &got);
    CHECK_STR(text_str(&got), want);
}

static const struct cause *order_of(const struct finding *f)
{
    for (size_t i = 0; i < f->causes; i++)
        if (f->cause[i].axis == FD_AXIS_ORDER)
            return &f->cause[i];
    return NULL;
}

/* Diagnoses a suite of n tests of which those in `needs` (ended by SIZE_MAX) matter. */
static void diagnose_suite(struct scripted *s, rule *r, size_t n, const size_t *needs,
                           struct finding *f)
{
    scripted_init(s, r, .5, n + 1);
    s->before[BEFORE_FILE] = n;
    s->time_values = 0;
    for (; needs[s->needed] != SIZE_MAX; s->needed++)
        s->needs[s->needed] = needs[s->needed];
    sim_diagnose(s, 11, 300, f);
}

/* Runs of the search: those that put the finding to the test come after it. */
static unsigned search_runs(const struct finding *f)
{
    unsigned n = 0;
    for (size_t i = 0; i < f->evidence.n; i++)
        if (strncmp(f->evidence.at[i].label, "after ", 6) == 0)
            n += f->evidence.at[i].runs;
    return n;
}

TEST(one_polluter_of_two_thousand_takes_at_most_fifteen_runs)
{
    static const size_t places[] = {0, 1, 2, 7, 500, 999, 1000, 1001, 1337, 1998, 1999};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        char want[24];
        const size_t needs[] = {places[i], SIZE_MAX};
        diagnose_suite(&s, rule_polluted, 2000, needs, &f);
        verdict_is(&f, "flaky-order");
        snprintf(want, sizeof want, "%zu", places[i]);
        CHECK_STR(f.cause[0].value, want);
        CHECK_STR(f.cause[0].benign, "alone");
        CHECK_EQ(f.verify.failed, 10);
        CHECK_EQ(f.counterfactual.failed, 0);
        CHECK(search_runs(&f) <= 15);
    }
}

TEST(two_that_are_needed_together_take_at_most_sixty_runs)
{
    static const size_t pairs[][2] = {{0, 1},      {0, 1999},  {1998, 1999}, {3, 1000},
                                      {999, 1000}, {17, 1500}, {1024, 1025}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        char want[48];
        const size_t needs[] = {pairs[i][0], pairs[i][1], SIZE_MAX};
        diagnose_suite(&s, rule_polluted, 2000, needs, &f);
        verdict_is(&f, "flaky-order");
        snprintf(want, sizeof want, pairs[i][0] + 1 == pairs[i][1] ? "%zu-%zu" : "%zu+%zu",
                 pairs[i][0], pairs[i][1]);
        CHECK_STR(f.cause[0].value, want);
        CHECK(search_runs(&f) <= 60);
    }
}

TEST(four_that_are_needed_together)
{
    struct scripted s;
    own_finding struct finding f = {0};
    const size_t needs[] = {3, 40, 41, 90, SIZE_MAX};
    diagnose_suite(&s, rule_polluted, 100, needs, &f);
    verdict_is(&f, "flaky-order");
    CHECK_STR(f.cause[0].value, "3+40-41+90");
}

TEST(a_polluter_whose_trace_another_test_wipes_off)
{
    struct scripted s;
    own_finding struct finding f = {0};
    const size_t needs[] = {12, SIZE_MAX};
    diagnose_suite(&s, rule_polluted_and_cleaned, 40, needs, &f);
    verdict_is(&f, "flaky-order");
    CHECK_STR(f.cause[0].value, "12");
}

TEST(a_brittle_test_passes_after_its_state_setter)
{
    struct scripted s;
    own_finding struct finding f = {0};
    const size_t needs[] = {7, SIZE_MAX};
    diagnose_suite(&s, rule_brittle, 30, needs, &f);
    verdict_is(&f, "flaky-order");
    CHECK_STR(f.cause[0].value, "alone");
    CHECK_STR(f.cause[0].benign, "7");
    CHECK_EQ(f.claim, CLAIM_OBSERVED);
}

TEST(a_test_that_fails_the_second_time)
{
    struct scripted s;
    own_finding struct finding f = {0};
    const size_t needs[] = {SIZE_MAX};
    diagnose_suite(&s, rule_second_time, 5, needs, &f);
    verdict_is(&f, "flaky-order");
    CHECK_STR(f.cause[0].value, "self");
}

TEST(a_polluter_that_needs_a_hash_seed_as_well)
{
    struct scripted s;
    own_finding struct finding f = {0};
    const size_t needs[] = {20, SIZE_MAX};
    diagnose_suite(&s, rule_polluted_by_hashseed, 64, needs, &f);
    verdict_is(&f, "flaky-hashseed+order");
    const struct cause *order = order_of(&f);
    CHECK(order != NULL);
    if (order)
        CHECK_STR(order->value, "20");
    CHECK(scripted_hit(f.cause[0].value, .5));
}

TEST(a_polluter_that_needs_a_date_as_well)
{
    unsigned found = 0;
    for (unsigned i = 0; i < 20; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        scripted_init(&s, rule_polluted_at_a_time, .25, i + 1);
        s.before[BEFORE_FILE] = 40;
        s.needs[s.needed++] = 20;
        sim_diagnose(&s, 3 * i + 1, 300, &f);
        const struct cause *order = order_of(&f);
        found += f.causes == 2 && f.cause[0].axis == FD_AXIS_TIME && order &&
                 strcmp(order->value, "20") == 0 && f.strength == STRENGTH_ALWAYS;
        CHECK(f.causes == 0 || f.causes == 2);
    }
    printf("# found: %u of 20\n", found);
    CHECK(found >= 18);
}

TEST(it_stands_in_the_folder_not_in_the_file)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_polluted, 0, 3);
    s.before[BEFORE_FILE] = 4;
    s.before[BEFORE_FOLDER] = 60;
    s.needs[s.needed++] = 33;
    sim_diagnose(&s, 5, 300, &f);
    verdict_is(&f, "flaky-order");
    CHECK_STR(f.cause[0].value, "33");
}

/* A coin that falls only after other tests: they may be named (without them it never fails), the
 * coin itself may not be called certain. */
TEST(a_coin_after_a_polluter_is_not_called_certain)
{
    unsigned certain = 0;
    for (unsigned i = 0; i < 60; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        scripted_init(&s, rule_polluted_coin, .5, i + 1);
        s.before[BEFORE_FILE] = 16;
        s.time_values = 0;
        s.needs[s.needed++] = 5;
        sim_diagnose(&s, 13 * i + 1, 120, &f);
        certain += f.causes && f.strength == STRENGTH_ALWAYS;
        for (size_t k = 0; k < f.causes; k++)
            CHECK_EQ(f.cause[k].axis, FD_AXIS_ORDER);
    }
    CHECK_EQ(certain, 0);
}

/* A suite that takes long: what else may decide has its part of the budget. */
TEST(other_causes_are_found_beside_slow_tests_that_do_nothing)
{
    for (unsigned i = 0; i < 20; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        scripted_init(&s, rule_rng, .02, i + 1);
        s.before[BEFORE_FILE] = 400;
        s.before_ns = 20 * NS_PER_MS;
        s.time_values = 0;
        sim_diagnose(&s, 13 * i + 5, 60, &f);
        verdict_is(&f, "flaky-rng");
    }
}

/* Nothing depends on the tests before it: nothing is said of them. */
TEST(coins_are_not_blamed_on_the_tests_before)
{
    static rule *const coins[] = {rule_coin, rule_counter_parity, rule_pid_parity, rule_runs};
    static const double p[] = {.02, .1, .5, .9};
    unsigned blamed = 0;
    for (unsigned i = 0; i < 800; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        scripted_init(&s, coins[i % 4], p[i / 4 % 4], i + 1);
        s.before[BEFORE_FILE] = 30;
        sim_diagnose(&s, 7 * i + 3, 120, &f);
        blamed += f.causes > 0;
    }
    printf("# blamed: %u of 800\n", blamed);
    CHECK(blamed <= 5);
}

TEST(no_budget_says_what_was_not_looked_at)
{
    for (double budget = .5; budget < 40; budget *= 1.5) {
        struct scripted s;
        own_finding struct finding f = {0};
        own_text struct text got = {0};
        scripted_init(&s, rule_polluted, 0, 3);
        s.before[BEFORE_FILE] = 50;
        s.needs[s.needed++] = 33;
        sim_diagnose(&s, 5, budget, &f);
        finding_verdict(&f, &got);
        CHECK(strcmp(text_str(&got), "flaky-order") == 0 ||
              strcmp(text_str(&got), "incomplete") == 0);
    }
}
