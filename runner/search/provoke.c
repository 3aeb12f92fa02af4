/* Provoke: values that nature seldom draws. Screening only; nothing is claimed from it. */
#include "search/phases.h"

#include "stats/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 12
#define SWEEP_MINIMUM                                                                              \
    40 /* values of an axis, likely ones first, below which it was not searched                    \
        */

/* Runs per value so that one that does nothing fails them all in at most 1 % of cases. Where
 * nothing ever failed one is enough: a failure is looked at again. */
static unsigned tries(double base_rate)
{
    if (base_rate <= 0)
        return 1;
    if (base_rate <= 0.1)
        return 2;
    if (base_rate >= 0.68)
        return TRIES_MAX;
    return (unsigned)ceil(log(0.01) / log(base_rate));
}

static void value_trial(struct campaign *c, enum fd_axis a, const char *value, struct trial *t)
{
    *t = (struct trial){.tier = campaign_tier(c)};
    campaign_draw_near(c, &t->at);
    setting_hold(&t->at, a, value);
}

static void add_requirement(struct campaign *c, enum fd_axis a, const char *value,
                            const struct outcome *o)
{
    struct finding *f = c->finding;
    if (f->requirements == REQUIREMENTS_MAX)
        return;
    struct requirement *r = &f->requirement[f->requirements++];
    *r = (struct requirement){.axis = a};
    text_copy(r->value, sizeof r->value, value);
    text_copy(r->exception, sizeof r->exception, o->print.type);
    text_copy(r->site, sizeof r->site, o->print.site);
}

struct tried { /* what one value gave */
    unsigned runs, failed;
    struct outcome last_failed;
};

/* Values that are tried in one go: as many as there are trials under way at once, or one of them
 * would wait for the other. */
#define SIDE_BY_SIDE 2
struct values {
    enum fd_axis axis;
    size_t n;
    char at[SIDE_BY_SIDE][SETTING_VALUE_MAX];
};

static int try_values(struct campaign *c, const struct values *v, unsigned each,
                      struct tried ret[SIDE_BY_SIDE], struct err *e)
{
    struct trial t[SIDE_BY_SIDE * TRIES_MAX];
    struct outcome got[SIDE_BY_SIDE * TRIES_MAX];
    for (size_t i = 0; i < v->n * each; i++)
        value_trial(c, v->axis, v->at[i / each], &t[i]);
    if (campaign_run(c, t, v->n * each, got, NULL, e) < 0)
        return -1;
    for (size_t k = 0; k < v->n; k++)
        ret[k] = (struct tried){0};
    for (size_t i = 0; i < v->n * each; i++) {
        struct tried *one = &ret[i / each];
        one->runs += outcome_ran(&got[i]);
        if (outcome_failed(&got[i])) {
            one->failed++;
            one->last_failed = got[i];
        }
    }
    return 0;
}

static int try_value(struct campaign *c, enum fd_axis a, const char *value, unsigned n,
                     struct tried *ret, struct err *e)
{
    struct values v = {.axis = a, .n = 1};
    text_copy(v.at[0], sizeof v.at[0], value);
    return try_values(c, &v, n, ret, e);
}

static void add_row(struct campaign *c, enum fd_axis a, const char *value, const struct tried *got)
{
    struct row *r = evidence_add(&c->finding->evidence, "provoke", campaign_tier(c));
    row_about(r, a, value);
    r->runs = got->runs;
    r->failed = got->failed;
}

static void add_candidate(struct candidate *list, size_t *n, enum fd_axis a, const char *value,
                          const struct outcome *o)
{
    if (*n == CANDIDATES_MAX)
        return;
    struct candidate *k = &list[(*n)++];
    *k = (struct candidate){.axes = axis_bit(a), .print = o->print};
    setting_hold(&k->failing, a, value);
    text_copy(k->message, sizeof k->message, o->message);
}

struct sweep {
    struct campaign *c;
    enum fd_axis axis;
    unsigned each;
    size_t passed;     /* values with which every run passed */
    size_t candidates; /* found on this axis */
    unsigned clean;    /* runs of the values that passed: one row for them all */
    size_t mixed;      /* values with which some runs failed: one row too */
    unsigned mixed_runs, mixed_failed;
};

