/* Provoke: values that nature seldom draws. Screening only; nothing is claimed from it. */
#include "search/phases.h"

#include "stats/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 12
/* Values of an axis, likely ones first, below which it was not searched. */
#define SWEEP_MINIMUM 40
/* Fresh runs for which unlikely values leave time: the questions after them need as many. */
#define LATER_FRESH 18

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

struct value { /* number nth of its axis */
    enum fd_axis axis;
    size_t nth;
    char text[SETTING_VALUE_MAX];
};

/* Values that are tried in one go: as many as there are trials under way at once, or one of them
 * would wait for the other. */
#define SIDE_BY_SIDE 2

static int try_values(struct campaign *c, const struct value *v, size_t many, unsigned each,
                      struct tried ret[SIDE_BY_SIDE], struct err *e)
{
    struct trial t[SIDE_BY_SIDE * TRIES_MAX];
    struct outcome got[SIDE_BY_SIDE * TRIES_MAX];
    for (size_t i = 0; i < many * each; i++)
        value_trial(c, v[i / each].axis, v[i / each].text, &t[i]);
    if (campaign_run(c, t, many * each, got, NULL, e) < 0)
        return -1;
    for (size_t k = 0; k < many; k++)
        ret[k] = (struct tried){0};
    for (size_t i = 0; i < many * each; i++) {
        struct tried *one = &ret[i / each];
        one->runs += outcome_ran(&got[i]);
        if (outcome_failed(&got[i])) {
            one->failed++;
            one->last_failed = got[i];
        }
    }
    return 0;
}

static void add_tried(struct tried *to, const struct tried *more)
{
    to->runs += more->runs;
    to->failed += more->failed;
    if (more->failed)
        to->last_failed = more->last_failed;
}

/* Many runs of each, but no more than FEW where one of these passed already: the value is none with
 * which it always fails. */
#define FEW 3
static int try_often(struct campaign *c, const struct value *v, size_t many, unsigned each,
                     struct tried ret[SIDE_BY_SIDE], struct err *e)
{
    struct tried more[SIDE_BY_SIDE];
    if (try_values(c, v, many, each < FEW ? each : FEW, ret, e) < 0)
        return -1;
    for (size_t i = 0; each > FEW && i < many; i++) {
        if (ret[i].runs == 0 || ret[i].failed < ret[i].runs)
            continue;
        if (try_values(c, &v[i], 1, each - FEW, more, e) < 0)
            return -1;
        add_tried(&ret[i], &more[0]);
    }
    return 0;
}

