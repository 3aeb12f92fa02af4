/* Gates: the verdict follows the counts and agrees with the interval, the tables say what trying
 * every completion says, and what is planned is what the tables do. */
#include "../check.h"

#include "stats/binomial.h"
#include "stats/plan.h"
#include "stats/sequence.h"

#define EXACT(bar, confidence) ((struct gate_rule){bar, confidence, GATE_EXACT, 0, 0})

/* Bars are binary fractions, so that 1 - bar is exact and mirrors are. */
static const double bars[] = {.25, .5, .75, .875, .96875};
static const double levels[] = {.5, .8, .95, .999};

enum {
    BARS = sizeof(bars) / sizeof(bars[0]),
    LEVELS = sizeof(levels) / sizeof(levels[0]),
    RULES = BARS * LEVELS * 5,
};

static struct gate_rule rule_at(int i)
{
    int method = i / (BARS * LEVELS);
    struct gate_rule rule = {bars[i % BARS], levels[i / BARS % LEVELS], GATE_EXACT, .5, .5};

    rule.method = method < 4 ? (enum gate_method)method : GATE_BAYES;
    if (method == 4)
        rule.a = 2, rule.b = 8;
    return rule;
}

/* In the order of the counts. */
static int rank_of(enum gate_verdict v)
{
    return v == GATE_PASS ? 2 : v == GATE_UNDECIDED ? 1 : 0;
}

static struct interval interval_of(const struct gate_rule *r, int64_t k, int64_t n)
{
    if (r->method == GATE_EXACT)
        return interval_exact(k, n, r->confidence);
    if (r->method == GATE_WILSON)
        return interval_wilson(k, n, r->confidence);
    if (r->method == GATE_BAYES)
        return interval_bayes(k, n, r->confidence, r->a, r->b);
    return sequence_interval_of(k, n, r->confidence, (struct mixture){r->a, r->b});
}

static void check_against_interval(const struct gate_rule *r, int64_t k, int64_t n)
{
    struct interval i = interval_of(r, k, n);
    enum gate_verdict v = gate_verdict(r, k, n);

    if (fabs(i.low - r->bar) < 1e-9 || fabs(i.high - r->bar) < 1e-9)
        return; /* nearly a tie: the rounded end says nothing */
    CHECK((v == GATE_PASS) == (i.low > r->bar));
    CHECK((v == GATE_FAIL) == (i.high < r->bar));
}

TEST(verdicts_follow_counts_and_intervals)
{
    for (int i = 0; i < RULES; i++) {
        struct gate_rule r = rule_at(i), surer = r;

        surer.confidence = 1 - (1 - r.confidence) / 2;
        for (int64_t n = 1; n <= 40; n++) {
            for (int64_t k = 0; k <= n; k++) {
                enum gate_verdict v = gate_verdict(&r, k, n);

                check_against_interval(&r, k, n);
                CHECK(v != GATE_OPEN);
                CHECK(k == n || rank_of(v) <= rank_of(gate_verdict(&r, k + 1, n)));
                CHECK(rank_of(v) <= rank_of(gate_verdict(&r, k + 1, n + 1)));
                CHECK(rank_of(v) >= rank_of(gate_verdict(&r, k, n + 1)));
                if (gate_verdict(&surer, k, n) != GATE_UNDECIDED)
                    CHECK_EQ(gate_verdict(&surer, k, n), v);
            }
        }
    }
}

/* Passes against the bar are failures against one minus it. */
TEST(verdicts_mirror)
{
    for (int i = 0; i < RULES; i++) {
        struct gate_rule r = rule_at(i), m = r;

        m.bar = 1 - r.bar;
        m.a = r.b;
        m.b = r.a;
        for (int64_t n = 1; n <= 40; n++) {
            for (int64_t k = 0; k <= n; k++)
                CHECK_EQ(rank_of(gate_verdict(&r, k, n)), 2 - rank_of(gate_verdict(&m, n - k, n)));
        }
    }
}

