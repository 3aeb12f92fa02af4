#include "search/concurrency.h"

#include "base/own.h"
#include "search/concurrency_impl.h"
#include "search/concurrency_rules.h"
#include "stats/adjust.h"
#include "stats/compare.h"
#include "stats/permute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chance that a stage calls any candidate shown of which nothing depends on its condition, by Holm
 * over the candidates of the stage; half of it for each of the two looks that a stage may take. */
#define ALPHA 0.01
#define LOOKS 2
/* Beyond this a condition's runs look like the reference's: no new ones are spent on it. */
#define WORTH 0.25

#define ROUNDS 3

/* ---- what is tried first --------------------------------------------------------------------- */

static void compare(struct concurrency *k, struct condition *c)
{
    const struct condition *ref = &k->condition[c->reference];
    unsigned n = counts_judged(&c->n), m = counts_judged(&ref->n);
    if (n == 0 || m == 0)
        return;
    struct interval d = difference_newcombe(c->n.failed, n, ref->n.failed, m, 0.95);
    c->delta_pp = 100 * (counts_rate(&c->n) - counts_rate(&ref->n));
    c->low_pp = 100 * d.low;
    c->high_pp = 100 * d.high;
    c->p = fisher_greater(c->n.failed, n, ref->n.failed, m);
    c->signal = rule_signal(100 * counts_rate(&ref->n), c->delta_pp);
}

static void adjust_conditions(struct concurrency *k)
{
    double p[CONDITIONS_MAX], adjusted[CONDITIONS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < k->conditions; i++)
        if (k->condition[i].same_as < 0 && k->condition[i].p >= 0)
            p[n++] = k->condition[i].p;
    if (adjust_holm(p, n, adjusted) < 0)
        return;
    n = 0;
    for (size_t i = 0; i < k->conditions; i++)
        if (k->condition[i].same_as < 0 && k->condition[i].p >= 0)
            k->condition[i].p_adjusted = adjusted[n++];
}

/* What shares another's runs shares what they say. */
static void copy_same(struct concurrency *k)
{
    for (size_t i = 0; i < k->conditions; i++) {
        struct condition *c = &k->condition[i];
        if (c->same_as < 0)
            continue;
        struct condition from = k->condition[c->same_as];
        from.type = c->type;
        from.same_as = c->same_as;
        *c = from;
    }
}

static void ask_trend(struct concurrency *k)
{
    unsigned failed[CONDITIONS_MAX], n[CONDITIONS_MAX], workers[CONDITIONS_MAX];
    size_t levels = 0;
    for (size_t i = 0; i < k->conditions; i++) {
        const struct condition *c = &k->condition[i];
        if (c->type != CONDITION_WORKER || counts_judged(&c->n) == 0)
            continue;
        failed[levels] = c->n.failed;
        n[levels] = counts_judged(&c->n);
        workers[levels++] = c->workers;
    }
    if (levels > 1)
        k->trend_p = trend_greater(failed, n, workers, levels);
}

static void rank(struct concurrency *k);

/* From the blocks so far to what they say. */
static void look(struct experiment *x, const struct arm *arms, size_t n)
{
    struct concurrency *k = x->k;
    for (size_t i = 0; i < n; i++) {
        struct condition *c = &k->condition[arms[i].condition];
        arm_sum(&arms[i], 0, arms[i].done, &c->n);
        struct interval ci = interval_exact(c->n.failed, counts_judged(&c->n), 0.95);
        c->rate_low = ci.low;
        c->rate_high = ci.high;
    }
    for (size_t i = 0; i < k->conditions; i++)
        if (k->condition[i].reference >= 0 && k->condition[i].same_as < 0)
            compare(k, &k->condition[i]);
    adjust_conditions(k);
    copy_same(k);
    rank(k);
}

/* What a stage of so many candidates costs, if one look is enough. */
static int64_t stages_ns(const struct experiment *x, size_t top)
{
    int64_t round = 0;
    for (size_t i = 0; i < top && i < x->k->candidates; i++) {
        int condition = x->k->candidate[i].condition;
        round += experiment_block_ns(x, condition) +
                 experiment_block_ns(x, x->k->condition[condition].reference);
    }
    return (int64_t)(REPETITIONS * LEAST_EACH) * round;
}

/* Rounds of one block for each condition, three if there is time; where something stands out, no
 * more than leaves enough to look into it. */
