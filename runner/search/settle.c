/* One candidate put to the test, and what the finding says when it stands. */
#include "search/phases.h"

#include "stats/interval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where no line was seen to read it, the one that fails has to do. */
static void witness_failure(struct cause *cause, const struct fingerprint *print)
{
    const char *colon = strrchr(print->site, ':');
    unsigned long line = colon ? strtoul(colon + 1, NULL, 10) : 0;
    if (cause->witnesses || line == 0)
        return;
    struct witness *w = &cause->witness[cause->witnesses++];
    *w = (struct witness){.axis = cause->axis, .line = (unsigned)line, .count = 1};
    text_copy(w->call, sizeof w->call, "failure");
    snprintf(w->file, sizeof w->file, "%.*s", (int)(colon - print->site), print->site);
}

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
    if (outcome_failed(&c->first) && fingerprint_same(&c->first.print, &k->print))
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
        if (c->source->ops->witness)
            witness_failure(cause, &k->print);
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

/* Held at the failing value some runs failed and some passed: what these differ in beside it, moved
 * over axis by axis, is what has to come together with it. */
static int grow_by_transplant(struct campaign *c, struct candidate *k, struct verdict_of *v,
                              struct err *e)
{
    enum transplanted how;
    struct candidate with, wider = *k;
    struct verdict_of w;
    if (!v->mixed || !campaign_affords(c, 20, TIER_FRESH))
        return 0;
    if (transplant(c, &v->failed, &v->passed, &with, &how, e) < 0)
        return -1;
    if (how != TRANSPLANT_FOUND)
        return 0;
    wider.axes |= with.axes;
    wider.failing = v->failed.at;
    wider.passing = v->passed.at;
    setting_take(&wider.passing, &k->passing, k->axes);
    if (verify(c, &wider, &w, e) < 0)
        return -1;
    bool needed = w.strength == STRENGTH_ALWAYS;
    for (enum fd_axis a = 0; needed && a < FD_AXIS_COUNT; a++)
        if ((with.axes & axis_bit(a)) && shrink_need(c, &wider, a, &needed, e) < 0)
            return -1;
    if (needed) {
        *k = wider;
        *v = w;
    }
    return 0;
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

/* Of these axes, the ones that came into the set by chance go again: without one the finding stands
 * as well. */
static int thin_out(struct campaign *c, uint32_t of, struct candidate *k, struct verdict_of *v,
                    struct err *e)
{
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT && __builtin_popcount(k->axes) > 1; a++) {
        struct candidate less = *k;
        struct verdict_of w;
        if (!(k->axes & of & axis_bit(a)) || !campaign_affords(c, 20, TIER_FRESH))
            continue;
        less.axes &= ~axis_bit(a);
        if (verify(c, &less, &w, e) < 0)
            return -1;
        bool needed = w.strength == STRENGTH_NONE, often = 2 * w.failing_failed > w.failing_runs;
        /* A miss in ten may be chance: needed is what makes it pass. */
        if ((w.strength == STRENGTH_ELEVATES && v->strength == STRENGTH_ALWAYS) ||
            (needed && often)) {
            if (shrink_need(c, k, a, &needed, e) < 0)
                return -1;
            if (!needed && w.strength == STRENGTH_NONE && verify(c, &less, &w, e) < 0)
                return -1;
            needed |= w.strength == STRENGTH_NONE;
        }
        if (!needed) {
            *k = less;
            *v = w;
        }
    }
    return 0;
}

/* A zone may decide at this time of the day and not at another, and the runs that verified it were
 * made within a minute: the clock it was failed at is held in the command then. */
static int hold_the_hour(struct campaign *c, const struct candidate *k, const struct verdict_of *v,
                         struct err *e)
{
    enum { HOURS = 3 };
    char value[SETTING_VALUE_MAX];
    if (!(k->axes & axis_bit(FD_AXIS_ZONE)) || k->axes & axis_bit(FD_AXIS_TIME) ||
        !(c->source->axes & axis_bit(FD_AXIS_TIME)) || !v->failing_failed ||
        !setting_holds(&v->failed.at, FD_AXIS_TIME))
        return 0;
    for (size_t i = 0; i < HOURS && campaign_affords(c, 1, TIER_FRESH) &&
                       c->source->ops->benign(c->source, FD_AXIS_TIME, &c->seen, NULL, i, value);
         i++) {
        struct trial t = {.tier = TIER_FRESH};
        struct outcome got;
        campaign_draw(c, &t.at);
        setting_take(&t.at, &k->failing, k->axes);
        setting_hold(&t.at, FD_AXIS_TIME, value);
        if (campaign_run(c, &t, 1, &got, NULL, e) < 0)
            return -1;
        if (got.kind != OUTCOME_PASS)
            continue;
        setting_hold(&c->finding->repro.setting, FD_AXIS_TIME, v->failed.at.value[FD_AXIS_TIME]);
        finding_warn(c->finding, "with that zone it fails at some hours of the day and passes at "
                                 "others; the command holds the clock");
        return 0;
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
        *ret_short |= !campaign_affords(c, 4, TIER_FRESH);
        finding_warn(c->finding, "no value of the axis was found with which the test passes");
        return 0;
    }
    if (verify(c, k, &v, e) < 0)
        return -1;
    *ret_short |= v.short_of_budget && v.strength == STRENGTH_NONE;
    uint32_t before = k->axes;
    /* In a race no value beside it decides. */
    bool race = campaign_is_race(c, k->axes);
    if (v.strength != STRENGTH_ALWAYS && !v.short_of_budget && !race &&
        (grow_by_transplant(c, k, &v, e) < 0 ||
         (v.strength != STRENGTH_ALWAYS && grow(c, k, &v, e) < 0)))
        return -1;
    if (v.strength == STRENGTH_NONE)
        return 0;
    /* An axis that was added was shown to be needed then; those before it may have failed because
     * of what was added. */
    if (thin_out(c, before, k, &v, e) < 0)
        return -1;
    conclude(c, k, &v);
    *ret_done = true;
    return hold_the_hour(c, k, &v, e);
}

int settle_all(struct campaign *c, struct candidate *list, size_t n, bool *ret_done,
               bool *ret_short, struct err *e)
{
    for (size_t i = 0; i < n && !*ret_done; i++)
        if (settle(c, &list[i], ret_done, ret_short, e) < 0)
            return -1;
    return 0;
}