TEST(ties_are_undecided)
{
    struct gate_rule coin = EXACT(.5, .75); /* 3 of 3 has the tail .125 = (1 - .75) / 2 */

    CHECK_EQ(gate_verdict(&coin, 3, 3), GATE_UNDECIDED);
    CHECK_EQ(gate_verdict(&coin, 0, 3), GATE_UNDECIDED);
    CHECK_EQ(gate_verdict(&coin, 4, 4), GATE_PASS);
    CHECK_EQ(gate_min_runs(&coin), 4);
    coin.confidence = .7499;
    CHECK_EQ(gate_verdict(&coin, 3, 3), GATE_PASS);

    struct gate_rule decimal = EXACT(.3, .82); /* .09 either way, but not in binary */

    CHECK_EQ(gate_verdict(&decimal, 2, 2), GATE_UNDECIDED);
    CHECK_EQ(gate_min_runs(&decimal), 3);
}

static struct gate_cutoffs cutoffs_by_scan(const struct gate_rule *r, int64_t n)
{
    struct gate_cutoffs c = {-1, -1};

    for (int64_t k = 0; k <= n; k++) {
        if (gate_verdict(r, k, n) == GATE_FAIL)
            c.fail_at = k;
        if (c.pass_at < 0 && gate_verdict(r, k, n) == GATE_PASS)
            c.pass_at = k;
    }
    return c;
}

/* The verdict that all completions share, by trying them. */
static enum gate_verdict shared_verdict(const struct gate_rule *r, int64_t n, int64_t k,
                                        int64_t left)
{
    for (int64_t more = 1; more <= left; more++) {
        if (gate_verdict(r, k + more, n) != gate_verdict(r, k, n))
            return GATE_OPEN;
    }
    return gate_verdict(r, k, n);
}

TEST(fixed_stops_are_what_every_completion_shares)
{
    struct gate_stop stops[30];

    for (int i = 0; i < RULES; i++) {
        struct gate_rule r = rule_at(i);

        for (int64_t planned = 1; planned <= 30; planned += i % 3 + 2) {
            struct gate_cutoffs c = gate_cutoffs(&r, planned), scan = cutoffs_by_scan(&r, planned);

            CHECK_EQ(c.pass_at, scan.pass_at);
            CHECK_EQ(c.fail_at, scan.fail_at);
            gate_stops_fixed(c, planned, stops);
            for (int64_t n = 1; n <= planned; n++) {
                for (int64_t k = 0; k <= n; k++) {
                    enum gate_verdict want = shared_verdict(&r, planned, k, planned - n);

                    CHECK_EQ(gate_decide(c, planned, k, n - k), want);
                    CHECK_EQ(gate_stop_verdict(&stops[n - 1], k), want);
                }
            }
        }
    }
}

TEST(failures_that_settle_it)
{
    struct gate_rule r = EXACT(.9, .95);
    struct gate_cutoffs c = gate_cutoffs(&r, 40);

    CHECK_EQ(gate_failures_against_pass(c, 40), 1);
    CHECK_EQ(gate_failures_for_fail(c, 40), 9);
    CHECK_EQ(gate_decide(c, 40, 3, 9), GATE_FAIL);
    CHECK_EQ(gate_decide(c, 40, 37, 1), GATE_UNDECIDED); /* no PASS left, but no FAIL either */
    CHECK_EQ(gate_decide(c, 40, 31, 8), GATE_OPEN);
    CHECK_EQ(gate_failures_against_pass(gate_cutoffs(&r, 20), 20), 0);
    CHECK_EQ(gate_failures_for_fail((struct gate_cutoffs){1, -1}, 1), -1);
}

TEST(a_count_is_never_undecided)
{
    struct gate_cutoffs c = gate_cutoffs_of_count(8);
    struct gate_stop stops[10];

    gate_stops_fixed(c, 10, stops);
    for (int64_t n = 1; n <= 10; n++) {
        for (int64_t k = 0; k <= n; k++) {
            enum gate_verdict want = k >= 8 ? GATE_PASS : n - k > 2 ? GATE_FAIL : GATE_OPEN;

            CHECK_EQ(gate_decide(c, 10, k, n - k), want);
            CHECK_EQ(gate_stop_verdict(&stops[n - 1], k), want);
        }
    }
}

