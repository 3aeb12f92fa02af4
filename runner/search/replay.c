/* Replay: a failing and a passing setting, each played again. If each repeats its outcome every
 * time, the cause is among the held axes; if not, chance (or something not held) decides. */
#include "search/phases.h"

#include <math.h>

#define REPEATS 3
#define NEVER   0.001 /* chance that fresh runs miss what they fail by as often as warm ones */

static void shuffle(struct campaign *c, struct trial *t, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = campaign_random(c) % i;
        struct trial swap = t[i - 1];
        t[i - 1] = t[k];
        t[k] = swap;
    }
}

/* Plays both REPEATS times in random order; counts the failures of each. */
static int play(struct campaign *c, const struct run *pair[2], enum tier tier, unsigned failed[2],
                struct err *e)
{
    struct trial t[2 * REPEATS];
    struct outcome got[2 * REPEATS];
    struct row *row =
        evidence_add(&c->finding->evidence, "replay: a failing and a passing setting", tier);
    for (size_t i = 0; i < 2 * REPEATS; i++)
        t[i] = (struct trial){
            .at = pair[i % 2]->at, .tier = tier, .spare = (unsigned)(campaign_random(c) % 3)};
    shuffle(c, t, 2 * REPEATS);
    if (campaign_run(c, t, 2 * REPEATS, got, row, e) < 0)
        return -1;
    failed[0] = failed[1] = 0;
    for (size_t i = 0; i < 2 * REPEATS; i++) {
        bool passing = !setting_same(&t[i].at, &pair[0]->at);
        /* What did not run at all repeats nothing: it counts against both. */
        if (passing)
            failed[1] += outcome_failed(&got[i]) || !outcome_ran(&got[i]);
        else
            failed[0] +=
                outcome_failed(&got[i]) && fingerprint_same(&got[i].print, &pair[0]->outcome.print);
    }
    if (failed[0] == REPEATS && failed[1] == 0)
        text_copy(row->note, sizeof row->note, "each repeats its outcome");
    else
        text_copy(row->note, sizeof row->note, "outcomes vary at one setting");
    campaign_tell(c, "", 2 * REPEATS, row);
    return 0;
}

/* Nearly every time one outcome in fresh processes and nearly every time the other in warm ones, of
 * `runs` each; the first run of a warm process may still be as a fresh one. */
static bool opposite(unsigned fresh, unsigned warm, unsigned runs)
{
    return (fresh > warm ? fresh - warm : warm - fresh) >= runs - 1;
}

int replay_pair(struct campaign *c, const struct run *failing, const struct run *passing,
                enum replay *ret, struct err *e)
{
    const struct run *pair[2] = {failing, passing};
    unsigned fresh[2], warm[2], all_fresh[2] = {0}, all_warm[2] = {0};
    c->phase = "replay";
    if (play(c, pair, TIER_FRESH, fresh, e) < 0)
        return -1;
    *ret = REPLAY_VARIES;
    /* One miss of the failing one is let pass: what makes a failure likely is worth naming too. */
    if (fresh[0] >= REPEATS - 1 && fresh[1] == 0) {
        *ret = REPLAY_SAME;
        return 0;
    }
    /* Three of each is luck once in thirty times where chance decides: it has to be so twice. */
    for (unsigned time = 0; time < 2; time++) {
        if (c->fresh_only || !campaign_affords(c, 2 * REPEATS, time ? TIER_FRESH : TIER_WARM))
            return 0;
        if (time && play(c, pair, TIER_FRESH, fresh, e) < 0)
            return -1;
        if (play(c, pair, TIER_WARM, warm, e) < 0)
            return -1;
        bool differ = false;
        for (unsigned i = 0; i < 2; i++) {
            all_fresh[i] += fresh[i];
            all_warm[i] += warm[i];
            differ |= opposite(all_fresh[i], all_warm[i], (time + 1) * REPEATS);
        }
        if (!differ)
            return 0;
    }
    *ret = REPLAY_TIERS_DIFFER;
    return 0;
}

/* How often warm runs of the baseline failed like this one. */
static double warm_rate(const struct campaign *c, const struct run *failing)
{
    unsigned runs = 0, like = 0;
    for (size_t i = 0; i < c->runs; i++) {
        const struct outcome *o = &c->run[i].outcome;
        if (o->tier != TIER_WARM)
            continue;
        runs++;
        like += outcome_failed(o) && fingerprint_same(&o->print, &failing->outcome.print);
    }
    return runs ? (double)like / runs : 0;
}

int replay_never_fresh(struct campaign *c, const struct run *failing, bool *ret, struct err *e)
{
    enum { MOST = 20 };
    *ret = false;
    double rate = warm_rate(c, failing);
    double need = rate > 0 && rate < 1 ? log(NEVER) / log(1 - rate) : rate < 1 ? MOST + 1 : 1;
    if (c->fresh_only || failing->outcome.tier != TIER_WARM || need > MOST)
        return 0;
    struct row *row =
        evidence_add(&c->finding->evidence, "replay: fails so in warm runs only?", TIER_FRESH);
    for (double done = 0; done < need; done++) {
        struct trial t = {.at = failing->at, .tier = TIER_FRESH};
        struct outcome o;
        if (!campaign_affords(c, 1, TIER_FRESH))
            return 0;
        if (campaign_run(c, &t, 1, &o, row, e) < 0)
            return -1;
        if (!outcome_ran(&o) ||
            (outcome_failed(&o) && fingerprint_same(&o.print, &failing->outcome.print)))
            return 0;
    }
    *ret = true;
    return 0;
}
