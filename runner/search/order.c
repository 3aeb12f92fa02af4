/* The tests before it. Whether those that ran before, or stand near it, make it fail (or, for a
 * test that always fails alone, pass), and the fewest of them that do.
 *
 * The fewest: the shortest beginning of the list that still decides ends with a test that is
 * needed; with that one kept, the shortest beginning before it is looked for, until what is kept
 * decides alone. Each needs log2(n) runs, however many are needed together (the idea of
 * QuickXplain, Junker 2004, for tests in a row). All runs of a search share one setting, so that a
 * flaky companion does not mislead it, and most begin like an earlier one: a warm process forks
 * there. */
#include "search/phases.h"

#include "model/before.h"

#include <stdio.h>
#include <string.h>

#define DRAWS     6   /* of a list that passes: what else may have to come together with it */
#define SURE      2   /* failures in a row after which no more are drawn */
#define CONFIRMED 1   /* draws in which the fewest are to decide too; verify() makes more */
#define SINGLES   128 /* one at a time up to here; of more, so many groups */

struct past {
    struct campaign *c;
    struct setting at;        /* all but the order */
    struct setting other;     /* another one; nothing held: none was needed yet */
    struct fingerprint print; /* of the failure */
    char message[sizeof((struct outcome *)0)->message];
    bool by_passing; /* the test fails alone: what is looked for makes it pass */
    bool found;      /* some tests decide */
    size_t n;        /* tests that may run before it */
    int64_t cost_ns; /* of the last run */
    int64_t keep_ns; /* of the budget, for other questions while nothing is found */
};

void order_hold(struct setting *s, const struct before *b)
{
    char value[SETTING_VALUE_MAX];
    before_text(b, value, sizeof value);
    setting_hold(s, FD_AXIS_ORDER, value);
}

/* Whether as many more can be made, and what was found be put to the test; if not, the question
 * stays open. */
static bool affords(struct past *p, unsigned runs)
{
    int64_t left = campaign_left_ns(p->c);
    bool does = (p->found || left > p->keep_ns) && left > runs * p->cost_ns &&
                campaign_affords(p->c, p->found ? 10 : SURE, TIER_FRESH);
    p->c->unfinished |= !does;
    return does;
}

static struct row *row_for(struct past *p, const struct before *b)
{
    char label[64];
    size_t n = before_count(b);
    snprintf(label, sizeof label, "after %zu %s test%s", n, b->self ? "run of the" : "other",
             n == 1 ? "" : "s");
    struct evidence *ev = &p->c->finding->evidence;
    struct row *last = ev->n ? &ev->at[ev->n - 1] : NULL;
    return last && strcmp(last->label, label) == 0 ? last
                                                   : evidence_add(ev, label, campaign_tier(p->c));
}

/* Runs after these tests, n <= SURE side by side; ret_decides[i]: it came out as is looked for. */
static int decide_all(struct past *p, const struct setting *at, size_t n, const struct before *b,
                      bool *ret_decides, struct err *e)
{
    struct campaign *c = p->c;
    struct trial t[SURE];
    struct outcome got[SURE];
    for (size_t i = 0; i < n; i++) {
        t[i] = (struct trial){.at = at[i], .tier = campaign_tier(c)};
        order_hold(&t[i].at, b);
    }
    struct row *row = row_for(p, b);
    if (campaign_run(c, t, n, got, row, e) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (got[i].took_ns)
            p->cost_ns = got[i].took_ns;
        ret_decides[i] = p->by_passing ? got[i].kind == OUTCOME_PASS : outcome_failed(&got[i]);
        p->found |= ret_decides[i];
        if (!p->by_passing && outcome_failed(&got[i])) {
            if (p->print.type[0]) {
                ret_decides[i] = fingerprint_same(&got[i].print, &p->print);
            } else {
                p->print = got[i].print;
                text_copy(p->message, sizeof p->message, got[i].message);
            }
        }
    }
    campaign_tell(c, row->label, 0, row);
    return 0;
}

