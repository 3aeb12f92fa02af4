/* Hand-made experiments over worker counts: the members `concurrency` of two findings. */
#include "../cli/report_cases.h"

#include <string.h>

static struct condition *condition(struct concurrency *k, enum condition_type type,
                                   unsigned workers, unsigned delay_ms, unsigned failed)
{
    struct condition *c = &k->condition[k->conditions++];
    c->type = type;
    c->workers = workers;
    c->delay_ms = delay_ms;
    c->same_as = -1;
    c->reference = type == CONDITION_TIMING ? 2 : workers == 1 ? -1 : 0;
    c->p = c->p_adjusted = -1;
    c->n = (struct counts){.passed = 24 - failed, .failed = failed, .trials = 24 / workers};
    return c;
}

static void compared(struct condition *c, double delta, double low, double high, double p)
{
    c->delta_pp = delta;
    c->low_pp = low;
    c->high_pp = high;
    c->p = p / 5;
    c->p_adjusted = p;
    c->signal = delta > 0 ? SIGNAL_STRONG : SIGNAL_NONE;
}

static void rate(struct condition *c, double low, double high)
{
    c->rate_low = low;
    c->rate_high = high;
}

static void ran(struct stage *s, unsigned failed, double consistency, double p,
                enum standing standing)
{
    s->ran = true;
    s->n = (struct counts){.passed = 72 - failed, .failed = failed, .trials = 9,
                           .trials_failed = 9};
    s->reference = (struct counts){.passed = 72, .trials = 72};
    s->mean_pp = 100.0 * failed / 72;
    s->consistency = consistency;
    s->p = p / 2;
    s->p_adjusted = p;
    s->standing = standing;
}

struct concurrency *case_workers_matter(void)
{
    struct concurrency *k = mem_or_die(sizeof *k);
    *k = (struct concurrency){.block = 8, .flaky = true, .trend_p = 1.3e-5};
    rate(condition(k, CONDITION_WORKER, 1, 0, 0), 0, 0.142);
    compared(condition(k, CONDITION_WORKER, 2, 0, 1), 4.17, -10.1, 20.2, 1);
    rate(&k->condition[1], 0.001, 0.211);
    compared(condition(k, CONDITION_WORKER, 4, 0, 7), 29.2, 8.8, 49.1, 0.018);
    rate(&k->condition[2], 0.126, 0.511);
    compared(condition(k, CONDITION_WORKER, 8, 0, 9), 37.5, 15.9, 57.3, 0.0037);
    rate(&k->condition[3], 0.188, 0.594);
    rate(condition(k, CONDITION_MODE, 1, 0, 0), 0, 0.142);
    compared(condition(k, CONDITION_MODE, 4, 0, 7), 29.2, 8.8, 49.1, 0.018);
    rate(&k->condition[5], 0.126, 0.511);
    compared(condition(k, CONDITION_TIMING, 4, 10, 5), -8.3, -31.7, 16.3, 1);
    rate(&k->condition[6], 0.071, 0.422);
    compared(condition(k, CONDITION_TIMING, 4, 20, 2), -20.8, -41.7, 3.2, 1);
    rate(&k->condition[7], 0.01, 0.27);
    k->candidates = 3;
    k->candidate[0] = (struct ranked){.condition = 3, .score = 137.5};
    k->candidate[1] = (struct ranked){.condition = 2, .score = 129.2};
    k->candidate[2] = (struct ranked){.condition = 1, .score = 104.2};
    ran(&k->candidate[0].confirmation, 27, 100, 4.1e-5, STANDING_CONFIRMED);
    ran(&k->candidate[1].confirmation, 9, 200.0 / 3, 0.032, STANDING_WEAK);
    ran(&k->candidate[0].reproduction, 25, 100, 2.1e-5, STANDING_CONFIRMED);
    return k;
}

struct concurrency *case_a_coin(void)
{
    struct concurrency *k = mem_or_die(sizeof *k);
    *k = (struct concurrency){.block = 8, .flaky = true, .unfinished = true, .trend_p = 0.64};
    rate(condition(k, CONDITION_WORKER, 1, 0, 7), 0.126, 0.511);
    k->condition[0].n.unknown = 1;
    k->condition[0].n.passed--;
    compared(condition(k, CONDITION_WORKER, 2, 0, 8), 2.9, -22.4, 27.8, 1);
    k->condition[1].signal = SIGNAL_WEAK;
    rate(&k->condition[1], 0.156, 0.553);
    k->candidates = 1;
    k->candidate[0] = (struct ranked){.condition = 1, .score = 52.9};
    return k;
}
