/* The runs of the experiment over worker counts, and what they amount to. */
#include "search/concurrency_impl.h"

#include "stats/interval.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 8, BLOCK_XDIST = 2 }; /* runs; the first is divided by every worker count */

void experiment_conditions(struct concurrency *k, bool xdist)
{
    static const struct condition all[] = {
        {.type = CONDITION_WORKER, .workers = 1, .same_as = -1, .reference = -1},
        {.type = CONDITION_WORKER, .workers = 2, .same_as = -1},
        {.type = CONDITION_WORKER, .workers = 4, .same_as = -1},
        {.type = CONDITION_WORKER, .workers = 8, .same_as = -1},
        {.type = CONDITION_MODE, .workers = 1, .same_as = 0, .reference = -1},
        {.type = CONDITION_MODE, .workers = 4, .same_as = 2},
        /* So that only the delay differs. */
        {.type = CONDITION_TIMING, .workers = 4, .delay_ms = 10, .same_as = -1, .reference = 2},
        {.type = CONDITION_TIMING, .workers = 4, .delay_ms = 20, .same_as = -1, .reference = 2},
    };
    *k = (struct concurrency){.block = xdist ? BLOCK_XDIST : BLOCK, .trend_p = -1};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (xdist && all[i].type == CONDITION_TIMING) /* its workers start as they do */
            continue;
        struct condition *c = &k->condition[k->conditions++];
        *c = all[i];
        c->xdist = xdist && c->workers > 1;
        c->p = c->p_adjusted = -1;
    }
}

void experiment_value(const struct condition *c, char *ret_value)
{
    if (c->delay_ms)
        snprintf(ret_value, SETTING_VALUE_MAX, "copies:%u:%ums", c->workers, c->delay_ms);
    else
        snprintf(ret_value, SETTING_VALUE_MAX, c->xdist ? "xdist:%u" : "copies:%u", c->workers);
}

static void count_trial(struct experiment *x, int condition, unsigned copies,
                        const struct outcome *o, struct counts *ret)
{
    struct finding *f = x->c->finding;
    if (!outcome_ran(o) && o->took_ns == 0)
        return; /* the budget was over before it began */
    unsigned told = o->passed + o->failed + o->unknown;
    ret->passed += o->passed;
    ret->failed += o->failed;
    ret->unknown += o->unknown + (copies > told ? copies - told : 0);
    ret->trials++;
    ret->trials_failed += o->failed > 0;
    f->stats.trials += copies - 1;
    f->stats.fresh += copies - 1;
    if (o->failed == 0)
        return;
    x->last[condition] = *o;
    if (copies == 1)
        baseline_note(&f->baseline, o);
}

int experiment_block(struct experiment *x, int condition, struct counts *ret, struct err *e)
{
    const struct condition *c = &x->k->condition[condition];
    unsigned copies = c->xdist ? 1 : c->workers, n = x->k->block / copies;
    struct trial t[BLOCK];
    struct outcome got[BLOCK];
    char value[SETTING_VALUE_MAX];
    int64_t began = x->c->source->ops->now_ns(x->c->source);
    experiment_value(c, value);
    for (unsigned i = 0; i < n; i++) {
        t[i] = (struct trial){.tier = TIER_FRESH, .spare = (unsigned)(campaign_random(x->c) % 4)};
        campaign_draw(x->c, &t[i].at);
        setting_hold(&t[i].at, FD_AXIS_WORKERS, value);
    }
    *ret = (struct counts){0};
    if (campaign_run(x->c, t, n, got, NULL, e) < 0)
        return -1;
    for (unsigned i = 0; i < n; i++)
        count_trial(x, condition, copies, &got[i], ret);
    x->cost_ns[condition] = x->c->source->ops->now_ns(x->c->source) - began;
    own_text struct text what = {0};
    struct row so_far = {.runs = counts_judged(ret), .failed = ret->failed};
    text_addf(&what, "workers=%s", value);
    campaign_tell(x->c, text_str(&what), x->k->block, &so_far);
    return 0;
}

/* As it was last; else as the dearest of the others was: the first run of all is no measure, it
 * found everything cold. */
int64_t experiment_block_ns(const struct experiment *x, int condition)
{
    int64_t most = 0;
    for (size_t i = 0; i < x->k->conditions; i++)
        most = x->cost_ns[i] > most ? x->cost_ns[i] : most;
    if (x->cost_ns[condition])
        return x->cost_ns[condition];
    return most ? most : (int64_t)x->k->block * x->c->source->fresh_ns / 4;
}

/* The arm whose turn it is: a random one, each with the chance of its blocks that are left. */
static struct arm *next_arm(struct experiment *x, struct arm *arms, size_t n)
{
    unsigned left = 0;
    for (size_t i = 0; i < n; i++)
        left += arms[i].planned - arms[i].done;
    if (left == 0)
        return NULL;
    uint64_t at = campaign_random(x->c) % left;
    size_t i = 0;
    for (; at >= arms[i].planned - arms[i].done; i++)
        at -= arms[i].planned - arms[i].done;
    return &arms[i];
}

