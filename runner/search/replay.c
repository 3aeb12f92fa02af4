/* Replay: a failing and a passing setting, each played again. If each repeats its outcome every
 * time, the cause is among the held axes; if not, chance (or something not held) decides. */
#include "search/phases.h"

#define REPEATS 3

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

/* Every time one outcome in fresh processes and every time the other in warm ones. */
static bool opposite(unsigned fresh, unsigned warm)
{
    return (fresh == 0 && warm == REPEATS) || (fresh == REPEATS && warm == 0);
}

int replay_pair(struct campaign *c, const struct run *failing, const struct run *passing,
                enum replay *ret, struct err *e)
{
    const struct run *pair[2] = {failing, passing};
    unsigned fresh[2], warm[2], first[2] = {0};
    bool stays[2] = {true, true};
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
        for (unsigned i = 0; i < 2; i++)
            stays[i] &= opposite(fresh[i], warm[i]) && (time == 0 || fresh[i] == first[i]);
        if (!stays[0] && !stays[1])
            return 0;
        first[0] = fresh[0], first[1] = fresh[1];
    }
    *ret = REPLAY_TIERS_DIFFER;
    return 0;
}