static int try_value(struct campaign *c, enum fd_axis a, const char *value, unsigned n,
                     struct tried *ret, struct err *e)
{
    struct value v = {.axis = a};
    text_copy(v.text, sizeof v.text, value);
    return try_values(c, &v, 1, n, ret, e);
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

static void add_mixed(struct swept *s, const struct tried *got)
{
    s->mixed++;
    s->mixed_runs += got->runs;
    s->mixed_failed += got->failed;
}

/* What a test needs is said from more runs than those of the sweep, which failures of another cause
 * may decide, and only where it fails more often than it does by nature. */
static int sweep_requirement(struct campaign *c, const struct value *v, const struct tried *first,
                             struct err *e)
{
    const struct baseline *b = &c->finding->baseline;
    struct tried got = *first, again;
    unsigned more = 2 * first->runs < 4 ? 4 : 2 * first->runs;
    if (try_value(c, v->axis, v->text, more < TRIES_MAX ? more : TRIES_MAX, &again, e) < 0)
        return -1;
    add_tried(&got, &again);
    /* A quiet baseline may be short; one in which it fails is what many values are held against. */
    if (again.runs > 0 && got.failed == got.runs &&
        fisher_greater(got.failed, got.runs, b->failed, b->runs) < (b->failed ? 1e-4 : 0.05)) {
        add_requirement(c, v->axis, v->text, &got.last_failed);
        c->swept[v->axis].needed++;
    } else {
        add_mixed(&c->swept[v->axis], &got);
    }
    return 0;
}

/* One value of the sweep. Values that pass are summed up in one row; the others have their own. */
static int sweep_value(struct campaign *c, const struct value *v, const struct tried *first,
                       struct candidate *list, size_t *n, struct err *e)
{
    struct swept *s = &c->swept[v->axis];
    struct tried got = *first;
    if (got.failed == 0) {
        s->passed++;
        s->clean += got.runs;
        s->fine |= v->nth < 64 && got.runs ? UINT64_C(1) << v->nth : 0;
        return 0;
    }
    if (got.failed < got.runs) {
        add_mixed(s, &got);
        return 0;
    }
    if (c->source->ops->requirement(c->source, v->axis, v->text))
        return sweep_requirement(c, v, &got, e);
    add_row(c, v->axis, v->text, &got);
    struct tried again;
    /* Several processes at once cost as many runs; what is claimed is verified all the same. */
    bool race = campaign_is_race(c, axis_bit(v->axis));
    if (try_value(c, v->axis, v->text, race ? 2 : 4, &again, e) < 0)
        return -1;
    struct row *r = &c->finding->evidence.at[c->finding->evidence.n - 1];
    add_tried(&got, &again);
    r->runs = got.runs;
    r->failed = got.failed;
    /* A race is lost most of the time at best: whether that is chance is for verify(). */
    bool most = race && 2 * got.failed > got.runs;
    if ((again.failed == again.runs || most) && again.runs > 0) {
        add_candidate(list, n, v->axis, v->text, &got.last_failed);
        s->candidates++;
    }
    return 0;
}

struct sweep {
    size_t until;  /* number of the value at which it stops */
    unsigned each; /* runs of a value */
    struct candidate *list;
    size_t *n;
};

static bool next_value(struct campaign *c, enum fd_axis a, const struct sweep *w, struct value *ret)
{
    struct swept *s = &c->swept[a];
    /* Two candidates on one axis are two faces of one cause; of a race one is enough. */
    s->ended |= s->candidates >= (campaign_is_race(c, axis_bit(a)) ? 1 : 2);
    if (s->ended || s->nth >= w->until)
        return false;
    s->ended = !c->source->ops->provoke(c->source, a, &c->seen, s->nth, ret->text);
    ret->axis = a;
    ret->nth = s->nth;
    s->nth += !s->ended;
    return !s->ended;
}

/* The next values of the axes in `set`, as many as are tried in one go; 0: there are none. */
static size_t next_values(struct campaign *c, uint32_t set, const struct sweep *w,
                          struct value v[SIDE_BY_SIDE])
{
    size_t n = 0;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        size_t most = c->source->jobs > 1 && !campaign_is_race(c, axis_bit(a)) ? SIDE_BY_SIDE : 1;
        while ((set & axis_bit(a)) && n < most && next_value(c, a, w, &v[n]))
            n++;
    }
    return n;
}

static void tell_sweep(struct campaign *c, const struct value *v)
{
    own_text struct text what = {0};
    text_addf(&what, "%s=%s", axis_word(v->axis), v->text);
    struct row so_far = {.runs = c->swept[v->axis].clean};
    campaign_tell(c, text_str(&what), 0, &so_far);
}

/* One row for all values of the axis that passed, one for those with which some runs failed. */
static void sum_up(struct campaign *c, enum fd_axis a)
{
    static const char *const notes[] = {"all pass", "some runs fail"};
    struct swept *s = &c->swept[a];
    const size_t values[] = {s->passed, s->mixed};
    const unsigned runs[] = {s->clean, s->mixed_runs}, failed[] = {0, s->mixed_failed};
    for (int i = 0; i < 2; i++) {
        if (values[i] == 0)
            continue;
        if (!s->row[i]) {
            row_about(evidence_add(&c->finding->evidence, "provoke", campaign_tier(c)), a, "");
            s->row[i] = c->finding->evidence.n;
        }
        struct row *r = &c->finding->evidence.at[s->row[i] - 1];
        int n = snprintf(r->note, sizeof r->note, "%zu value%s, %s", values[i],
                         values[i] == 1 ? "" : "s", notes[i]);
        if (i == 0 && s->needed)
            snprintf(r->note + n, sizeof r->note - (size_t)n, "; %zu more under NEEDS", s->needed);
        r->runs = runs[i];
        r->failed = failed[i];
    }
}

