#include "search/campaign.h"

#include "stats/sequence.h"

#include <string.h>

int64_t campaign_left_ns(const struct campaign *c)
{
    int64_t left = c->deadline_ns - c->source->ops->now_ns(c->source);
    return left > 0 ? left : 0;
}

int64_t campaign_cost_ns(const struct campaign *c, enum tier tier)
{
    int64_t planned = tier == TIER_FRESH ? c->source->fresh_ns : c->source->warm_ns;
    int64_t each = c->cost_ns[tier] ? c->cost_ns[tier] : planned;
    return each > 0 ? each : 1;
}

/* A running mean that forgets: a test's first runs may be slower than the later ones. */
static void learn_cost(struct campaign *c, const struct outcome *o)
{
    int64_t *cost = &c->cost_ns[o->tier];
    *cost = *cost ? *cost + (o->took_ns - *cost) / 8 : o->took_ns;
}

bool campaign_affords(const struct campaign *c, size_t n, enum tier tier)
{
    int64_t need = (int64_t)n * campaign_cost_ns(c, tier) / (c->source->jobs ? c->source->jobs : 1);
    int64_t left = campaign_left_ns(c);
    return left > 0 && need <= left;
}

/* SplitMix64 (Steele, Lea, Flood 2014): small, well mixed, one word of state. */
uint64_t campaign_random(struct campaign *c)
{
    uint64_t z = c->seed + ++c->draws * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void campaign_draw(struct campaign *c, struct setting *ret)
{
    char value[SETTING_VALUE_MAX];
    *ret = (struct setting){0};
    uint64_t seed = campaign_random(c);
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if ((c->source->axes & axis_bit(a)) && c->source->ops->draw(c->source, a, seed, value))
            setting_hold(ret, a, value);
}

#define PROCESS_RUNS 24

void campaign_draw_near(struct campaign *c, struct setting *ret)
{
    if (c->process_uses++ % PROCESS_RUNS == 0)
        campaign_draw(c, &c->process);
    campaign_draw(c, ret);
    if (!c->fresh_only)
        setting_take(ret, &c->process, c->source->at_start);
}

bool campaign_is_race(const struct campaign *c, uint32_t axes)
{
    return c->source->faces & axes;
}

enum tier campaign_tier(const struct campaign *c)
{
    return c->fresh_only ? TIER_FRESH : TIER_WARM;
}

static void record(struct campaign *c, struct trial *t, const struct outcome *o)
{
    char value[SETTING_VALUE_MAX];
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        if ((c->source->axes & axis_bit(a)) && !setting_holds(&t->at, a) &&
            c->source->ops->recorded(c->source, a, o, value))
            setting_hold(&t->at, a, value);
        if (!c->looked && (o->touched[a] || (o->changed & axis_bit(a))))
            c->touched |= axis_bit(a);
    }
}

/* What it took says nothing of other trials then. */
static bool runs_others(const struct trial *t)
{
    return setting_holds(&t->at, FD_AXIS_ORDER) && strcmp(t->at.value[FD_AXIS_ORDER], "alone") != 0;
}

int campaign_run(struct campaign *c, struct trial *t, size_t n, struct outcome *ret,
                 struct row *row, struct err *e)
{
    c->source->phase = c->phase;
    if (c->source->ops->run(c->source, t, n, ret, e) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (!outcome_ran(&ret[i]) && ret[i].took_ns == 0)
            continue; /* the budget was over before it began */
        c->finding->stats.trials++;
        if (ret[i].tier == TIER_WARM)
            c->finding->stats.warm++;
        else
            c->finding->stats.fresh++;
        if (outcome_ran(&ret[i])) {
            record(c, &t[i], &ret[i]);
            if (!runs_others(&t[i]))
                learn_cost(c, &ret[i]);
        }
        if (row)
            row_count(row, &ret[i]);
    }
    return 0;
}

void campaign_tell(struct campaign *c, const char *what, unsigned planned, const struct row *row)
{
    struct progress p = {
        .phase = c->phase, .what = what, .planned = planned, .left_ns = campaign_left_ns(c)};
    if (row) {
        p.runs = row->runs;
        p.failed = row->failed;
        if (row->runs) {
            /* Looked at after every batch: only an interval that holds at all times is honest. */
            struct interval i = sequence_interval(row->failed, row->runs, 0.95);
            p.low = i.low;
            p.high = i.high;
        }
    }
    watch_tell(c->watch, &p);
}

int campaign_look(struct campaign *c, struct err *e)
{
    uint32_t own = c->source->hooked;
    if (c->looked || !c->source->ops->touches)
        return 0;
    if (!campaign_affords(c, 2, TIER_FRESH))
        return 0;
    if (c->source->ops->touches(c->source, &own, e) < 0)
        return -1;
    c->touched &= own;
    c->looked = true;
    return 0;
}