/* ---- plans ---- */

/* Stopping early changes the price, not the chances. */
TEST(fixed_stops_keep_the_chances)
{
    static const double rates[] = {0, .1, .5, .9, .97, 1};
    struct gate_stop stops[60];

    for (int i = 0; i < RULES * 6; i++) {
        struct gate_rule r = rule_at(i / 6);
        int64_t n = 1 + i % 60;
        struct plan whole = plan_fixed(&r, n, rates[i % 6]), stopped;

        gate_stops_fixed(gate_cutoffs(&r, n), n, stops);
        stopped = plan_stopped(stops, n, rates[i % 6]);
        CHECK_NEAR(stopped.pass, whole.pass, 1e-12);
        CHECK_NEAR(stopped.fail, whole.fail, 1e-12);
        CHECK_NEAR(stopped.undecided, whole.undecided, 1e-12);
        CHECK_NEAR(whole.pass + whole.fail + whole.undecided, 1, 1e-12);
        CHECK_LE(stopped.runs, whole.runs);
        CHECK_LE(1, stopped.runs);
    }
}

TEST(futility_keeps_the_chances)
{
    enum { PLANNED = 120 };
    struct gate_stop with[PLANNED], without[PLANNED];

    for (int i = 0; i < RULES; i++) {
        struct gate_rule r = rule_at(i);

        if (r.method != GATE_SEQUENTIAL)
            continue;
        gate_stops_each(&r, PLANNED, true, with);
        gate_stops_each(&r, PLANNED, false, without);
        for (double rate = 0; rate <= 1; rate += .125) {
            struct plan early = plan_stopped(with, PLANNED, rate);
            struct plan late = plan_stopped(without, PLANNED, rate);

            CHECK_NEAR(early.pass, late.pass, 1e-13);
            CHECK_NEAR(early.fail, late.fail, 1e-13);
            CHECK_LE(early.runs, late.runs + 1e-9);
        }
        int64_t first = gate_min_runs(&r);

        CHECK_EQ(gate_first_all_pass(without, PLANNED), first <= PLANNED ? first : -1);
    }
}

/* Whoever stops at the first verdict is wrong with a chance of 1 - confidence at most; with a
 * method made for one look it is not so, and this must show. */
TEST(only_the_sequential_gate_may_be_looked_at)
{
    enum { PLANNED = 300 };
    static const double rates[] = {.1, .3, .5, .75, .9, .97, .995};
    struct gate_stop stops[PLANNED];

    for (int i = 0; i < 7; i++) {
        struct gate_rule r = {rates[i], .95, GATE_SEQUENTIAL, .5, .5};
        struct plan p;

        gate_stops_each(&r, PLANNED, false, stops);
        p = plan_stopped(stops, PLANNED, rates[i]);
        CHECK_LE(p.pass + p.fail, .05);
    }
    struct gate_rule r = EXACT(.9, .95);

    gate_stops_each(&r, PLANNED, false, stops);
    struct plan p = plan_stopped(stops, PLANNED, .9);

    CHECK_NEAR(p.pass + p.fail, .245, 5e-4);
}

TEST(runs_for_power_are_the_first_that_do)
{
    for (int i = 0; i < RULES; i++) {
        struct gate_rule r = rule_at(i);
        double rate = r.bar + .75 * (1 - r.bar);
        int64_t want = 1;

        while (want <= 700 && plan_fixed(&r, want, rate).pass < .8)
            want++;
        CHECK_EQ(plan_runs(&r, rate, .8, 700), want <= 700 ? want : -1);
    }
    struct gate_rule r = EXACT(.9, .95);

    CHECK_EQ(plan_runs(&r, .97, .8, 10000), 100);
    double least = 1;

    for (int64_t n = 101; n <= 120; n++)
        least = fmin(least, plan_fixed(&r, n, .97).pass);
    CHECK_LE(least, .8); /* the chance saw-tooths: more runs may do worse */
    CHECK_EQ(plan_runs(&r, .9, .8, 10000), -1);
    CHECK_EQ(plan_runs(&r, 1, 1, 10000), 36);
    CHECK_EQ(plan_runs(&r, .97, .8, 99), -1);
}

