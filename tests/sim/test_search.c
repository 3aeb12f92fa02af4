/* Every phase of the search against the scripted source: what each finds, what it may not claim,
 * and that no budget makes it say more than it saw. */
#include "check.h"
#include "sim.h"

static void verdict_is(const struct finding *f, const char *want)
{
    own_text struct text got = {0};
    finding_verdict(f, &got);
    CHECK_STR(text_str(&got), want);
}

static const struct row *row_of(const struct finding *f, const char *label)
{
    for (size_t i = 0; i < f->evidence.n; i++)
        if (strcmp(f->evidence.at[i].label, label) == 0)
            return &f->evidence.at[i];
    return NULL;
}

TEST(a_stable_test_is_cleared_with_its_bound)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_never, 0, 1);
    sim_diagnose(&s, 1, 300, &f);
    verdict_is(&f, "not-flaky");
    CHECK(f.baseline.runs >= 300);
    CHECK(f.baseline.processes >= 12);
    CHECK(f.baseline.high > 0 && f.baseline.high < 0.0123); /* 1 - .025^(1/300) */
    CHECK_EQ(f.causes, 0);
    CHECK(f.repro.setting.held == 0);
}

TEST(a_test_that_always_fails_is_broken_not_flaky)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_always, 0, 1);
    sim_diagnose(&s, 1, 300, &f);
    verdict_is(&f, "deterministic-failure");
    CHECK_EQ(f.baseline.failed, f.baseline.runs);
    CHECK(row_of(&f, "benign values") != NULL); /* asked before it was said */
}

static void brief(rule *fails, double p, const char *want, unsigned *ret_runs, unsigned *ret_trials)
{
    struct scripted s;
    own_finding struct finding f = {0};
    struct err e = {0};
    struct trial t = {.tier = TIER_FRESH};
    struct diagnosis d = {.budget_ns = 300 * NS_PER_S, .seed = 1, .brief = true};
    scripted_init(&s, fails, p, 1);
    s.base.ops->run(&s.base, &t, 1, &d.first, &e);
    CHECK_EQ(diagnose(&s.base, &d, NULL, &f, &e), 0);
    verdict_is(&f, want);
    *ret_runs = f.baseline.runs;
    *ret_trials = s.trials;
}

/* Where only a few seconds are for it: in as many processes as decide most of what looks broken. */
TEST(what_always_fails_is_told_after_few_runs_where_that_is_asked)
{
    struct scripted s;
    own_finding struct finding whole = {0};
    unsigned runs, trials;
    scripted_init(&s, rule_always, 0, 1);
    sim_diagnose(&s, 1, 300, &whole);
    brief(rule_always, 0, "deterministic-failure", &runs, &trials);
    CHECK(runs >= 20 && runs <= 50);
    CHECK(3 * trials < s.trials);
    brief(rule_hashseed, 0.8, "flaky-hashseed", &runs, &trials);
    brief(rule_always_now, 0, "flaky-time", &runs, &trials);
    brief(rule_never, 0, "not-flaky", &runs, &trials);
    CHECK(runs >= 300); /* what passes is looked into as ever */
}

TEST(a_test_that_fails_only_as_things_are_now_depends_on_the_clock)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_always_now, 0, 1);
    sim_diagnose(&s, 1, 300, &f);
    verdict_is(&f, "flaky-time");
    CHECK_EQ(f.claim, CLAIM_OBSERVED);
    CHECK_EQ(f.strength, STRENGTH_ALWAYS);
    CHECK_EQ(f.counterfactual.failed, 0);
}

TEST(a_hang_is_told_after_few_runs)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_always, 0, 1);
    s.type = "<hang>";
    sim_diagnose(&s, 1, 300, &f);
    verdict_is(&f, "hang");
    CHECK(s.trials <= 3);
}