static int decides(struct past *p, const struct setting *at, const struct before *b,
                   bool *ret_decides, struct err *e)
{
    return decide_all(p, at, 1, b, ret_decides, e);
}

static void append(struct before *b, const struct before *more)
{
    for (size_t i = 0; i < more->n; i++)
        before_add(b, more->range[i].first, more->range[i].last);
}

/* The tests [0, k) and those that are kept. */
static struct before beginning(size_t k, const struct before *kept)
{
    struct before b = {0};
    if (k)
        before_add(&b, 0, k - 1);
    append(&b, kept);
    return b;
}

/* From a list that decides to the fewest of its tests that do. */
static int fewest(struct past *p, size_t n, struct before *kept, struct err *e)
{
    size_t most = n;
    while (kept->n + 1 < BEFORE_RANGES && affords(p, 1)) {
        size_t low = 0, high = most;
        bool yes = false;
        struct before b = *kept;
        if (kept->n && decides(p, &p->at, &b, &yes, e) < 0)
            return -1;
        if (yes)
            return 0;
        while (high - low > 1 && affords(p, 1)) {
            size_t k = low + (high - low) / 2;
            b = beginning(k, kept);
            if (decides(p, &p->at, &b, &yes, e) < 0)
                return -1;
            *(yes ? &high : &low) = k;
        }
        if (high - low > 1 || high == 0)
            break;
        b = (struct before){0};
        before_add(&b, high - 1, high - 1);
        append(&b, kept);
        *kept = b;
        most = high - 1;
    }
    *kept = beginning(most, kept); /* the budget ended, or too many: what is known to decide */
    return 0;
}

/* Draws settings, SURE side by side, until the list decided that often in a row, or DRAWS times
 * not. p->at is one in which it did, p->other another one whose process stands ready. */
static int draw_deciding(struct past *p, const struct before *b, unsigned draws, bool *ret_found,
                         struct err *e)
{
    unsigned in_a_row = 0;
    bool broken = false;
    *ret_found = false;
    for (unsigned i = 0; i < draws && in_a_row < SURE && !broken && affords(p, SURE); i += SURE) {
        struct setting at[SURE];
        bool yes[SURE];
        for (unsigned k = 0; k < SURE; k++)
            campaign_draw(p->c, &at[k]);
        if (decide_all(p, at, SURE, b, yes, e) < 0)
            return -1;
        for (unsigned k = 0; k < SURE; k++) {
            in_a_row = yes[k] ? in_a_row + 1 : 0;
            broken |= *ret_found && !yes[k];
            if (yes[k] && !*ret_found) {
                *ret_found = true;
                p->at = at[k];
                p->other = at[k ? 0 : 1];
            }
        }
    }
    return 0;
}

/* One that undoes it may stand between: small groups, one after the other. */
static int one_by_one(struct past *p, size_t from, struct before *ret, bool *ret_found,
                      struct err *e)
{
    size_t size = (p->n - from + SINGLES - 1) / SINGLES;
    campaign_draw(p->c, &p->at);
    for (size_t i = from; i < p->n && !*ret_found && affords(p, 1); i += size) {
        size_t last = i + size < p->n ? i + size - 1 : p->n - 1;
        bool yes = false;
        struct before b = {0};
        before_add(&b, i, last);
        if (decides(p, &p->at, &b, &yes, e) < 0)
            return -1;
        if (yes && decides(p, &p->at, &b, &yes, e) < 0)
            return -1;
        *ret = b;
        *ret_found = yes;
    }
    return 0;
}

/* The candidate: after these tests against alone. Where these do not decide with other settings,
 * what else has to come together is moved over axis by axis. */
