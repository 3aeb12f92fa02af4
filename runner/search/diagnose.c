/* The order of the questions. Each phase answers one; what is claimed rests on verify() alone. */
#include "search/diagnose.h"

#include "base/clock.h"
#include "search/explain.h"
#include "search/phases.h"

#include <stdlib.h>
#include <string.h>

#define FEW_RUNS 24 /* before the tests before it are looked at */

static bool is_hang(const struct campaign *c)
{
    const struct baseline *b = &c->finding->baseline;
    return b->failed == b->runs && b->prints == 1 && strcmp(b->print[0].print.type, "<hang>") == 0;
}

static int few_runs(struct campaign *c, struct err *e)
{
    const struct baseline_plan plan = {.processes = 2,
                                       .each = 12,
                                       .runs = FEW_RUNS,
                                       .share_ns = campaign_left_ns(c) / 5,
                                       .stop_when_mixed = true};
    if (c->fresh_only)
        return baseline_fresh(c, 12, e);
    if (baseline_fresh(c, 2, e) < 0)
        return -1;
    if (c->finding->baseline.runs && is_hang(c))
        return 0;
    return baseline_draw(c, &plan, e);
}

/* A slow test's get no more than a part of the budget: values that are likely to make it fail are
 * asked for before the last of so many runs, and explain_quiet() makes up for those left out. A
 * quick test's are all made, if as much is left for the values. */
static int all_runs(struct campaign *c, struct err *e)
{
    struct baseline_plan plan = {.processes = QUIET_PROCESSES,
                                 .each = 50,
                                 .runs = QUIET_RUNS,
                                 .share_ns = campaign_left_ns(c) / 6,
                                 .stop_when_mixed = true};
    unsigned jobs = c->source->jobs ? c->source->jobs : 1, starts = QUIET_RUNS / plan.each;
    int64_t need =
        (QUIET_RUNS * campaign_cost_ns(c, TIER_WARM) + starts * campaign_cost_ns(c, TIER_FRESH)) /
        jobs;
    if (need <= campaign_left_ns(c) / 2)
        plan.share_ns = campaign_left_ns(c) / 2;
    const struct baseline *b = &c->finding->baseline;
    if (c->brief && b->failed == b->runs) { /* what another process draws is still worth a look */
        plan.each = 2;
        plan.runs = FEW_RUNS;
    }
    return c->fresh_only ? baseline_fresh(c, 48, e) : baseline_draw(c, &plan, e);
}

static void note_skipped_axes(struct campaign *c)
{
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        if (setting_holds(&c->finding->repro.setting, a))
            continue; /* it is the cause */
        if (c->source->unfit & axis_bit(a))
            finding_skip(c->finding, a, "this target has none");
        else if (!(c->source->axes & axis_bit(a)))
            finding_skip(c->finding, a, "left out by --axes");
        else if ((c->source->hooked & axis_bit(a)) && !(c->touched & axis_bit(a)))
            finding_skip(c->finding, a, "the test does not touch it");
        else if (a == FD_AXIS_ORDER && c->before_next == BEFORE_LEVELS && !c->before_known)
            finding_skip(c->finding, a, "no other test stands near it");
    }
}

static void give_verdict(struct campaign *c, bool short_of_budget)
{
    struct finding *f = c->finding;
    const struct baseline *b = &f->baseline;
    f->unfinished = short_of_budget || c->unfinished;
    if (b->failed && b->failed < b->runs)
        f->verdict = VERDICT_UNATTRIBUTED;
    else if (b->runs == 0 || f->unfinished ||
             (b->runs < MINIMUM_RUNS && !is_hang(c) && (b->failed == 0 || b->failed == b->runs)))
        f->verdict = VERDICT_INCOMPLETE;
    else if (b->failed)
        f->verdict = is_hang(c) ? VERDICT_HANG : VERDICT_DETERMINISTIC;
    else
        f->verdict = VERDICT_NOT_FLAKY;
    if (b->failed) {
        f->print = b->print[0].print;
        text_copy(f->message, sizeof f->message, b->print[0].message);
        f->claim = f->verdict == VERDICT_UNATTRIBUTED ? CLAIM_OBSERVED : CLAIM_NONE;
    }
}

static int search(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e)
{
    struct baseline *b = &c->finding->baseline;
    if (few_runs(c, e) < 0)
        return -1;
    baseline_sum(c);
    if (b->runs == 0 || (is_hang(c) && b->runs >= 2))
        return 0;
    if ((b->failed == 0 || b->failed == b->runs) &&
        ask_order(c, BEFORE_FILE, ret_done, ret_short, e) < 0)
        return -1;
    if (*ret_done)
        return 0;
    if (all_runs(c, e) < 0)
        return -1;
    baseline_sum(c);
    if (b->failed == 0)
        return explain_quiet(c, ret_done, ret_short, e);
    if (b->failed == b->runs)
        return explain_always(c, ret_done, ret_short, e);
    return explain_mixed(c, ret_done, ret_short, e);
}

int diagnose(struct source *s, const struct diagnosis *d, struct watch *w, struct finding *f,
             struct err *e)
{
    struct campaign c = {.source = s,
                         .watch = w,
                         .finding = f,
                         .seed = d->seed,
                         .seen = d->first,
                         .first = d->first,
                         .touched = d->first.changed,
                         .least_runs = d->runs,
                         .fresh_only = d->fresh_only,
                         .brief = d->brief};
    bool done = false, short_of_budget = false;
    c.began_ns = s->ops->now_ns(s);
    c.deadline_ns = c.began_ns + d->budget_ns;
    c.run = mem_or_die(RUNS_MAX * sizeof *c.run);
    f->seed = d->seed;
    int did = search(&c, &done, &short_of_budget, e);
    if (f->baseline.runs && f->baseline.high == 0)
        baseline_sum(&c);
    note_skipped_axes(&c);
    if (did < 0 && !done)
        f->verdict = VERDICT_INCOMPLETE;
    else if (!done)
        give_verdict(&c, short_of_budget);
    f->stats.seconds = (double)(s->ops->now_ns(s) - c.began_ns) / (double)NS_PER_S;
    free(c.run);
    return did;
}
