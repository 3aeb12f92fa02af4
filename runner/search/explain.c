/* From how the baseline came out to its cause: failures and passes both, failures alone, none. */
#include "search/explain.h"

#include "search/phases.h"

#include <string.h>

#define BROKEN_PROCESSES 60 /* one that passes in 5 % of processes is met in 95 of 100 cases */
#define WIDER_RUNS       100
#define QUIET_FRESH      6
#define DEEP_PROCESSES   170 /* a cause in 2 % of processes is met in 97 of 100 diagnoses */

static unsigned differences(const struct campaign *c, const struct setting *a,
                            const struct setting *b)
{
    unsigned n = 0;
    for (enum fd_axis i = 0; i < FD_AXIS_COUNT; i++)
        if (setting_holds(a, i) != setting_holds(b, i) || strcmp(a->value[i], b->value[i]) != 0)
            n += (c->source->at_start & axis_bit(i)) ? 8 : 1;
    return n;
}

/* The nth failing run of the most frequent kind, and the passing run that differs from it least:
 * from the same process if there is one, since then fewer axes are left to ask about. */
static bool choose_pair(const struct campaign *c, unsigned nth, const struct run **ret_failing,
                        const struct run **ret_passing)
{
    const struct fingerprint *like = &c->finding->baseline.print[0].print;
    const struct run *f = NULL, *p = NULL;
    for (size_t i = 0; i < c->runs && !f; i++)
        if (outcome_failed(&c->run[i].outcome) &&
            fingerprint_same(&c->run[i].outcome.print, like) && nth-- == 0)
            f = &c->run[i];
    unsigned least = UINT32_MAX;
    for (size_t i = 0; f && i < c->runs; i++) {
        if (outcome_failed(&c->run[i].outcome))
            continue;
        unsigned d = differences(c, &f->at, &c->run[i].at);
        if (d < least) {
            least = d;
            p = &c->run[i];
        }
    }
    *ret_failing = f;
    *ret_passing = p;
    return f && p;
}

static int go_fresh(struct campaign *c, struct err *e)
{
    finding_warn(c->finding, "warm and fresh runs disagree: only fresh processes count");
    c->fresh_only = true;
    c->runs = 0;
    c->processes = 0;
    c->finding->baseline = (struct baseline){0};
    /* Most of the budget is for the question why. */
    return baseline_fresh(c, campaign_affords(c, 3 * 60, TIER_FRESH) ? 60 : MINIMUM_RUNS, e);
}

/* Chance plays a part: more runs say how much, and whether some processes stand out. */
static int widen(struct campaign *c, struct err *e)
{
    const struct baseline_plan plan = {.processes = QUIET_PROCESSES,
                                       .each = 12,
                                       .runs = WIDER_RUNS,
                                       .share_ns = campaign_left_ns(c) / 4};
    if (!c->fresh_only && baseline_draw(c, &plan, e) < 0)
        return -1;
    baseline_sum(c);
    return 0;
}

enum pair_says { PAIR_NOTHING, PAIR_CANDIDATE, PAIR_AGAIN };

/* What a failing and a passing run say. AGAIN: warm runs do not count any more, and there are new
 * ones to look at. */
static int explain_pair(struct campaign *c, const struct run *pair[2], struct candidate *ret,
                        enum pair_says *ret_says, struct err *e)
{
    const struct run *f = pair[0], *p = pair[1];
    enum replay how;
    enum transplanted moved = TRANSPLANT_NONE;
    bool never_fresh = false;
    if (replay_pair(c, f, p, &how, e) < 0)
        return -1;
    if (how == REPLAY_VARIES && replay_never_fresh(c, f, &never_fresh, e) < 0)
        return -1;
    if (how == REPLAY_VARIES && !never_fresh) {
        c->varies = true;
        baseline_sum(c);
    }
    if (how == REPLAY_SAME && transplant(c, f, p, ret, &moved, e) < 0)
        return -1;
    *ret_says = moved == TRANSPLANT_FOUND ? PAIR_CANDIDATE : PAIR_NOTHING;
    if (never_fresh ||
        (!c->fresh_only && (how == REPLAY_TIERS_DIFFER || moved == TRANSPLANT_NOT_EVEN_ALL))) {
        *ret_says = PAIR_AGAIN;
        return go_fresh(c, e);
    }
    return 0;
}

/* Values that nature seldom draws, until one stands or there are no more. */
static int provoke_all(struct campaign *c, double rate, bool *ret_done, bool *ret_short,
                       struct err *e)
{
    struct candidate list[CANDIDATES_MAX];
    size_t n = 1;
    while (n > 0 && !*ret_done)
        if (provoke(c, rate, list, &n, e) < 0 || settle_all(c, list, n, ret_done, ret_short, e) < 0)
            return -1;
    return 0;
}