/* All blocks of a stage, in one random order. Ends early where the budget does. */
int experiment_arms(struct experiment *x, struct arm *arms, size_t n, struct err *e)
{
    for (struct arm *a; (a = next_arm(x, arms, n)) != NULL;) {
        if (campaign_left_ns(x->c) < experiment_block_ns(x, a->condition)) {
            x->k->unfinished = true;
            return 0;
        }
        struct counts *one = &a->each[a->done];
        if (experiment_block(x, a->condition, one, e) < 0)
            return -1;
        if (counts_total(one) == 0) { /* the budget was over before it began */
            x->k->unfinished = true;
            return 0;
        }
        a->failed[a->done++] = one->failed;
    }
    return 0;
}

void arm_sum(const struct arm *a, unsigned from, unsigned to, struct counts *ret)
{
    *ret = (struct counts){0};
    for (unsigned i = from; i < to; i++)
        counts_add(ret, &a->each[i]);
}

/* ---- what they amount to --------------------------------------------------------------------- */

static void add_rows(struct experiment *x)
{
    for (size_t i = 0; i < x->k->conditions; i++) {
        const struct condition *c = &x->k->condition[i];
        char value[SETTING_VALUE_MAX];
        if (c->same_as >= 0)
            continue;
        struct row *r = evidence_add(&x->c->finding->evidence,
                                     c->reference < 0 ? "baseline" : "condition", TIER_FRESH);
        experiment_value(c, value);
        row_about(r, FD_AXIS_WORKERS, value);
        r->runs = counts_judged(&c->n);
        r->failed = c->n.failed;
        r->p = c->p;
        r->p_adjusted = c->p_adjusted;
    }
}

static void sum_baseline(struct experiment *x)
{
    const struct counts *n = &x->k->condition[0].n;
    struct baseline *b = &x->c->finding->baseline;
    b->runs = b->units = b->processes = counts_judged(n);
    b->failed = b->units_failed = n->failed;
    b->rate = counts_rate(n);
    struct interval i = interval_exact(n->failed, counts_judged(n), 0.95);
    b->low = i.low;
    b->high = i.high;
}

/* The best candidate that stood both times, or NULL. */
static const struct ranked *reproduced(const struct concurrency *k)
{
    for (size_t i = 0; i < k->candidates; i++)
        if (k->candidate[i].reproduction.standing == STANDING_CONFIRMED)
            return &k->candidate[i];
    return NULL;
}

static void blame(struct experiment *x, const struct ranked *r)
{
    struct finding *f = x->c->finding;
    const struct condition *c = &x->k->condition[r->condition];
    const struct stage *s = &r->reproduction;
    struct cause *cause = &f->cause[f->causes++];
    *cause = (struct cause){.axis = FD_AXIS_WORKERS};
    experiment_value(c, cause->value);
    experiment_value(&x->k->condition[c->reference], cause->benign);
    setting_hold(&f->repro.setting, FD_AXIS_WORKERS, cause->value);
    f->verdict = VERDICT_FLAKY;
    f->claim = x->k->condition[0].n.failed ? CLAIM_OBSERVED : CLAIM_LATENT;
    f->verify.runs = s->n.trials;
    f->verify.failed = s->n.trials_failed;
    f->verify.low = interval_low(s->n.trials_failed, s->n.trials, 0.95);
    f->counterfactual.runs = s->reference.trials;
    f->counterfactual.failed = s->reference.trials_failed;
    snprintf(f->counterfactual.value, sizeof f->counterfactual.value, "workers=%.80s",
             cause->benign);
    bool always = f->verify.failed == f->verify.runs && f->counterfactual.failed == 0;
    f->strength = always ? STRENGTH_ALWAYS : STRENGTH_ELEVATES;
    f->print = x->last[r->condition].print;
    text_copy(f->message, sizeof f->message, x->last[r->condition].message);
}

void experiment_conclude(struct experiment *x)
{
    struct finding *f = x->c->finding;
    struct concurrency *k = x->k;
    const struct counts *n = &k->condition[0].n;
    const struct ranked *best = reproduced(k);
    unsigned judged = counts_judged(n);
    sum_baseline(x);
    add_rows(x);
    for (size_t i = 0; i < k->candidates; i++)
        k->flaky |= k->candidate[i].confirmation.standing == STANDING_CONFIRMED;
    k->flaky |= n->failed > 0;
    if (best) {
        blame(x, best);
        return;
    }
    if (n->failed && n->failed < judged)
        f->verdict = VERDICT_UNATTRIBUTED;
    else if (k->unfinished || judged == 0)
        f->verdict = VERDICT_INCOMPLETE;
    else if (n->failed)
        f->verdict = VERDICT_DETERMINISTIC;
    else
        f->verdict = k->flaky ? VERDICT_UNATTRIBUTED : VERDICT_NOT_FLAKY;
    if (n->failed) {
        f->print = f->baseline.print[0].print;
        text_copy(f->message, sizeof f->message, f->baseline.print[0].message);
        f->claim = f->verdict == VERDICT_UNATTRIBUTED ? CLAIM_OBSERVED : CLAIM_NONE;
    }
}
