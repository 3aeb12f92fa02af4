/* Verify: the named axes held at the failing or the passing value, every other axis drawn anew for
 * each run. The arms come in seeded random order, never alternating, with spare process ids
 * between them: a test that follows a counter or a process id must not follow the arms. */
#include "search/phases.h"

#include "stats/adjust.h"
#include "stats/binomial.h"
#include "stats/compare.h"
#include "stats/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARM 10

/* Chance that a diagnosis claims any value of which nothing depends, by Holm over all that it puts
 * to the test; how many that will be is not known at the first, so no fewer than FAMILY. */
#define ALPHA  0.001
#define FAMILY CANDIDATES_MAX

static void arm_trial(struct campaign *c, uint32_t axes, const struct setting *at, struct trial *t)
{
    *t = (struct trial){.tier = TIER_FRESH, .spare = (unsigned)(campaign_random(c) % 4)};
    campaign_draw(c, &t->at);
    setting_take(&t->at, at, axes);
}

/* Which arm each of 2n runs belongs to: a random order with n of each. */
static void deal(struct campaign *c, bool *is_passing, size_t n)
{
    for (size_t i = 0; i < 2 * n; i++)
        is_passing[i] = i % 2;
    for (size_t i = 2 * n; i > 1; i--) {
        size_t k = campaign_random(c) % i;
        bool swap = is_passing[i - 1];
        is_passing[i - 1] = is_passing[k];
        is_passing[k] = swap;
    }
}

static bool is_like(const struct campaign *c, const struct candidate *k, const struct outcome *o)
{
    return outcome_failed(o) &&
           (campaign_is_race(c, k->axes) || fingerprint_same(&o->print, &k->print));
}

/* `like`: it failed as is to be explained. */
static void count(bool passing, bool like, const struct trial *t, const struct outcome *o,
                  struct verdict_of *v)
{
    if (!outcome_ran(o))
        return;
    if (!passing && (like || !outcome_failed(o)))
        *(like ? &v->failed : &v->passed) = (struct run){.at = t->at, .outcome = *o};
    if (passing) {
        v->passing_runs++;
        v->passing_failed += outcome_failed(o);
    } else { /* another failure than the one explained earns no credit */
        v->failing_runs++;
        v->copies += o->passed + o->failed + o->unknown;
        v->failing_failed += like;
    }
}

static int play_arms(struct campaign *c, struct candidate *k, size_t each, struct verdict_of *v,
                     struct err *e)
{
    enum { CHUNK = 4 };
    bool is_passing[2 * ARM];
    deal(c, is_passing, each);
    for (size_t done = 0; done < 2 * each;) {
        struct trial t[CHUNK];
        struct outcome got[CHUNK];
        size_t n = 2 * each - done < CHUNK ? 2 * each - done : CHUNK;
        for (size_t i = 0; i < n; i++)
            arm_trial(c, k->axes, is_passing[done + i] ? &k->passing : &k->failing, &t[i]);
        if (campaign_run(c, t, n, got, NULL, e) < 0)
            return -1;
        for (size_t i = 0; i < n; i++)
            count(is_passing[done + i], is_like(c, k, &got[i]), &t[i], &got[i], v);
        done += n;
        struct row so_far = {.runs = v->failing_runs, .failed = v->failing_failed};
        campaign_tell(c, "", (unsigned)each, &so_far);
        /* Neither certain nor likely to tell the arms apart any more: spend no more on it. */
        if (v->failing_runs >= 4 && v->passing_runs >= 4 &&
            v->failing_failed * v->passing_runs <= v->passing_failed * v->failing_runs)
            break;
    }
    return 0;
}

