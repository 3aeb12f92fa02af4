/* Baseline: N runs are N settings drawn from one master seed. Distributed as nature is, yet each
 * can be played again, so the natural failure itself is the reproduction. */
#include "search/phases.h"

#include "stats/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void remember(struct campaign *c, const struct trial *t, unsigned process,
                     const struct outcome *o)
{
    if (!outcome_ran(o))
        return;
    struct baseline *b = &c->finding->baseline;
    b->runs++;
    if (outcome_failed(o)) {
        b->failed++;
        baseline_note(b, o);
    } else if (o->tier == TIER_WARM || c->seen.tier != TIER_WARM) {
        c->seen = *o; /* a warm one, if there is: its length is the test's own */
    }
    if (c->runs < RUNS_MAX)
        c->run[c->runs++] = (struct run){.at = t->at, .process = process, .outcome = *o};
}

/* Two hangs (and the user's own run before them), or forty failures, with nothing else: more of
 * the same tells nothing new. */
static bool hopeless(const struct campaign *c)
{
    const struct baseline *b = &c->finding->baseline;
    unsigned hangs = 0;
    for (size_t i = 0; i < b->prints; i++)
        if (strcmp(b->print[i].print.type, "<hang>") == 0)
            hangs += b->print[i].count;
    return b->failed == b->runs && (hangs >= 2 || (b->runs >= 40 && c->processes >= 20));
}

struct count {
    unsigned runs, failed;
};

/* Outcomes per process; the caller frees. */
static struct count *count_processes(const struct campaign *c)
{
    struct count *n = mem_or_die((c->processes + 1) * sizeof *n);
    for (size_t i = 0; i < c->runs; i++) {
        struct count *p = &n[c->run[i].process];
        p->runs++;
        p->failed += outcome_failed(&c->run[i].outcome);
    }
    return n;
}

enum unit { UNIT_RUN, UNIT_PROCESS, UNIT_OPEN };

/* Log of the chance that n independent runs, at least one of which came out in a way that has
 * chance p, all came out so. */
static double log_all(double p, unsigned n)
{
    return n < 2 || p <= 0 || p >= 1 ? 0 : n * log(p) - log1p(-pow(1 - p, n));
}

/* Whether the process is the unit: each had one outcome throughout, they differ, and luck does not
 * explain it: had runs been independent at the pooled rate, processes with a failure would have
 * failed throughout (or those with a pass passed) with less than 1 % chance. Until then the
 * question is open. *ret counts processes. */
static enum unit find_unit(const struct campaign *c, struct count *ret)
{
    struct count *n = count_processes(c);
    const struct baseline *b = &c->finding->baseline;
    double p = b->runs ? (double)b->failed / b->runs : 0, failing = 0, passing = 0;
    bool constant = !c->varies;
    *ret = (struct count){0};
    for (unsigned i = 0; i < c->processes; i++) {
        constant &= n[i].failed == 0 || n[i].failed == n[i].runs;
        failing += n[i].failed ? log_all(p, n[i].runs) : 0;
        passing += n[i].failed ? 0 : log_all(1 - p, n[i].runs);
        ret->runs += n[i].runs > 0;
        ret->failed += n[i].failed > 0;
    }
    free(n);
    if (!constant || ret->failed == 0 || ret->failed == ret->runs)
        return UNIT_RUN;
    /* Two questions, half the chance each. */
    return failing < log(0.005) || passing < log(0.005) ? UNIT_PROCESS : UNIT_OPEN;
}

static bool enough(const struct campaign *c, const struct baseline_plan *plan, int64_t until_ns)
{
    const struct baseline *b = &c->finding->baseline;
    if (c->source->ops->now_ns(c->source) >= until_ns || c->runs == RUNS_MAX ||
        (!plan->persist && hopeless(c)))
        return true;
    if (b->runs < c->least_runs)
        return false;
    if (c->processes >= plan->processes && b->runs >= plan->runs)
        return true;
    struct count ignored;
    return plan->stop_when_mixed && b->failed >= 3 && b->runs - b->failed >= 3 &&
           c->processes >= 4 && find_unit(c, &ignored) != UNIT_OPEN;
}

static struct row *baseline_row(struct campaign *c, const char *label, enum tier tier)
{
    struct evidence *ev = &c->finding->evidence;
    for (size_t i = 0; i < ev->n; i++)
        if (strcmp(ev->at[i].label, label) == 0)
            return &ev->at[i];
    return evidence_add(ev, label, tier);
}

/* How many runs a process gets in one go: few at first, so that a test that always fails or hangs
 * is seen early; then as planned, if the budget's share bears it. */