/* Far beyond what is stepped through at once, and past where the steps are set anew. */
TEST(steps_stay_exact)
{
    struct gate_rule r = EXACT(.9, .95);
    int64_t n = plan_runs(&r, .91, .9, 20000);

    CHECK(n > 9000);
    CHECK_LE(.9, plan_fixed(&r, n, .91).pass);
    for (int64_t fewer = n - 40; fewer < n; fewer++)
        CHECK(plan_fixed(&r, fewer, .91).pass < .9);
}

/* The chance to have passed by then, from a table that is longer than it. */
static double passed_by(const struct gate_rule *r, double rate, int64_t runs)
{
    struct gate_stop *table = malloc(((size_t)runs + 1) * sizeof(*table));

    gate_stops_each(r, runs + 1, false, table);

    double pass = plan_stopped(table, runs, rate).pass;

    free(table);
    return pass;
}

TEST(runs_to_allow_a_gate_that_stops_are_the_fewest)
{
    struct gate_rule r = {.9, .95, GATE_SEQUENTIAL, .5, .5}, bad = EXACT(1.5, .95);

    for (int i = 0; i < 3; i++) {
        const double rates[] = {.95, .97, .99};
        int64_t n = plan_runs_stopped(&r, rates[i], .8, 10000);

        CHECK(n > 53);
        CHECK(passed_by(&r, rates[i], n) >= .8);
        CHECK(passed_by(&r, rates[i], n - 1) < .8);
        CHECK_EQ(plan_runs_stopped(&r, rates[i], .8, n), n);
        CHECK_EQ(plan_runs_stopped(&r, rates[i], .8, n - 1), -1);
    }
    CHECK_EQ(plan_runs_stopped(&r, 1, 1, 10000), 53);
    CHECK_EQ(plan_runs_stopped(&bad, .97, .8, 100), -1);
    CHECK_EQ(plan_runs_stopped(&r, NAN, .8, 100), -1);
}

TEST(nonsense_claims_nothing)
{
    struct gate_rule bad[] = {EXACT(1.5, .95),
                              EXACT(NAN, .95),
                              EXACT(.9, 1),
                              EXACT(.9, 0),
                              {.9, .95, GATE_BAYES, 0, 1},
                              {.9, .4, GATE_SEQUENTIAL, .5, .5}};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_EQ(gate_verdict(&bad[i], 10, 10), GATE_UNDECIDED);
        CHECK_EQ(gate_min_runs(&bad[i]), -1);
        CHECK_EQ(gate_cutoffs(&bad[i], 10).pass_at, -1);
        CHECK_EQ(gate_cutoffs(&bad[i], 10).fail_at, -1);
        CHECK_EQ(plan_runs(&bad[i], .97, .8, 100), -1);
        CHECK(isnan(plan_fixed(&bad[i], 10, .5).pass));
    }
    struct gate_rule r = EXACT(.9, .95), never = EXACT(1, .95), always = EXACT(0, .95);

    CHECK_EQ(gate_verdict(&r, 11, 10), GATE_UNDECIDED);
    CHECK_EQ(gate_verdict(&r, -1, 10), GATE_UNDECIDED);
    CHECK_EQ(gate_decide((struct gate_cutoffs){8, 7}, 10, 8, 3), GATE_UNDECIDED);
    CHECK_EQ(gate_min_runs(&never), -1);
    CHECK_EQ(gate_verdict(&never, 9, 10), GATE_FAIL);
    CHECK_EQ(gate_verdict(&always, 1, 10), GATE_PASS);
    CHECK_EQ(gate_verdict(&always, 0, 10), GATE_UNDECIDED);
}
