/* The order of the questions. Each phase answers one; what is claimed rests on verify() alone. */
#include "search/diagnose.h"

#include "base/clock.h"
#include "search/phases.h"
#include "stats/interval.h"

#include <stdlib.h>
#include <string.h>

#define QUIET_RUNS       300 /* no failure in so many: below 1 % (one-sided 95 %) */
#define QUIET_PROCESSES  12
#define BROKEN_PROCESSES 60 /* one that passes in 5 % of processes is met in 95 of 100 cases */
#define WIDER_RUNS       100
#define QUIET_FRESH      6
#define DEEP_PROCESSES   170 /* a cause in 2 % of processes is met in 97 of 100 diagnoses */
#define MINIMUM_RUNS     20  /* fewer say nothing: incomplete */

static void conclude(struct campaign *c, const struct candidate *k, const struct verdict_of *v)
{
    struct finding *f = c->finding;
    f->verdict = VERDICT_FLAKY;
    f->strength = k->has_passing ? v->strength : STRENGTH_UNCONFIRMED;
    f->print = k->print;
    text_copy(f->message, sizeof f->message, k->message);
    f->claim = CLAIM_LATENT;
    for (size_t i = 0; i < f->baseline.prints; i++)
        if (fingerprint_same(&f->baseline.print[i].print, &k->print))
            f->claim = CLAIM_OBSERVED;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT && f->causes < CAUSES_MAX; a++) {
        if (!(k->axes & axis_bit(a)))
            continue;
        struct cause *cause = &f->cause[f->causes++];
        *cause = (struct cause){.axis = a};
        text_copy(cause->value, sizeof cause->value, k->failing.value[a]);
        text_copy(cause->benign, sizeof cause->benign,
                  setting_holds(&k->benign, a) ? k->benign.value[a] : k->passing.value[a]);
        setting_hold(&f->repro.setting, a, k->failing.value[a]);
        if (c->source->ops->witness)
            cause->witnesses = c->source->ops->witness(c->source, a, &k->failing, &k->passing,
                                                       cause->witness, WITNESS_MAX);
    }
    f->verify.runs = v->failing_runs;
    f->verify.failed = v->failing_failed;
    f->verify.low = interval_low(v->failing_failed, v->failing_runs, 0.95);
    struct setting shown = k->passing;
    shown.held &= k->axes;
    own_text struct text value = {0};
    setting_text(&shown, &value);
    text_copy(f->counterfactual.value, sizeof f->counterfactual.value, text_str(&value));
    f->counterfactual.runs = v->passing_runs;
    f->counterfactual.failed = v->passing_failed;
}

/* The whole setting fails every time, the axes held do not make it certain: the axis that does,
 * if there is one and it is shown to be needed. */
static int grow(struct campaign *c, struct candidate *k, struct verdict_of *v, struct err *e)
{
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        if ((k->axes & axis_bit(a)) || !setting_holds(&k->failing, a) ||
            !campaign_affords(c, 30, TIER_FRESH))
            continue;
        struct candidate wider = *k;
        struct verdict_of w;
        bool needed = false;
        wider.axes |= axis_bit(a);
        if (verify(c, &wider, &w, e) < 0)
            return -1;
        if (w.strength != STRENGTH_ALWAYS)
            continue;
        if (shrink_need(c, &wider, a, &needed, e) < 0)
            return -1;
        if (needed) {
            *k = wider;
            *v = w;
            return 0;
        }
    }
    return 0;
}

/* Axes that came into the set by chance go again: without one the finding stands as well. */
static int thin_out(struct campaign *c, struct candidate *k, struct verdict_of *v, struct err *e)
{
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT && __builtin_popcount(k->axes) > 1; a++) {
        struct candidate less = *k;
        struct verdict_of w;
        if (!(k->axes & axis_bit(a)) || !campaign_affords(c, 20, TIER_FRESH))
            continue;
        less.axes &= ~axis_bit(a);
        if (verify(c, &less, &w, e) < 0)
            return -1;
        bool needed = w.strength == STRENGTH_NONE;
        if (w.strength == STRENGTH_ELEVATES && v->strength == STRENGTH_ALWAYS &&
            shrink_need(c, k, a, &needed, e) < 0) /* one miss in ten may be chance */
            return -1;
        if (!needed) {
            *k = less;
            *v = w;
        }
    }
    return 0;
}

/* Puts one candidate to the test; *ret_done: it stands, and the finding says so. */
static int settle(struct campaign *c, struct candidate *k, bool *ret_done, bool *ret_short,
                  struct err *e)
{
    struct verdict_of v;
    if (shrink(c, k, e) < 0)
        return -1;
    if (!k->has_passing) {
        finding_warn(c->finding, "no value of the axis was found with which the test passes");
        *ret_short |= !campaign_affords(c, 4, TIER_FRESH);
        return 0;
    }
    if (verify(c, k, &v, e) < 0)
        return -1;
    *ret_short |= v.short_of_budget && v.strength == STRENGTH_NONE;
    uint32_t before = k->axes;
    if (v.strength != STRENGTH_ALWAYS && !v.short_of_budget && grow(c, k, &v, e) < 0)
        return -1;
    bool grown = k->axes != before;
    if (v.strength == STRENGTH_NONE)
        return 0;
    if (!grown && thin_out(c, k, &v, e) < 0)
        return -1;
    conclude(c, k, &v);
    *ret_done = true;
    return 0;
}