/* One value of the sweep. Values that pass are summed up in one row; the others have their own. */
static int sweep_value(struct sweep *s, const char *value, const struct tried *first,
                       struct candidate *list, size_t *n, struct err *e)
{
    struct campaign *c = s->c;
    struct tried got = *first;
    if (got.failed == 0) {
        s->passed++;
        s->clean += got.runs;
        return 0;
    }
    if (got.failed == got.runs && c->source->ops->requirement(c->source, s->axis, value)) {
        add_requirement(c, s->axis, value, &got.last_failed);
        return 0;
    }
    if (got.failed < got.runs) {
        s->mixed++;
        s->mixed_runs += got.runs;
        s->mixed_failed += got.failed;
        return 0;
    }
    add_row(c, s->axis, value, &got);
    struct tried again;
    /* Several processes at once cost as many runs; what is claimed is verified all the same. */
    unsigned more = c->source->faces & axis_bit(s->axis) ? 2 : 4;
    if (try_value(c, s->axis, value, more, &again, e) < 0)
        return -1;
    struct row *r = &c->finding->evidence.at[c->finding->evidence.n - 1];
    r->runs += again.runs;
    r->failed += again.failed;
    if (again.failed == again.runs && again.runs > 0) {
        add_candidate(list, n, s->axis, value, &again.last_failed);
        s->candidates++;
    }
    return 0;
}

static struct row *sum_row(const struct sweep *s)
{
    struct row *r = evidence_add(&s->c->finding->evidence, "provoke", campaign_tier(s->c));
    r->has_axis = true;
    r->axis = s->axis;
    return r;
}

/* The next values of the axis, from number *nth on; false: there are none. */
static bool next_values(const struct sweep *s, size_t *nth, struct values *v)
{
    const struct campaign *c = s->c;
    /* Those that run by themselves wait for each other anyway. */
    bool one = c->source->jobs < 2 || c->source->faces & axis_bit(s->axis);
    unsigned most = one ? 1 : SIDE_BY_SIDE;
    *v = (struct values){.axis = s->axis};
    while (v->n < most &&
           c->source->ops->provoke(c->source, s->axis, &c->seen, *nth, v->at[v->n])) {
        v->n++;
        ++*nth;
    }
    return v->n > 0;
}

static void tell_sweep(const struct sweep *s, const char *value)
{
    own_text struct text what = {0};
    text_addf(&what, "%s=%s", axis_word(s->axis), value);
    struct row so_far = {.runs = s->clean};
    campaign_tell(s->c, text_str(&what), 0, &so_far);
}

static int sweep_axis(struct sweep *s, struct candidate *list, size_t *n, struct err *e)
{
    struct campaign *c = s->c;
    struct values v;
    for (size_t nth = 0; next_values(s, &nth, &v);) {
        struct tried got[SIDE_BY_SIDE];
        /* Two candidates on one axis are two faces of one cause; of a race one is enough. */
        if (s->candidates >= (c->source->faces & axis_bit(s->axis) ? 1 : 2) ||
            *n >= CANDIDATES_MAX - 1)
            break;
        /* Once something failed, enough has to be left to look into it. */
        size_t reserve = s->candidates || s->mixed ? 40 : 4;
        if (!campaign_affords(c, v.n * s->each + reserve, campaign_tier(c))) {
            finding_warn(c->finding, "the budget ended before every value of %s was tried",
                         axis_word(s->axis));
            c->unfinished |= nth < SWEEP_MINIMUM + v.n;
            break;
        }
        if (try_values(c, &v, s->each, got, e) < 0)
            return -1;
        for (size_t i = 0; i < v.n; i++)
            if (sweep_value(s, v.at[i], &got[i], list, n, e) < 0)
                return -1;
        if (nth % 16 == 0)
            tell_sweep(s, v.at[0]);
    }
    if (s->mixed) {
        struct row *r = sum_row(s);
        snprintf(r->note, sizeof r->note, "%zu values, some runs fail", s->mixed);
        r->runs = s->mixed_runs;
        r->failed = s->mixed_failed;
    }
    if (s->passed) {
        struct row *r = sum_row(s);
        snprintf(r->note, sizeof r->note, "%zu values, all pass", s->passed);
        r->runs = s->clean;
    }
    return 0;
}

/* Processes of the baseline whose failures stand out from all the others': the axes fixed at
 * process start may decide how often the test fails. */