static bool affords_values(const struct campaign *c, const struct value *v, size_t many,
                           const struct sweep *w)
{
    const struct swept *s = &c->swept[v->axis];
    /* Once something failed, enough has to be left to look into it. */
    size_t reserve = s->candidates || s->mixed ? 40 : 4;
    return campaign_affords(c, many * w->each + reserve, campaign_tier(c)) &&
           (v->nth < SWEEP_MINIMUM || campaign_affords(c, LATER_FRESH, TIER_FRESH));
}

static void end_for_budget(struct campaign *c, const struct value *v)
{
    if (!c->swept[v->axis].ended)
        finding_warn(c->finding, "the budget ended before every value of %s was tried",
                     axis_word(v->axis));
    c->unfinished |= v->nth < SWEEP_MINIMUM;
    c->swept[v->axis].ended = true;
}

/* Values of the axes in `set`, of one after the other. */
static int sweep_set(struct campaign *c, uint32_t set, const struct sweep *w, struct err *e)
{
    struct value v[SIDE_BY_SIDE];
    size_t many;
    while (*w->n < CANDIDATES_MAX - 1 && (many = next_values(c, set, w, v)) > 0) {
        struct tried got[SIDE_BY_SIDE];
        bool affords = affords_values(c, v, many, w);
        for (size_t i = 0; !affords && i < many; i++)
            end_for_budget(c, &v[i]);
        if (!affords)
            continue;
        if (try_often(c, v, many, w->each, got, e) < 0)
            return -1;
        for (size_t i = 0; i < many; i++)
            if (sweep_value(c, &v[i], &got[i], w->list, w->n, e) < 0)
                return -1;
        if (c->swept[v[0].axis].nth % 16 < 2)
            tell_sweep(c, &v[0]);
    }
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if (set & axis_bit(a))
            sum_up(c, a);
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

bool provoke_may(struct campaign *c, enum fd_axis a)
{
    char drawn[SETTING_VALUE_MAX];
    if (!(c->source->axes & axis_bit(a)))
        return false;
    if ((c->source->hooked & axis_bit(a)) && !(c->touched & axis_bit(a)))
        return false;
    /* Values that nature draws were drawn in the baseline, each run another. */
    return !c->source->ops->draw(c->source, a, 1, drawn);
}

/* Values that take a process of their own first, whatever their axes, so that no place stays empty
 * beside the last of an axis; then the others, which share a process. */
static int sweep_all(struct campaign *c, const struct sweep *w, struct err *e)
{
    uint32_t may = 0;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        may |= provoke_may(c, a) ? axis_bit(a) : 0;
    if (sweep_set(c, may & c->source->at_start, w, e) < 0)
        return -1;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if ((may & ~c->source->at_start & axis_bit(a)) && sweep_set(c, axis_bit(a), w, e) < 0)
            return -1;
    return 0;
}

int provoke(struct campaign *c, double base_rate, struct candidate *ret, size_t *ret_n,
            struct err *e)
{
    /* The likely values of every axis come before the unlikely ones of any. */
    static const size_t rounds[] = {8, 24, 72, SIZE_MAX};
    c->phase = "provoke";
    *ret_n = 0;
    if (campaign_look(c, e) < 0)
        return -1;
    for (; c->round < sizeof rounds / sizeof *rounds && *ret_n == 0; c->round++) {
        if (base_rate > 0 && c->source->at_start && c->round == 0)
            standing_out(c, ret, ret_n);
        const struct sweep w = {rounds[c->round], tries(base_rate), ret, ret_n};
        if (sweep_all(c, &w, e) < 0)
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
        if (runs == 0)
            continue;
        struct row *r = evidence_add(&c->finding->evidence, "benign values", campaign_tier(c));
        r->has_axis = true;
        r->axis = a;
        r->runs = runs;
        r->failed = *ret_n ? 0 : runs;
    }
    return 0;
}