static int make_candidate(struct past *p, const struct before *b, struct candidate *ret,
                          bool *ret_found, struct err *e)
{
    const struct before alone = {0};
    struct run deciding = {.at = p->at}, other = {0};
    bool yes = true;
    order_hold(&deciding.at, b);
    for (unsigned i = 0; i < CONFIRMED && yes && affords(p, 1); i++) {
        other.at = p->other;
        if (i > 0 || !other.at.held)
            campaign_draw(p->c, &other.at);
        if (decides(p, &other.at, b, &yes, e) < 0)
            return -1;
    }
    *ret = (struct candidate){.axes = axis_bit(FD_AXIS_ORDER),
                              .failing = deciding.at,
                              .passing = deciding.at,
                              .has_passing = true,
                              .print = p->print};
    text_copy(ret->message, sizeof ret->message, p->message);
    order_hold(p->by_passing ? &ret->failing : &ret->passing, &alone);
    *ret_found = true;
    if (yes || p->by_passing)
        return 0;
    enum transplanted how;
    struct candidate with;
    deciding.outcome.print = p->print;
    order_hold(&other.at, b);
    if (transplant(p->c, &deciding, &other, &with, &how, e) < 0)
        return -1;
    if (how == TRANSPLANT_FOUND) {
        ret->axes |= with.axes;
        setting_take(&ret->passing, &other.at, with.axes);
    }
    return 0;
}

/* Among the tests [0, n), those from `from` on new. */
static int look_among(struct past *p, size_t from, struct candidate *ret, bool *ret_found,
                      struct err *e)
{
    struct before b = {0}, kept = {0};
    bool found = false;
    before_add(&b, 0, p->n - 1);
    p->print = (struct fingerprint){0};
    if (draw_deciding(p, &b, DRAWS, &found, e) < 0)
        return -1;
    if (found && fewest(p, p->n, &kept, e) < 0)
        return -1;
    if (!found && p->n - from > 1 && one_by_one(p, from, &kept, &found, e) < 0)
        return -1;
    return found ? make_candidate(p, &kept, ret, ret_found, e) : 0;
}

static bool may_look(const struct campaign *c)
{
    return (c->source->axes & axis_bit(FD_AXIS_ORDER)) && c->source->ops->before;
}

/* Level by level, up to and with `last`. */
static int look(struct past *p, enum before_level last, struct candidate *ret, bool *ret_found,
                struct err *e)
{
    struct campaign *c = p->c;
    *ret_found = false;
    c->phase = "order";
    p->keep_ns = campaign_left_ns(c) / 2;
    for (; may_look(c) && c->before_next <= last && !*ret_found; c->before_next++) {
        bool asked = campaign_affords(c, 2, TIER_FRESH);
        if (asked && c->source->ops->before(c->source, c->before_next, &p->n, e) < 0)
            return -1;
        if (asked && p->n == c->before_known)
            continue;
        c->unfinished |= !asked;
        if (!asked || !affords(p, SURE))
            break;
        if (look_among(p, c->before_known, ret, ret_found, e) < 0)
            return -1;
        c->before_known = p->n;
    }
    return 0;
}

int order_that_fails(struct campaign *c, enum before_level last, struct candidate *ret,
                     bool *ret_found, struct err *e)
{
    struct past p = {.c = c};
    return look(&p, last, ret, ret_found, e);
}

int order_that_passes(struct campaign *c, enum before_level last, struct candidate *ret,
                      bool *ret_found, struct err *e)
{
    struct past p = {.c = c, .by_passing = true};
    if (look(&p, last, ret, ret_found, e) < 0)
        return -1;
    ret->print = c->run[0].outcome.print;
    text_copy(ret->message, sizeof ret->message, c->run[0].outcome.message);
    return 0;
}

int order_shrink(struct campaign *c, struct candidate *k, struct err *e)
{
    struct past p = {.c = c, .at = k->failing, .print = k->print, .n = c->before_known};
    struct before kept = {0};
    c->phase = "order";
    if (fewest(&p, p.n, &kept, e) < 0)
        return -1;
    order_hold(&k->failing, &kept);
    return 0;
}

int order_self(struct campaign *c, struct candidate *ret, bool *ret_found, struct err *e)
{
    struct past p = {.c = c};
    const struct before self = {.self = true};
    bool found = false;
    *ret_found = false;
    c->phase = "order";
    if (!may_look(c))
        return 0;
    if (draw_deciding(&p, &self, SURE, &found, e) < 0)
        return -1;
    return found ? make_candidate(&p, &self, ret, ret_found, e) : 0;
}
