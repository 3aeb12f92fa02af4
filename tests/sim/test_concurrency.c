/* The experiment over worker counts: a pure coin is REPRODUCED in less than 1 of 100, at every coin
 * probability and for coins that are not independent, and a real effect is found. */
#include "check.h"
#include "sim.h"

#include "search/concurrency.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned many(unsigned usual)
{
    const char *n = getenv("FR_SIM_COINS"); /* the long campaign asks for more */
    return n ? (unsigned)atoi(n) : usual;
}

/* The caller releases the finding. */
static void experiment(rule *r, double p, unsigned i, double budget_s, struct finding *f)
{
    const struct concurrency_plan plan = {.xdist = false};
    struct scripted s;
    struct err e = {0};
    struct diagnosis d = {.budget_ns = (int64_t)(budget_s * (double)NS_PER_S), .seed = 77u * i + 5};
    scripted_init(&s, r, p, 1000003u * i + 17);
    CHECK_EQ(concurrency(&s.base, &d, &plan, NULL, f, &e), 0);
}

static bool any(const struct concurrency *k, bool reproduced)
{
    for (size_t i = 0; i < k->candidates; i++)
        if ((reproduced ? k->candidate[i].reproduction : k->candidate[i].confirmation).standing ==
            STANDING_CONFIRMED)
            return true;
    return false;
}

static void coins(const char *name, rule *r, double p, double budget_s)
{
    unsigned n = many(2000), confirmed = 0, reproduced = 0, blamed = 0;
    for (unsigned i = 0; i < n; i++) {
        struct finding f = {0};
        experiment(r, p, i, budget_s, &f);
        confirmed += any(f.concurrency, false);
        reproduced += any(f.concurrency, true);
        blamed += f.causes > 0;
        finding_done(&f);
    }
    printf("# %-14s p=%.2f, %3.0f s: of %u coins %u confirmed, %u reproduced\n", name, p, budget_s,
           n, confirmed, reproduced);
    CHECK(reproduced * 100 < n);
    CHECK(confirmed * 100 <= 2 * n);
    CHECK_EQ(blamed, reproduced);
}

TEST(pure_coins_are_not_reproduced)
{
    static const double ps[] = {.05, .1, .2, .3, .5, .9};
    for (size_t i = 0; i < sizeof ps / sizeof *ps; i++)
        coins("coin", rule_coin, ps[i], 300);
}

TEST(nor_with_a_small_budget)
{
    coins("coin", rule_coin, .3, 60);
    coins("coin", rule_coin, .3, 100);
}

TEST(nor_coins_that_follow_a_counter_or_the_process_id)
{
    coins("counter parity", rule_counter_parity, .5, 300);
    coins("pid parity", rule_pid_parity, .5, 300);
}

TEST(nor_coins_that_come_in_runs)
{
    coins("runs", rule_runs, .02, 300);
    coins("runs", rule_runs, .05, 300);
    coins("runs", rule_runs, .2, 300);
}

static unsigned workers_of(const struct trial *t, unsigned *ret_delay)
{
    unsigned n = 1;
    *ret_delay = 0;
    (void)sscanf(t->at.value[FD_AXIS_WORKERS], "copies:%u:%ums", &n, ret_delay);
    return n;
}

/* Fails with chance p for each other copy that is under way, most of them. */
static bool rule_race(struct scripted *s, const struct trial *t)
{
    unsigned delay, n = workers_of(t, &delay);
    return scripted_uniform(s) < s->p * (n - 1);
}

/* Exactly one of several copies loses. */
static bool rule_one_loses(struct scripted *s, const struct trial *t)
{
    unsigned delay, n = workers_of(t, &delay);
    return n > 1 && s->counter % n == 0;
}

/* Fails only if the copies do not start at one moment. */
static bool rule_staggered(struct scripted *s, const struct trial *t)
{
    unsigned delay;
    (void)workers_of(t, &delay);
    return delay > 0 && scripted_uniform(s) < s->p;
}

static void effect(const char *name, rule *r, double p, enum condition_type type, double least)
{
    unsigned n = many(2000) / 10, found = 0, wrong = 0;
    for (unsigned i = 0; i < n; i++) {
        struct finding f = {0};
        experiment(r, p, i, 300, &f);
        const struct concurrency *k = f.concurrency;
        bool got = any(k, true);
        found += got;
        wrong += got && k->condition[k->candidate[0].condition].type != type;
        CHECK(!got || (f.verdict == VERDICT_FLAKY && f.causes == 1 &&
                       f.cause[0].axis == FD_AXIS_WORKERS && k->flaky));
        finding_done(&f);
    }
    printf("# %-14s p=%.2f: found %u of %u\n", name, p, found, n);
    CHECK(found >= least * n);
    CHECK(wrong * 20 <= n);
}

TEST(effects_are_found)
{
    effect("race", rule_race, .05, CONDITION_WORKER, .95);
    effect("race", rule_race, .1, CONDITION_WORKER, .99);
    effect("one loses", rule_one_loses, 1, CONDITION_WORKER, .99);
    effect("staggered", rule_staggered, .35, CONDITION_TIMING, .95);
}

TEST(a_stable_test_has_no_candidate)
{
    struct finding f = {0};
    experiment(rule_never, 0, 1, 300, &f);
    CHECK_EQ(f.concurrency->candidates, 0);
    CHECK(!f.concurrency->flaky && !f.concurrency->unfinished);
    CHECK_EQ(f.verdict, VERDICT_NOT_FLAKY);
    finding_done(&f);
}

TEST(what_always_fails_has_no_signal)
{
    struct finding f = {0};
    experiment(rule_always, 0, 1, 300, &f);
    CHECK_EQ(f.concurrency->candidates, 0);
    CHECK_EQ(f.verdict, VERDICT_DETERMINISTIC);
    finding_done(&f);
}

TEST(a_budget_that_is_too_small_says_so)
{
    struct finding f = {0};
    experiment(rule_never, 0, 1, 3, &f);
    CHECK(f.concurrency->unfinished);
    CHECK_EQ(f.verdict, VERDICT_INCOMPLETE);
    finding_done(&f);
}

/* Every run is counted once, in each condition and each stage. */
TEST(counts_add_up)
{
    struct finding f = {0};
    experiment(rule_race, .1, 3, 300, &f);
    const struct concurrency *k = f.concurrency;
    for (size_t i = 0; i < k->conditions; i++) {
        const struct counts *n = &k->condition[i].n;
        CHECK_EQ(n->passed + n->failed + n->unknown, 24);
        CHECK_EQ(n->trials * k->condition[i].workers, 24);
    }
    finding_done(&f);
}
