/* Shrink inside the axis: a plainer value that fails as well, and the nearest one that passes. */
#include "search/phases.h"

#include <math.h>
#include <string.h>

#define REPEATS 3

/* What a few runs hold, all else drawn; a failure counts if it is like that one, or NULL. */
struct held {
    uint32_t axes;
    const struct setting *at;
    const struct fingerprint *like;
};

/* How many of n runs failed so. */
static int failing_of(struct campaign *c, size_t n, const struct held *h, unsigned *ret,
                      struct err *e)
{
    struct trial t[REPEATS];
    struct outcome got[REPEATS];
    for (size_t i = 0; i < n; i++) {
        t[i] = (struct trial){.tier = campaign_tier(c)};
        campaign_draw_near(c, &t[i].at);
        setting_take(&t[i].at, h->at, h->axes);
    }
    if (campaign_run(c, t, n, got, NULL, e) < 0)
        return -1;
    *ret = 0;
    for (size_t i = 0; i < n; i++)
        *ret += !outcome_ran(&got[i]) ||
                (outcome_failed(&got[i]) && (!h->like || fingerprint_same(&got[i].print, h->like)));
    return 0;
}

static int find_plainer(struct campaign *c, struct candidate *k, enum fd_axis a, struct err *e)
{
    char value[SETTING_VALUE_MAX];
    for (size_t nth = 0;
         c->source->ops->plainer(c->source, a, &c->seen, k->failing.value[a], nth, value); nth++) {
        struct setting at = k->failing;
        unsigned failed;
        if (strcmp(at.value[a], value) == 0)
            continue;
        setting_hold(&at, a, value);
        if (!campaign_affords(c, REPEATS + 20, campaign_tier(c)))
            return 0;
        const struct held h = {k->axes, &at, &k->print};
        if (failing_of(c, REPEATS, &h, &failed, e) < 0)
            return -1;
        if (failed < REPEATS)
            continue;
        k->failing = at;
        return 0;
    }
    return 0;
}

/* Whether it passes REPEATS times, or once where a run is several processes; where the test fails
 * by nature too, as often as it takes to tell that from luck, within reason. */
static int passes(struct campaign *c, uint32_t axes, const struct setting *at, bool *ret,
                  struct err *e)
{
    enum { ROUNDS_MOST = 4 };
    double rate = c->finding->baseline.rate, luck = 1;
    const struct held h = {axes, at, NULL};
    size_t n = campaign_is_race(c, axes) ? 1 : REPEATS;
    *ret = true;
    for (int round = 0; round < ROUNDS_MOST && *ret && (round == 0 || luck > 0.02); round++) {
        unsigned failed;
        if (failing_of(c, n, &h, &failed, e) < 0)
            return -1;
        *ret = failed == 0;
        luck = rate > 0 ? luck * pow(1 - rate, (double)n) : 0;
    }
    return 0;
}

/* The candidate's passing setting is the one with this value, if it passes. */
static int take_if_passes(struct campaign *c, struct candidate *k, enum fd_axis a,
                          const char *value, struct err *e)
{
    struct setting at = k->failing;
    bool good;
    setting_hold(&at, a, value);
    if (passes(c, k->axes, &at, &good, e) < 0)
        return -1;
    if (good) {
        k->passing = at;
        k->has_passing = true;
    }
    return 0;
}

/* The value an ordinary run had by nature: with it the test passed once. */
static int find_natural(struct campaign *c, struct candidate *k, enum fd_axis a, struct err *e)
{
    char value[SETTING_VALUE_MAX];
    if (c->seen.kind != OUTCOME_PASS || !c->source->ops->recorded(c->source, a, &c->seen, value))
        return 0;
    return take_if_passes(c, k, a, value, e);
}

static int find_passing(struct campaign *c, struct candidate *k, enum fd_axis a, struct err *e)
{
    char value[SETTING_VALUE_MAX];
    for (size_t nth = 0;
         c->source->ops->benign(c->source, a, &c->seen, k->failing.value[a], nth, value); nth++) {
        if (take_if_passes(c, k, a, value, e) < 0)
            return -1;
        if (k->has_passing)
            return 0;
    }
    return find_natural(c, k, a, e);
}

/* A passing value that came with the failing one is evidence; a plain one is evidence that reads
 * better. */
static int find_plain_passing(struct campaign *c, struct candidate *k, enum fd_axis a,
                              struct err *e)
{
    char value[SETTING_VALUE_MAX];
    if (!(c->source->plain & axis_bit(a)) || k->axes != axis_bit(a) ||
        !campaign_affords(c, REPEATS + 20, TIER_FRESH) ||
        !c->source->ops->benign(c->source, a, &c->seen, k->failing.value[a], 0, value))
        return 0;
    return take_if_passes(c, k, a, value, e);
}

int shrink(struct campaign *c, struct candidate *k, struct err *e)
{
    c->phase = "shrink";
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if ((k->axes & axis_bit(a)) && find_plainer(c, k, a, e) < 0)
            return -1;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if (find_plain_passing(c, k, a, e) < 0)
            return -1;
    /* Only for a value that was provoked is there none yet. */
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT && !k->has_passing; a++)
        if ((k->axes & axis_bit(a)) && find_passing(c, k, a, e) < 0)
            return -1;
    return 0;
}

/* Value number i to try: first the one the passing setting has, then drawn ones. */
static bool other_value(struct campaign *c, const struct candidate *k, enum fd_axis a, unsigned i,
                        char *ret_value)
{
    struct setting from = k->passing;
    if (i > 0)
        campaign_draw(c, &from);
    if (!setting_holds(&from, a) || strcmp(from.value[a], k->failing.value[a]) == 0)
        return false;
    text_copy(ret_value, SETTING_VALUE_MAX, from.value[a]);
    return true;
}

int shrink_need(struct campaign *c, struct candidate *k, enum fd_axis a, bool *ret_found,
                struct err *e)
{
    *ret_found = false;
    for (unsigned i = 0; i < 8 && campaign_affords(c, REPEATS, campaign_tier(c)); i++) {
        char value[SETTING_VALUE_MAX];
        struct setting at = k->failing;
        unsigned failed;
        if (!other_value(c, k, a, i, value))
            continue;
        setting_hold(&at, a, value);
        const struct held h = {k->axes, &at, NULL};
        if (failing_of(c, REPEATS, &h, &failed, e) < 0)
            return -1;
        if (failed)
            continue;
        setting_hold(&k->benign, a, value);
        *ret_found = true;
        return 0;
    }
    return 0;
}
