/* Values that do nothing alone, several together: each run holds one value of every axis that has
 * any, all of them values with which the test passed, so that a few dozen runs cover many pairs.
 * One that fails is taken apart again: the fewest of its values that make it fail are the cause.
 * (Random designs cover pairs about as well as constructed ones: Arcuri and Briand 2012.) */
#include "search/phases.h"

#include "model/before.h"

#include <string.h>

#define COMBINATIONS 96
#define SHARE        2 /* of the budget that is left, one part in so many */

/* A value of the axis that passed alone: the nth such, chosen by `random`. */
static bool fine_value(struct campaign *c, enum fd_axis a, uint64_t random, char *ret_value)
{
    uint64_t fine = c->swept[a].fine;
    if (!fine || !provoke_may(c, a))
        return false;
    unsigned nth = (unsigned)(random % (unsigned)__builtin_popcountll(fine)), bit = 0;
    for (; bit < 64; bit++)
        if ((fine >> bit & 1) && nth-- == 0)
            break;
    return c->source->ops->provoke(c->source, a, &c->seen, bit, ret_value);
}

/* All tests that may run before it: none of them did anything alone. */
static void after_all(const struct campaign *c, struct setting *ret)
{
    struct before all = {0};
    before_add(&all, 0, c->before_known - 1);
    order_hold(ret, &all);
}

static uint32_t combine(struct campaign *c, struct setting *ret)
{
    uint32_t set = 0;
    campaign_draw_near(c, ret);
    if (c->before_known && campaign_random(c) % 2) {
        after_all(c, ret);
        set |= axis_bit(FD_AXIS_ORDER);
    }
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        char value[SETTING_VALUE_MAX];
        uint64_t random = campaign_random(c);
        /* One in four is left out: a value may undo what another brings about. */
        if (random % 4 == 0 || !fine_value(c, a, random / 4, value))
            continue;
        setting_hold(ret, a, value);
        set |= axis_bit(a);
    }
    return set;
}

/* The combination fails; whether it does so again, and passes without its values. */
static int is_it(struct campaign *c, const struct run *failing, uint32_t set, struct run *passing,
                 bool *ret, struct err *e)
{
    struct trial t[4];
    struct outcome got[4];
    *passing = *failing;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if (set & axis_bit(a))
            setting_free(&passing->at, a);
    for (size_t i = 0; i < 4; i++)
        t[i] = (struct trial){.at = i % 2 ? passing->at : failing->at, .tier = campaign_tier(c)};
    if (campaign_run(c, t, 4, got, NULL, e) < 0)
        return -1;
    *ret = true;
    for (size_t i = 0; i < 4; i++)
        *ret &= i % 2 ? got[i].kind == OUTCOME_PASS
                      : outcome_failed(&got[i]) &&
                            fingerprint_same(&got[i].print, &failing->outcome.print);
    return 0;
}

/* Plain values in the passing setting, where they pass: they say more than nothing at all. */
static int name_benign(struct campaign *c, struct candidate *k, struct err *e)
{
    struct setting plain = k->passing;
    struct trial t = {.tier = campaign_tier(c)};
    struct outcome got;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        char value[SETTING_VALUE_MAX];
        if ((k->axes & axis_bit(a)) && !setting_holds(&plain, a) &&
            c->source->ops->benign(c->source, a, &c->seen, k->failing.value[a], 0, value))
            setting_hold(&plain, a, value);
    }
    t.at = plain;
    if (campaign_run(c, &t, 1, &got, NULL, e) < 0)
        return -1;
    if (got.kind == OUTCOME_PASS)
        k->passing = plain;
    return 0;
}

static int take_apart(struct campaign *c, const struct run *failing, uint32_t set,
                      struct candidate *ret, bool *ret_found, struct err *e)
{
    struct run passing;
    enum transplanted how;
    bool stands;
    if (is_it(c, failing, set, &passing, &stands, e) < 0)
        return -1;
    if (!stands)
        return 0;
    if (transplant(c, failing, &passing, ret, &how, e) < 0)
        return -1;
    *ret_found = how == TRANSPLANT_FOUND;
    if (!*ret_found)
        return 0;
    if ((ret->axes & axis_bit(FD_AXIS_ORDER)) && order_shrink(c, ret, e) < 0)
        return -1;
    return name_benign(c, ret, e);
}

int combine_values(struct campaign *c, struct candidate *ret, bool *ret_found, struct err *e)
{
    enum { BATCH = 2 };
    int64_t until = campaign_left_ns(c) / SHARE;
    struct row *row = NULL;
    size_t at = 0;
    unsigned axes = 0;
    *ret_found = false;
    c->phase = "combine";
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        axes += provoke_may(c, a) && c->swept[a].fine;
    axes += c->before_known > 0;
    for (unsigned done = 0; axes >= 2 && done < COMBINATIONS && !*ret_found; done += BATCH) {
        struct trial t[BATCH];
        struct outcome got[BATCH];
        uint32_t set[BATCH];
        if (campaign_left_ns(c) <= until || !campaign_affords(c, 40, TIER_FRESH))
            break;
        for (size_t i = 0; i < BATCH; i++) {
            t[i] = (struct trial){.tier = campaign_tier(c)};
            set[i] = combine(c, &t[i].at);
        }
        if (!at) {
            (void)evidence_add(&c->finding->evidence, "several values together", campaign_tier(c));
            at = c->finding->evidence.n;
        }
        row = &c->finding->evidence.at[at - 1];
        if (campaign_run(c, t, BATCH, got, row, e) < 0)
            return -1;
        campaign_tell(c, "", COMBINATIONS, row);
        for (size_t i = 0; i < BATCH && !*ret_found; i++) {
            const struct run failing = {.at = t[i].at, .outcome = got[i]};
            if (outcome_failed(&got[i]) && take_apart(c, &failing, set[i], ret, ret_found, e) < 0)
                return -1;
        }
    }
    return 0;
}