TEST(a_natural_failure_becomes_the_reproduction)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_rng, .1, 9);
    sim_diagnose(&s, 4, 300, &f);
    verdict_is(&f, "flaky-rng");
    CHECK_EQ(f.claim, CLAIM_OBSERVED);
    CHECK(scripted_hit(f.cause[0].value, .1));
    CHECK(!scripted_hit(f.cause[0].benign, .1));
    CHECK_EQ(f.verify.runs, 10);
    CHECK_EQ(f.verify.failed, 10);
    CHECK_NEAR(f.verify.low, 0.7411, 1e-3); /* .05^(1/10) */
    CHECK_EQ(f.counterfactual.failed, 0);
    CHECK(!setting_holds(&f.repro.setting, FD_AXIS_HASHSEED)); /* the smallest set */
}

TEST(what_nature_does_not_draw_is_provoked_and_called_latent)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_time_value, .1, 9);
    sim_diagnose(&s, 4, 300, &f);
    verdict_is(&f, "flaky-time");
    CHECK_EQ(f.claim, CLAIM_LATENT);
    CHECK_EQ(f.baseline.failed, 0);
}

TEST(outcomes_of_one_process_are_one_observation)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_hashseed, .5, 3);
    sim_diagnose(&s, 8, 300, &f);
    verdict_is(&f, "flaky-hashseed");
    CHECK(f.baseline.by_process);
    CHECK(f.baseline.units < f.baseline.runs);
    CHECK(f.baseline.units_failed > 0 && f.baseline.units_failed < f.baseline.units);
}

TEST(where_the_tiers_disagree_only_fresh_runs_count)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_hashseed, .5, 3);
    s.warm_differs = true; /* warm runs always pass */
    sim_diagnose(&s, 8, 300, &f);
    verdict_is(&f, "flaky-hashseed");
    CHECK(row_of(&f, "baseline, fresh processes only") != NULL);
    CHECK(f.warnings.n > 0);
}

TEST(two_axes_that_are_needed_together_are_both_named)
{
    struct scripted s;
    own_finding struct finding f = {0};
    scripted_init(&s, rule_hashseed_and_rng, .5, 3);
    sim_diagnose(&s, 8, 300, &f);
    verdict_is(&f, "flaky-hashseed+rng");
    for (size_t i = 0; i < f.causes; i++) {
        CHECK(scripted_hit(f.cause[i].value, .5));
        CHECK(!scripted_hit(f.cause[i].benign, .5));
    }
}

TEST(two_values_that_do_nothing_alone_are_found_together)
{
    unsigned found = 0;
    for (unsigned i = 0; i < 40; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        scripted_init(&s, rule_time_and_network, .3, i + 1);
        s.network = true;
        sim_diagnose(&s, 5 * i + 1, 300, &f);
        CHECK(f.causes == 0 || (f.causes == 2 && f.cause[0].axis == FD_AXIS_TIME &&
                                f.cause[1].axis == FD_AXIS_NETWORK));
        found += f.causes == 2 && f.strength == STRENGTH_ALWAYS && f.counterfactual.failed == 0;
    }
    printf("# found: %u of 40\n", found);
    CHECK(found >= 36);
}

/* A coin, and values of the clock with which it breaks in another way. */
static bool rule_coin_broken_by_time(struct scripted *s, const struct trial *t)
{
    bool broken =
        setting_holds(&t->at, FD_AXIS_TIME) && scripted_hit(t->at.value[FD_AXIS_TIME], .05);
    s->type = broken ? "OverflowError" : "AssertionError";
    return broken || scripted_uniform(s) < s->p;
}

/* fd10: another exception than the baseline's explains nothing that was observed. */
TEST(fd10_another_failure_does_not_explain_the_one_observed)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct scripted s;
        own_finding struct finding f = {0};
        scripted_init(&s, rule_coin_broken_by_time, .3, seed);
        sim_diagnose(&s, seed, 300, &f);
        CHECK(f.claim != CLAIM_OBSERVED || f.causes == 0 ||
              strcmp(f.print.type, f.baseline.print[0].print.type) == 0);
        for (size_t i = 0; i < f.causes; i++)
            CHECK(strcmp(f.print.type, "OverflowError") == 0);
    }
}