static void standing_out(struct campaign *c, struct candidate *list, size_t *n)
{
    unsigned all = 0, failed = 0, best_failed = 0, best = 0, worst = 0;
    unsigned *count = mem_or_die(2 * (c->processes + 1) * sizeof *count);
    for (size_t i = 0; i < c->runs; i++) {
        count[2 * c->run[i].process]++;
        count[2 * c->run[i].process + 1] += outcome_failed(&c->run[i].outcome);
        all++;
        failed += outcome_failed(&c->run[i].outcome);
    }
    double least = 0.01 / (c->processes + 1.0), low = 2;
    for (unsigned p = 0; p < c->processes; p++) {
        unsigned r = count[2 * p], f = count[2 * p + 1];
        if (r < 3)
            continue;
        double value = fisher_greater(f, r, failed - f, all - r);
        if (value < least) {
            least = value;
            best = p;
            best_failed = f;
        }
        if ((double)f / r < low) {
            low = (double)f / r;
            worst = p;
        }
    }
    const struct run *out = NULL, *other = NULL;
    for (size_t i = 0; i < c->runs && best_failed; i++) {
        if (c->run[i].process == best && outcome_failed(&c->run[i].outcome))
            out = &c->run[i];
        if (c->run[i].process == worst && !outcome_failed(&c->run[i].outcome))
            other = &c->run[i];
    }
    free(count);
    if (!out || !other || *n == CANDIDATES_MAX)
        return;
    struct candidate *k = &list[(*n)++];
    *k = (struct candidate){.axes = c->source->at_start & out->at.held,
                            .failing = out->at,
                            .passing = other->at,
                            .has_passing = true,
                            .print = out->outcome.print};
    text_copy(k->message, sizeof k->message, out->outcome.message);
}

int provoke(struct campaign *c, double base_rate, struct candidate *ret, size_t *ret_n,
            struct err *e)
{
    c->phase = "provoke";
    *ret_n = 0;
    if (campaign_look(c, e) < 0)
        return -1;
    if (base_rate > 0 && c->source->at_start)
        standing_out(c, ret, ret_n);
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        char drawn[SETTING_VALUE_MAX];
        if (!(c->source->axes & axis_bit(a)))
            continue;
        if ((c->source->hooked & axis_bit(a)) && !(c->touched & axis_bit(a)))
            continue;
        /* Values that nature draws were drawn in the baseline, each run another. */
        if (c->source->ops->draw(c->source, a, 1, drawn))
            continue;
        struct sweep s = {.c = c, .axis = a, .each = tries(base_rate)};
        if (sweep_axis(&s, ret, ret_n, e) < 0)
            return -1;
    }
    return 0;
}

int provoke_passes(struct campaign *c, const struct run *failing, struct candidate *ret,
                   size_t *ret_n, struct err *e)
{
    c->phase = "provoke";
    *ret_n = 0;
    if (campaign_look(c, e) < 0)
        return -1;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        char value[SETTING_VALUE_MAX];
        if ((c->source->hooked & axis_bit(a)) && !(c->touched & axis_bit(a)))
            continue;
        /* Values that nature draws were drawn in the baseline, and the test failed with all. */
        if (!(c->source->axes & axis_bit(a)) || !setting_holds(&failing->at, a) ||
            c->source->ops->draw(c->source, a, 1, value))
            continue;
        unsigned runs = 0;
        for (size_t nth = 0; *ret_n < CANDIDATES_MAX && campaign_affords(c, 22, campaign_tier(c)) &&
                             c->source->ops->benign(c->source, a, &c->seen, NULL, nth, value);
             nth++) {
            struct tried got;
            if (try_value(c, a, value, 2, &got, e) < 0)
                return -1;
            runs += got.runs;
            if (got.runs == 0 || got.failed > 0)
                continue;
            struct candidate *k = &ret[(*ret_n)++];
            *k = (struct candidate){.axes = axis_bit(a),
                                    .failing = failing->at,
                                    .passing = failing->at,
                                    .has_passing = true,
                                    .print = failing->outcome.print};
            setting_hold(&k->passing, a, value);
            text_copy(k->message, sizeof k->message, failing->outcome.message);
            break;
        }
        struct row *r = evidence_add(&c->finding->evidence, "benign values", campaign_tier(c));
        r->has_axis = true;
        r->axis = a;
        r->runs = runs;
        r->failed = *ret_n ? 0 : runs;
    }
    return 0;
}