static int investigate(struct experiment *x, struct err *e)
{
    struct concurrency *k = x->k;
    struct arm arms[CONDITIONS_MAX];
    size_t n = 0;
    int did = 0;
    x->c->phase = "investigate";
    for (size_t i = 0; i < k->conditions; i++)
        if (k->condition[i].same_as < 0)
            arms[n++] = (struct arm){.condition = (int)i};
    for (unsigned round = 0; round < ROUNDS && did == 0 && !k->unfinished; round++) {
        int64_t need = 2 * stages_ns(x, 1);
        for (size_t i = 0; i < n; i++)
            need += experiment_block_ns(x, arms[i].condition);
        if (round > 0 && need > campaign_left_ns(x->c))
            break;
        for (size_t i = 0; i < n; i++)
            arms[i].planned++;
        did = experiment_arms(x, arms, n, e);
        look(x, arms, n);
    }
    ask_trend(k);
    return did;
}

/* ---- candidates ------------------------------------------------------------------------------ */

static void insert(struct concurrency *k, int condition, double score)
{
    size_t at = k->candidates < CANDIDATES_TOP ? k->candidates++ : CANDIDATES_TOP;
    while (at > 0 && k->candidate[at - 1].score < score) {
        if (at < CANDIDATES_TOP)
            k->candidate[at] = k->candidate[at - 1];
        at--;
    }
    if (at < CANDIDATES_TOP)
        k->candidate[at] = (struct ranked){.condition = condition, .score = score};
}

static void rank(struct concurrency *k)
{
    k->candidates = 0;
    for (size_t i = 0; i < k->conditions; i++) {
        const struct condition *c = &k->condition[i];
        if (c->reference >= 0 && c->same_as < 0 && c->signal != SIGNAL_NONE)
            insert(k, (int)i, rule_score(c->signal, c->delta_pp));
    }
}

/* ---- new runs -------------------------------------------------------------------------------- */

static void judge_stage(const struct arm *it, const struct arm *ref, struct stage *s)
{
    unsigned each = it->planned / REPETITIONS;
    arm_sum(it, 0, it->done, &s->n);
    arm_sum(ref, 0, ref->done, &s->reference);
    s->ran = it->done == it->planned && ref->done == ref->planned;
    s->mean_pp = 0;
    if (!s->ran)
        return;
    for (unsigned r = 0; r < REPETITIONS; r++) {
        struct counts a, b;
        arm_sum(it, r * each, (r + 1) * each, &a);
        arm_sum(ref, r * each, (r + 1) * each, &b);
        s->delta_pp[r] = 100 * (counts_rate(&a) - counts_rate(&b));
        s->mean_pp += s->delta_pp[r] / REPETITIONS;
    }
    s->consistency = rule_consistency(s->delta_pp, REPETITIONS);
    s->p = permute_greater(it->failed, it->done, ref->failed, ref->done);
}

static void stand(struct stage *const *stages, size_t n)
{
    double p[CANDIDATES_TOP], adjusted[CANDIDATES_TOP];
    for (size_t i = 0; i < n; i++)
        p[i] = stages[i]->ran ? stages[i]->p : 1;
    (void)adjust_holm(p, n, adjusted);
    for (size_t i = 0; i < n; i++) {
        struct stage *s = stages[i];
        if (!s->ran)
            continue;
        s->p_adjusted = adjusted[i];
        s->standing = rule_standing(s->consistency, s->mean_pp, adjusted[i] <= ALPHA / LOOKS);
    }
}

static struct arm *arm_of(struct arm *arms, size_t *n, int condition, unsigned blocks)
{
    for (size_t i = 0; i < *n; i++)
        if (arms[i].condition == condition)
            return &arms[i];
    arms[*n] = (struct arm){.condition = condition, .planned = blocks};
    return &arms[(*n)++];
}

struct trial_of { /* a candidate in a stage */
    struct stage *stage;
    struct arm *it, *reference;
};

/* New blocks for those candidates, and what they then say. */
static int look_at(struct experiment *x, struct arm *arms, size_t used, struct trial_of *of,
                   size_t n, struct err *e)
{
    struct stage *stages[CANDIDATES_TOP];
    int did = experiment_arms(x, arms, used, e);
    for (size_t i = 0; i < n; i++) {
        stages[i] = of[i].stage;
        judge_stage(of[i].it, of[i].reference, of[i].stage);
    }
    if (did == 0)
        stand(stages, n);
    return did;
}