TEST(a_value_that_raises_the_rate_elevates)
{
    unsigned elevates = 0, always = 0;
    for (unsigned i = 0; i < 100; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        scripted_init(&s, rule_rng_often, .25, i + 1); /* nine in ten where the seed is bad */
        sim_diagnose(&s, 31 * i + 7, 300, &f);
        elevates += f.causes == 1 && f.strength == STRENGTH_ELEVATES;
        always += f.causes == 1 && f.strength == STRENGTH_ALWAYS && f.verify.failed == 10;
        CHECK(f.causes == 0 || f.cause[0].axis == FD_AXIS_RNG);
    }
    printf("# of 100: %u elevate, %u came out certain in 10 runs\n", elevates, always);
    CHECK(elevates + always >= 50);
}

/* Whatever the budget: what is said was seen. */
static void budgets(rule *r, double p, const char *const *allowed)
{
    static const double seconds[] = {0, .1, .5, 1, 2, 3, 5, 8, 13, 21, 34, 60, 300};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        for (uint64_t seed = 1; seed <= 20; seed++) {
            struct scripted s;
            own_finding struct finding f = {0};
            own_text struct text got = {0};
            scripted_init(&s, r, p, seed);
            int64_t began = s.now_ns;
            sim_diagnose(&s, seed * 13, seconds[i], &f);
            finding_verdict(&f, &got);
            size_t k = 0;
            while (allowed[k] && strcmp(allowed[k], text_str(&got)) != 0)
                k++;
            if (!allowed[k])
                CHECK_STR(text_str(&got), "one of those allowed");
            if (f.causes)
                CHECK(f.verify.runs >= 5 && f.counterfactual.runs >= 5);
            double took = (double)(s.now_ns - began) / 1e9;
            CHECK(took <= 1.5 * seconds[i] + 15);
        }
    }
}

TEST(no_budget_makes_a_stable_test_flaky)
{
    budgets(rule_never, 0, (const char *const[]){"incomplete", "not-flaky", NULL});
}

TEST(no_budget_makes_a_broken_test_flaky)
{
    budgets(rule_always, 0, (const char *const[]){"incomplete", "deterministic-failure", NULL});
}

TEST(no_budget_blames_a_coin)
{
    budgets(rule_coin, .3,
            (const char *const[]){"incomplete", "flaky-unattributed", "deterministic-failure",
                                  "not-flaky", NULL});
}

TEST(no_budget_blames_the_wrong_axis)
{
    budgets(rule_rng, .25,
            (const char *const[]){"incomplete", "flaky-unattributed", "flaky-rng", NULL});
}

TEST(the_same_master_seed_gives_the_same_finding)
{
    own_text struct text first = {0};
    for (int i = 0; i < 2; i++) {
        struct scripted s;
        own_finding struct finding f = {0};
        own_text struct text got = {0};
        scripted_init(&s, rule_rng, .1, 9);
        sim_diagnose(&s, 4, 300, &f);
        setting_text(&f.repro.setting, &got);
        if (i == 0)
            text_add(&first, text_str(&got));
        else
            CHECK_STR(text_str(&got), text_str(&first));
    }
}

/* The budget may end anywhere, after a candidate too: that is no answer, and never a hang. */
TEST(a_budget_that_ends_on_the_way_makes_no_verdict)
{
    for (unsigned tenths = 0; tenths <= 80; tenths++) {
        struct scripted s;
        own_finding struct finding f = {0};
        scripted_init(&s, rule_time_value, .05, 7);
        sim_diagnose(&s, 3, tenths / 10.0, &f);
        CHECK(f.verdict == VERDICT_INCOMPLETE || f.verdict == VERDICT_FLAKY);
        CHECK(tenths > 0 || f.verdict == VERDICT_INCOMPLETE);
        CHECK(f.verdict == VERDICT_INCOMPLETE || f.verify.runs > 0);
    }
}
