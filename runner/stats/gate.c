#include "stats/gate.h"

#include <math.h>

#include "stats/binomial.h"
#include "stats/sequence.h"

static const double TIE = 1e-12;

#define RUNS_MOST INT64_C(1000000000000)

bool gate_rule_sane(const struct gate_rule *rule)
{
    bool ok = rule->bar >= 0 && rule->bar <= 1 && rule->confidence > 0 && rule->confidence < 1;

    if (rule->method == GATE_SEQUENTIAL)
        ok = ok && rule->confidence >= .5;
    if (rule->method == GATE_SEQUENTIAL || rule->method == GATE_BAYES)
        ok = ok && rule->a > 0 && rule->b > 0;
    return ok;
}

/* The score at the bar as two normal tails.  Without variance at the bar any run off it settles
 * the matter, and the others say nothing. */
static struct tails score_tails(double k, double n, double bar)
{
    double off = k - n * bar;
    double score = off / sqrt(n * bar * (1 - bar));

    if (isnan(score))
        return (struct tails){1, 1};
    return (struct tails){.lower = normal_upper(-score), .upper = normal_upper(score)};
}

/* The chance at the bar of as many passes or more in upper, of as many or fewer in lower; for
 * GATE_BAYES the posterior chance of a rate up to the bar in upper, from it on in lower. */
static struct tails tails_at_bar(const struct gate_rule *rule, int64_t k, int64_t n)
{
    if (rule->method == GATE_EXACT)
        return binomial_tails(k, n, rule->bar);
    if (rule->method == GATE_WILSON)
        return score_tails((double)k, (double)n, rule->bar);

    struct tails t =
        beta_tails(rule->a + (double)k, rule->b + (double)(n - k), rule->bar, 1 - rule->bar);

    return (struct tails){.lower = t.upper, .upper = t.lower};
}

static enum gate_verdict verdict_by_tails(const struct gate_rule *rule, int64_t k, int64_t n)
{
    struct tails t = tails_at_bar(rule, k, n);
    double least = .5 * (1 - rule->confidence) * (1 - TIE);

    if (t.upper < least)
        return GATE_PASS;
    return t.lower < least ? GATE_FAIL : GATE_UNDECIDED;
}

static enum gate_verdict verdict_by_wealth(const struct gate_rule *rule, int64_t k, int64_t n)
{
    struct mixture prior = {rule->a, rule->b};
    double log_wealth = sequence_log_wealth_of(k, n, rule->bar, prior);

    if (!(log_wealth > TIE - log(1 - rule->confidence)))
        return GATE_UNDECIDED;
    return (double)k > (double)n * rule->bar ? GATE_PASS : GATE_FAIL;
}

enum gate_verdict gate_verdict(const struct gate_rule *rule, int64_t passes, int64_t runs)
{
    if (!gate_rule_sane(rule) || passes < 0 || passes > runs)
        return GATE_UNDECIDED;
    if (rule->method == GATE_SEQUENTIAL)
        return verdict_by_wealth(rule, passes, runs);
    return verdict_by_tails(rule, passes, runs);
}

/* Fewest passes in [0, runs + 1] that give more than `verdict` in the order FAIL, UNDECIDED,
 * PASS. */