static int settle_all(struct campaign *c, struct candidate *list, size_t n, bool *ret_done,
                      bool *ret_short, struct err *e)
{
    for (size_t i = 0; i < n && !*ret_done; i++)
        if (settle(c, &list[i], ret_done, ret_short, e) < 0)
            return -1;
    return 0;
}

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
    return baseline_fresh(c, 60, e);
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

/* Failures and passes are both there: play them again, then move axes from one to the other. */
static int explain_mixed(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e)
{
    const struct run *f, *p;
    for (unsigned nth = 0; nth < 2 && !*ret_done; nth++) {
        enum replay how;
        struct candidate k;
        enum transplanted found;
        if (!choose_pair(c, nth, &f, &p))
            break;
        if (!campaign_affords(c, 6, TIER_FRESH)) {
            *ret_short = true;
            return 0;
        }
        if (replay_pair(c, f, p, &how, e) < 0)
            return -1;
        if (how == REPLAY_TIERS_DIFFER && !c->fresh_only) {
            if (go_fresh(c, e) < 0)
                return -1;
            return explain_mixed(c, ret_done, ret_short, e);
        }
        bool never_fresh = false;
        if (how == REPLAY_VARIES && replay_never_fresh(c, f, &never_fresh, e) < 0)
            return -1;
        if (never_fresh) {
            if (go_fresh(c, e) < 0)
                return -1;
            return explain_mixed(c, ret_done, ret_short, e);
        }
        if (how != REPLAY_SAME) {
            c->varies = true;
            baseline_sum(c);
            continue;
        }
        if (transplant(c, f, p, &k, &found, e) < 0)
            return -1;
        if (found == TRANSPLANT_NOT_EVEN_ALL && !c->fresh_only) {
            if (go_fresh(c, e) < 0)
                return -1;
            return explain_mixed(c, ret_done, ret_short, e);
        }
        if (found == TRANSPLANT_FOUND && settle(c, &k, ret_done, ret_short, e) < 0)
            return -1;
    }
    if (*ret_done)
        return 0;
    if (widen(c, e) < 0)
        return -1;
    struct candidate list[CANDIDATES_MAX];
    size_t n = 0;
    double rate = (double)c->finding->baseline.failed / c->finding->baseline.runs;
    if (provoke(c, rate, list, &n, e) < 0)
        return -1;
    return settle_all(c, list, n, ret_done, ret_short, e);
}

static int explain_always(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e)
{
    struct candidate list[CANDIDATES_MAX];
    size_t n = 0;
    if (c->runs == 0)
        return 0;
    if (provoke_passes(c, &c->run[0], list, &n, e) < 0 ||
        settle_all(c, list, n, ret_done, ret_short, e) < 0)
        return -1;
    if (*ret_done || c->fresh_only)
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

/* Nothing failed: adversarial values, then more draws of what only a new process draws. */
static int explain_quiet(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e)
{
    struct candidate list[CANDIDATES_MAX];
    size_t n = 0;
    /* What a warm process hides (its heap, its collector) shows in a few more fresh ones. */
    if (!c->fresh_only && baseline_fresh(c, QUIET_FRESH, e) < 0)
        return -1;
    baseline_sum(c);
    if (c->finding->baseline.failed)
        return explain_mixed(c, ret_done, ret_short, e);
    if (provoke(c, 0, list, &n, e) < 0 || settle_all(c, list, n, ret_done, ret_short, e) < 0)
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

static bool is_hang(const struct campaign *c)
{
    const struct baseline *b = &c->finding->baseline;
    return b->failed == b->runs && b->prints == 1 && strcmp(b->print[0].print.type, "<hang>") == 0;
}

static int draw_baseline(struct campaign *c, struct err *e)
{
    const struct baseline_plan plan = {.processes = QUIET_PROCESSES,
                                       .each = 26,
                                       .runs = QUIET_RUNS,
                                       .share_ns = campaign_left_ns(c) * 2 / 5,
                                       .stop_when_mixed = true};
    if (c->fresh_only)
        return baseline_fresh(c, 60, e);
    if (baseline_fresh(c, 2, e) < 0)
        return -1;
    if (c->finding->baseline.runs && is_hang(c))
        return 0;
    return baseline_draw(c, &plan, e);
}

static void note_skipped_axes(struct campaign *c)
{
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        if (!(c->source->axes & axis_bit(a)))
            finding_skip(c->finding, a, "left out by --axes");
        else if ((c->source->hooked & axis_bit(a)) && !(c->touched & axis_bit(a)))
            finding_skip(c->finding, a, "the test does not touch it");
    }
}

static void give_verdict(struct campaign *c, bool short_of_budget)
{
    struct finding *f = c->finding;
    const struct baseline *b = &f->baseline;
    if (b->failed && b->failed < b->runs)
        f->verdict = VERDICT_UNATTRIBUTED;
    else if (b->runs == 0 || short_of_budget || c->unfinished ||
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
    if (draw_baseline(c, e) < 0)
        return -1;
    baseline_sum(c);
    if (b->runs == 0 || (is_hang(c) && b->runs >= 2))
        return 0;
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
                         .fresh_only = d->fresh_only};
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