static unsigned each_now(const struct campaign *c, const struct baseline_plan *plan,
                         int64_t until_ns)
{
    unsigned seen = c->finding->baseline.runs, n = seen < 6 ? 3 : seen < 20 ? 8 : plan->each;
    unsigned jobs = c->source->jobs ? c->source->jobs : 1;
    unsigned last = (plan->runs - seen + jobs - 1) / jobs; /* of what is asked for */
    if (seen < plan->runs && c->processes + jobs >= plan->processes && last < n)
        n = last;
    int64_t left = until_ns - c->source->ops->now_ns(c->source);
    int64_t fit = left / campaign_cost_ns(c, TIER_WARM);
    if (fit < (int64_t)n)
        n = fit > 1 ? (unsigned)fit : 1;
    return n;
}

int baseline_draw(struct campaign *c, const struct baseline_plan *plan, struct err *e)
{
    enum { BATCH = 128 };
    struct trial *batch = mem_or_die(BATCH * sizeof *batch);
    struct outcome *got = mem_or_die(BATCH * sizeof *got);
    int64_t until = c->source->ops->now_ns(c->source) + plan->share_ns;
    if (until > c->deadline_ns)
        until = c->deadline_ns;
    int did = 0;
    c->phase = "baseline";
    while (did == 0 && !enough(c, plan, until)) {
        unsigned each = each_now(c, plan, until), jobs = c->source->jobs ? c->source->jobs : 1;
        size_t n = 0;
        unsigned process_of[BATCH];
        for (unsigned p = 0; p < jobs; p++) {
            struct setting process;
            campaign_draw(c, &process);
            for (unsigned i = 0; i < each && n < BATCH; i++) {
                batch[n] = (struct trial){.tier = TIER_WARM};
                process_of[n] = c->processes + p;
                campaign_draw(c, &batch[n].at);
                setting_take(&batch[n++].at, &process, c->source->at_start);
            }
        }
        struct row *row = baseline_row(c, "baseline", TIER_WARM);
        did = campaign_run(c, batch, n, got, row, e);
        unsigned before = c->finding->baseline.runs;
        for (size_t i = 0; did == 0 && i < n; i++)
            remember(c, &batch[i], process_of[i], &got[i]);
        if (c->finding->baseline.runs == before)
            break; /* nothing ran: the budget is over, or the test is not there any more */
        c->processes += jobs;
        campaign_tell(c, "", plan->runs, row);
    }
    free(batch);
    free(got);
    return did;
}

int baseline_fresh(struct campaign *c, unsigned runs, struct err *e)
{
    c->phase = "baseline";
    if (c->fresh_only && runs < c->least_runs)
        runs = c->least_runs;
    for (unsigned done = 0; done < runs && campaign_affords(c, 2, TIER_FRESH);) {
        struct trial batch[2] = {{.tier = TIER_FRESH}, {.tier = TIER_FRESH}};
        struct outcome got[2];
        size_t n = runs - done < 2 ? 1 : 2;
        for (size_t i = 0; i < n; i++)
            campaign_draw(c, &batch[i].at);
        struct row *row = baseline_row(
            c, c->fresh_only ? "baseline, fresh processes only" : "baseline, fresh processes",
            TIER_FRESH);
        if (campaign_run(c, batch, n, got, row, e) < 0)
            return -1;
        for (size_t i = 0; i < n; i++)
            remember(c, &batch[i], c->processes + (unsigned)i, &got[i]);
        c->processes += (unsigned)n;
        done += (unsigned)n;
        campaign_tell(c, "", runs, row);
        const struct baseline *b = &c->finding->baseline;
        if (hopeless(c) || (c->fresh_only && b->failed >= 2 && b->runs - b->failed >= 2 &&
                            b->runs >= 10 && b->runs >= c->least_runs))
            break;
    }
    return 0;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t median_took(const struct campaign *c)
{
    if (c->runs == 0)
        return 0;
    int64_t *took = mem_or_die(c->runs * sizeof *took);
    for (size_t i = 0; i < c->runs; i++)
        took[i] = c->run[i].outcome.took_ns;
    qsort(took, c->runs, sizeof *took, by_size);
    int64_t median = took[c->runs / 2];
    free(took);
    return median;
}

void baseline_sum(struct campaign *c)
{
    struct baseline *b = &c->finding->baseline;
    struct count unit = {b->runs, b->failed}, processes;
    b->processes = c->processes;
    b->by_process = find_unit(c, &processes) == UNIT_PROCESS;
    if (b->by_process)
        unit = processes;
    b->units = unit.runs;
    b->units_failed = unit.failed;
    unsigned n = unit.runs, k = unit.failed;
    struct interval ci = n ? interval_exact(k, n, 0.95) : (struct interval){0, 1};
    b->rate = n ? (double)k / n : 0;
    b->low = ci.low;
    b->high = ci.high;
    b->median_ns = median_took(c);
}