static void add_rows(struct campaign *c, const struct candidate *k, const struct verdict_of *v)
{
    for (int passing = 0; passing < 2; passing++) {
        struct row *r =
            evidence_add(&c->finding->evidence, passing ? "counterfactual" : "VERIFY", TIER_FRESH);
        own_text struct text value = {0};
        struct setting shown = passing ? k->passing : k->failing;
        shown.held &= k->axes;
        setting_text(&shown, &value);
        r->has_axis = __builtin_popcount(k->axes) == 1;
        for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
            if (k->axes & axis_bit(a))
                r->axis = a;
        text_copy(r->value, sizeof r->value, r->has_axis ? shown.value[r->axis] : text_str(&value));
        r->runs = passing ? v->passing_runs : v->failing_runs;
        r->failed = passing ? v->passing_failed : v->failing_failed;
        if (!passing)
            r->p = v->p;
        if (!passing)
            r->p_adjusted = v->p_adjusted;
        if (!passing && r->failed == r->runs)
            text_copy(r->note, sizeof r->note, "deterministic");
        if (passing && r->failed == 0)
            text_copy(r->note, sizeof r->note, "passes");
    }
}

/* Takes p into the family of this diagnosis' tests and adjusts it for them all. */
static double adjusted(struct campaign *c, double p)
{
    double all[VERIFIED_MAX + FAMILY], ret[VERIFIED_MAX + FAMILY];
    if (c->verified == VERIFIED_MAX)
        return 1; /* so many tries prove nothing any more */
    c->verified_p[c->verified++] = p;
    size_t n = c->verified > FAMILY ? c->verified : FAMILY;
    for (size_t i = 0; i < n; i++)
        all[i] = i < c->verified ? c->verified_p[i] : 1;
    adjust_holm(all, n, ret);
    return ret[c->verified - 1];
}

/* Of several copies one fails more easily than one alone, though none meets another: the chance of
 * so many failures if each fails as often as a single run at most does (95 %, one-sided). */
static double chance_of_many(const struct campaign *c, const struct verdict_of *v)
{
    const struct baseline *b = &c->finding->baseline;
    double single = interval_high(b->failed + v->passing_failed, b->runs + v->passing_runs, 0.95);
    double copies = (double)v->copies / v->failing_runs;
    double any = 1 - pow(1 - single, copies > 1 ? copies : 1);
    return binomial_tails(v->failing_failed, v->failing_runs, any).upper;
}

static double chance(const struct campaign *c, const struct candidate *k,
                     const struct verdict_of *v)
{
    if (!v->failing_runs || !v->passing_runs)
        return 1;
    double p =
        fisher_greater(v->failing_failed, v->failing_runs, v->passing_failed, v->passing_runs);
    double many = campaign_is_race(c, k->axes) ? chance_of_many(c, v) : 0;
    return p > many ? p : many;
}

/* Too little to be claimed, and too much to be chance. */
static bool is_lead(const struct campaign *c, const struct candidate *k, const struct verdict_of *v)
{
    double p = chance(c, k, v);
    return v->failing_failed < v->failing_runs && p * FAMILY >= ALPHA && p < 0.05;
}

int verify(struct campaign *c, struct candidate *k, struct verdict_of *ret, struct err *e)
{
    struct verdict_of v = {.p = 1};
    size_t each = ARM;
    c->phase = "verify";
    while (each > 0 && !campaign_affords(c, 2 * each, TIER_FRESH))
        each /= 2;
    v.short_of_budget = each < ARM;
    if (each >= 5 && play_arms(c, k, each, &v, e) < 0)
        return -1;
    /* A race that fails now and then is shown by more runs of it. */
    if (each == ARM && campaign_is_race(c, k->axes) && is_lead(c, k, &v) &&
        campaign_affords(c, 2 * each, TIER_FRESH) && play_arms(c, k, each, &v, e) < 0)
        return -1;
    v.p = chance(c, k, &v);
    v.p_adjusted = adjusted(c, v.p);
    if (v.failing_runs >= 5 && v.passing_runs >= 5) {
        bool apart = v.failing_failed == v.failing_runs && v.passing_failed == 0;
        if (apart && (!campaign_is_race(c, k->axes) || v.p_adjusted < ALPHA))
            v.strength = STRENGTH_ALWAYS;
        else if (v.p_adjusted < ALPHA)
            v.strength = STRENGTH_ELEVATES;
        add_rows(c, k, &v);
    }
    v.mixed = v.failing_failed > 0 && v.failing_failed < v.failing_runs;
    *ret = v;
    return 0;
}