/* Failures and passes are both there: play them again, then move axes from one to the other. */
int explain_mixed(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e)
{
    struct candidate list[CANDIDATES_MAX];
    const struct run *pair[2];
    enum pair_says says;
    for (unsigned nth = 0; nth < 2 && choose_pair(c, nth, &pair[0], &pair[1]); nth++) {
        if (!campaign_affords(c, 6, TIER_FRESH)) {
            *ret_short = true;
            return 0;
        }
        if (explain_pair(c, pair, &list[0], &says, e) < 0)
            return -1;
        if (says == PAIR_AGAIN)
            return explain_mixed(c, ret_done, ret_short, e);
        if (settle_all(c, list, says == PAIR_CANDIDATE, ret_done, ret_short, e) < 0)
            return -1;
        if (*ret_done)
            return 0;
    }
    if (widen(c, e) < 0)
        return -1;
    double rate = (double)c->finding->baseline.failed / c->finding->baseline.runs;
    return provoke_all(c, rate, ret_done, ret_short, e);
}

/* The tests before it: cheap to ask, and the most frequent cause. */
int ask_order(struct campaign *c, enum before_level last, bool *ret_done, bool *ret_short,
              struct err *e)
{
    struct candidate k;
    bool found = false;
    int did = c->finding->baseline.failed ? order_that_passes(c, last, &k, &found, e)
                                          : order_that_fails(c, last, &k, &found, e);
    return did < 0 ? -1 : settle_all(c, &k, found, ret_done, ret_short, e);
}

int explain_always(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e)
{
    struct candidate list[CANDIDATES_MAX];
    size_t n = 0;
    if (c->runs == 0)
        return 0;
    if (provoke_passes(c, &c->run[0], list, &n, e) < 0 ||
        settle_all(c, list, n, ret_done, ret_short, e) < 0)
        return -1;
    if (!*ret_done && ask_order(c, BEFORE_FOLDER, ret_done, ret_short, e) < 0)
        return -1;
    if (*ret_done || c->fresh_only || c->brief)
        return 0;
    /* A test that passes with few hash seeds only looks broken until one of them is drawn. */
    const struct baseline_plan deep = {.processes = BROKEN_PROCESSES,
                                       .each = 4,
                                       .share_ns = campaign_left_ns(c) / 3,
                                       .stop_when_mixed = true,
                                       .persist = true};
    if (baseline_draw(c, &deep, e) < 0)
        return -1;
    baseline_sum(c);
    if (c->finding->baseline.failed < c->finding->baseline.runs)
        return explain_mixed(c, ret_done, ret_short, e);
    return 0;
}

/* What nature seldom draws: values, and what ran before. */
static int ask_the_unlikely(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e)
{
    struct candidate self;
    bool found = false;
    if (provoke_all(c, 0, ret_done, ret_short, e) < 0)
        return -1;
    if (!*ret_done && ask_order(c, BEFORE_FOLDER, ret_done, ret_short, e) < 0)
        return -1;
    if (*ret_done || order_self(c, &self, &found, e) < 0)
        return *ret_done ? 0 : -1;
    return settle_all(c, &self, found, ret_done, ret_short, e);
}

/* Nothing failed: adversarial values, then more draws of what only a new process draws. */
int explain_quiet(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e)
{
    struct candidate several;
    bool found = false;
    if (ask_the_unlikely(c, ret_done, ret_short, e) < 0)
        return -1;
    if (*ret_done)
        return 0;
    /* What a warm process hides (its heap, its collector) shows in a few more fresh ones. */
    if (!c->fresh_only && baseline_fresh(c, QUIET_FRESH, e) < 0)
        return -1;
    baseline_sum(c);
    if (c->finding->baseline.failed)
        return explain_mixed(c, ret_done, ret_short, e);
    if (combine_values(c, &several, &found, e) < 0 ||
        settle_all(c, &several, found, ret_done, ret_short, e) < 0)
        return -1;
    if (*ret_done || c->fresh_only)
        return 0;
    const struct baseline_plan deep = {.processes = DEEP_PROCESSES,
                                       .each = 4,
                                       .runs = QUIET_RUNS,
                                       .share_ns = campaign_left_ns(c) / 2,
                                       .stop_when_mixed = true};
    if (baseline_draw(c, &deep, e) < 0)
        return -1;
    baseline_sum(c);
    if (c->finding->baseline.failed)
        return explain_mixed(c, ret_done, ret_short, e);
    return 0;
}