static int64_t first_beyond(const struct gate_rule *rule, int64_t runs, enum gate_verdict verdict)
{
    int64_t low = 0, high = runs + 1;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        enum gate_verdict v = gate_verdict(rule, middle, runs);

        if (v == GATE_PASS || (v == GATE_UNDECIDED && verdict == GATE_FAIL))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct gate_cutoffs gate_cutoffs(const struct gate_rule *rule, int64_t runs)
{
    int64_t pass_at = first_beyond(rule, runs, GATE_UNDECIDED);

    return (struct gate_cutoffs){
        .pass_at = pass_at <= runs ? pass_at : -1,
        .fail_at = first_beyond(rule, runs, GATE_FAIL) - 1,
    };
}

int64_t gate_failures_against_pass(struct gate_cutoffs c, int64_t runs)
{
    return c.pass_at < 0 ? 0 : runs - c.pass_at + 1;
}

int64_t gate_failures_for_fail(struct gate_cutoffs c, int64_t runs)
{
    return c.fail_at < 0 ? -1 : runs - c.fail_at;
}

int64_t gate_min_runs(const struct gate_rule *rule)
{
    int64_t low = 0, high = 1; /* low runs do not do, nor does any number below */

    while (gate_verdict(rule, high, high) != GATE_PASS) {
        if (high > RUNS_MOST)
            return -1;
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (gate_verdict(rule, middle, middle) == GATE_PASS)
            high = middle;
        else
            low = middle;
    }
    return high <= RUNS_MOST ? high : -1;
}

enum gate_verdict gate_decide(struct gate_cutoffs c, int64_t planned, int64_t passes, int64_t fails)
{
    int64_t left = planned - passes - fails;
    bool may_pass = c.pass_at >= 0 && passes + left >= c.pass_at;

    if (passes < 0 || fails < 0 || left < 0)
        return GATE_UNDECIDED;
    if (may_pass && passes >= c.pass_at)
        return GATE_PASS;
    if (passes + left <= c.fail_at)
        return GATE_FAIL;
    return !may_pass && passes > c.fail_at ? GATE_UNDECIDED : GATE_OPEN;
}

enum gate_verdict gate_stop_verdict(const struct gate_stop *stop, int64_t passes)
{
    if (passes >= stop->pass_at)
        return GATE_PASS;
    if (passes <= stop->fail_at)
        return GATE_FAIL;
    return passes >= stop->idle_from && passes <= stop->idle_to ? GATE_UNDECIDED : GATE_OPEN;
}

/* Those who, if nothing but passes followed, would end below pass_at, and if nothing but failures,
 * above fail_at: both of the last run. */
static void stop_idle(struct gate_stop *stop, struct gate_stop last, int64_t left)
{
    stop->idle_from = last.fail_at + 1;
    stop->idle_to = last.pass_at - left - 1;
}

void gate_stops_fixed(struct gate_cutoffs c, int64_t planned, struct gate_stop *ret_stops)
{
    struct gate_stop last = {
        .pass_at = c.pass_at >= 0 ? c.pass_at : planned + 1,
        .fail_at = c.fail_at,
    };

    for (int64_t n = 1; n <= planned; n++) {
        struct gate_stop *stop = &ret_stops[n - 1];
        int64_t left = planned - n;

        stop->pass_at = last.pass_at;
        stop->fail_at = last.fail_at >= left ? last.fail_at - left : -1;
        stop_idle(stop, last, left);
    }
}

void gate_stops_each(const struct gate_rule *rule, int64_t planned, bool futility,
                     struct gate_stop *ret_stops)
{
    struct gate_stop now = {.pass_at = 1, .fail_at = -1, .idle_from = 0, .idle_to = -1};

    for (int64_t n = 1; n <= planned; n++) {
        /* Both ends stay or move up by one with a run; looking also below costs one verdict. */
        while (now.pass_at > 0 && gate_verdict(rule, now.pass_at - 1, n) == GATE_PASS)
            now.pass_at--;
        while (now.pass_at <= n && gate_verdict(rule, now.pass_at, n) != GATE_PASS)
            now.pass_at++;
        while (now.fail_at >= 0 && gate_verdict(rule, now.fail_at, n) != GATE_FAIL)
            now.fail_at--;
        while (now.fail_at < n && gate_verdict(rule, now.fail_at + 1, n) == GATE_FAIL)
            now.fail_at++;
        ret_stops[n - 1] = now;
    }
    for (int64_t n = futility ? 1 : planned; n <= planned; n++)
        stop_idle(&ret_stops[n - 1], now, planned - n);
}

int64_t gate_first_all_pass(const struct gate_stop *stops, int64_t planned)
{
    for (int64_t n = 1; n <= planned; n++) {
        if (n >= stops[n - 1].pass_at)
            return n;
    }
    return -1;
}

int64_t gate_first_all_fail(const struct gate_stop *stops, int64_t planned)
{
    for (int64_t n = 1; n <= planned; n++) {
        if (stops[n - 1].fail_at >= 0)
            return n;
    }
    return -1;
}