/* Those that failed more often, yet not so often that it is shown: one more block for each of their
 * repetitions. Returns how many there are; they come to the front. */
static size_t look_again(const struct experiment *x, struct trial_of *of, size_t n)
{
    size_t open = 0;
    int64_t cost = 0;
    for (size_t i = 0; i < n; i++)
        if (of[i].stage->standing == STANDING_WEAK)
            of[open++] = of[i];
    for (size_t i = 0; i < open; i++)
        cost += REPETITIONS * (experiment_block_ns(x, of[i].it->condition) +
                               experiment_block_ns(x, of[i].reference->condition));
    if (cost > campaign_left_ns(x->c))
        return 0;
    for (size_t i = 0; i < open; i++)
        of[i].it->planned = of[i].reference->planned = REPETITIONS * MOST_EACH;
    return open;
}

/* Puts the candidates in `which` to the test with new runs; `again`: for the second time. */
static int run_stage(struct experiment *x, const size_t *which, size_t n, bool again, struct err *e)
{
    struct concurrency *k = x->k;
    struct arm arms[2 * CANDIDATES_TOP];
    struct trial_of of[CANDIDATES_TOP];
    unsigned blocks = REPETITIONS * LEAST_EACH;
    size_t used = 0;
    x->c->phase = again ? "reproduce" : "confirm";
    for (size_t i = 0; i < n; i++) {
        struct ranked *r = &k->candidate[which[i]];
        of[i].stage = again ? &r->reproduction : &r->confirmation;
        of[i].it = arm_of(arms, &used, r->condition, blocks);
        of[i].reference = arm_of(arms, &used, k->condition[r->condition].reference, blocks);
    }
    if (look_at(x, arms, used, of, n, e) < 0)
        return -1;
    size_t open = look_again(x, of, n);
    return open ? look_at(x, arms, used, of, open, e) : 0;
}

/* As many candidates as the budget seems to bear, one at least. */
static size_t choose_top(const struct experiment *x, unsigned stages)
{
    size_t top = CANDIDATES_TOP;
    /* With room for a second look, or for a machine that gets busier. */
    while (top > 1 && stages * stages_ns(x, top) * 3 / 2 > campaign_left_ns(x->c))
        top--;
    return top;
}

static int confirm(struct experiment *x, struct err *e)
{
    struct concurrency *k = x->k;
    size_t which[CANDIDATES_TOP], n = 0;
    for (size_t i = 0; i < k->candidates && n < x->top; i++)
        if (k->condition[k->candidate[i].condition].p <= WORTH)
            which[n++] = i;
    return run_stage(x, which, n, false, e);
}

static int reproduce(struct experiment *x, struct err *e)
{
    struct concurrency *k = x->k;
    size_t which[CANDIDATES_TOP], n = 0;
    x->top = choose_top(x, 1);
    for (size_t i = 0; i < k->candidates && n < x->top; i++)
        if (k->candidate[i].confirmation.standing == STANDING_CONFIRMED)
            which[n++] = i;
    return run_stage(x, which, n, true, e);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int explore(struct experiment *x, struct err *e)
{
    int did = investigate(x, e);
    x->top = choose_top(x, 2);
    if (did == 0 && !x->k->unfinished)
        did = confirm(x, e);
    if (did == 0 && !x->k->unfinished)
        did = reproduce(x, e);
    if (did < 0)
        x->k->unfinished = true;
    return did;
}

int concurrency(struct source *s, const struct diagnosis *d, const struct concurrency_plan *plan,
                struct watch *w, struct finding *f, struct err *e)
{
    struct campaign c = {.source = s,
                         .watch = w,
                         .finding = f,
                         .seed = d->seed,
                         .seen = d->first,
                         .fresh_only = true};
    struct experiment x = {.c = &c, .k = mem_or_die(sizeof *x.k)};
    f->concurrency = x.k;
    c.began_ns = s->ops->now_ns(s);
    c.deadline_ns = c.began_ns + d->budget_ns;
    f->seed = d->seed;
    experiment_conditions(x.k, plan->xdist);
    int did = explore(&x, e);
    experiment_conclude(&x);
    if (x.k->unfinished && did == 0)
        finding_warn(f, "the budget ended before the experiment did: give it more with --budget");
    f->stats.seconds = (double)(s->ops->now_ns(s) - c.began_ns) / (double)NS_PER_S;
    return did;
}
