#include "sample/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "sample/comparison_impl.h"

/* A name of parametrize is one argument, or several with commas that vary together. */
static bool names(const char *list, const char *argument)
{
    size_t len = strlen(argument);
    for (const char *at = list; *at;) {
        at += strspn(at, ", ");
        size_t n = strcspn(at, ", ");
        if (n > 0 && n == len && !memcmp(at, argument, n))
            return true;
        at += n;
    }
    return false;
}

/* Where the axis stands among the case's parameters, or -1. */
static int axis_at(const struct sample_case *c, const char *axis)
{
    for (size_t i = 0; i < c->parameters; i++)
        if (names(c->parameter[i].name, axis))
            return (int)i;
    return -1;
}

/* The function's cases in the order of collection: on the controller of xdist they come in any. */
struct ordered {
    const struct sample_case **of;
    size_t n;
};

static void ordered_done(struct ordered *o)
{
    free(o->of);
}
#define own_ordered __attribute__((cleanup(ordered_done)))

static int by_index(const void *a, const void *b)
{
    const struct sample_case *x = *(const struct sample_case *const *)a,
                             *y = *(const struct sample_case *const *)b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return (x > y) - (x < y); /* within one array: as they came */
}

static struct ordered ordered(const struct suite *s, const struct sample_function *f)
{
    struct ordered o = {mem_or_die((f->n + 1) * sizeof(const struct sample_case *)), f->n};
    for (size_t i = 0; i < f->n; i++)
        o.of[i] = &s->of[f->of[i]];
    if (o.n > 1)
        qsort(o.of, o.n, sizeof(const struct sample_case *), by_index);
    return o;
}

void arms_done(struct arms *a)
{
    free(a->arm);
    *a = (struct arms){0};
}

static void arms_note(struct arms *a, const char *value)
{
    for (size_t i = 0; i < a->n; i++)
        if (!strcmp(a->arm[i], value))
            return;
    a->arm = mem_grow_or_die(a->arm, (a->n + 1) * sizeof *a->arm);
    a->arm[a->n++] = value;
}

static void values_of(const struct suite *s, const struct sample_function *f, struct arms *ret)
{
    own_ordered struct ordered all = ordered(s, f);
    for (size_t i = 0; i < all.n; i++) {
        const struct sample_case *c = all.of[i];
        int at = axis_at(c, ret->axis);
        if (at >= 0)
            arms_note(ret, c->parameter[at].value);
    }
}

static int no_baseline(const struct arms *a, const char *wanted, struct err *e)
{
    own_text struct text all = {0};
    for (size_t i = 0; i < a->n; i++)
        text_addf(&all, "%s%s", i ? ", " : "", a->arm[i]);
    err_set(e, ERR_USAGE, "baseline=\"%s\" is none of the values of \"%s\"", wanted, a->axis);
    return err_hint(e, "the values are %s", text_str(&all));
}

/* Takes the baseline out of the values. */
static int settle_baseline(struct arms *a, const char *wanted, struct err *e)
{
    size_t at = 0;
    while (wanted && at < a->n && strcmp(a->arm[at], wanted))
        at++;
    if (at == a->n)
        return no_baseline(a, wanted, e);
    a->baseline = a->arm[at];
    memmove(&a->arm[at], &a->arm[at + 1], (a->n - at - 1) * sizeof *a->arm);
    a->n--;
    return 0;
}

int function_arms(const struct suite *s, const struct sample_function *f, struct arms *ret,
                  struct err *e)
{
    const struct compare_rule *rule = &f->compare;
    struct arms a = {.axis = rule->axis};
    *ret = (struct arms){0};
    if (!rule->axis || f->n == 0)
        return 0;
    bool asked_of_all = s->config.compare && !strcmp(s->config.compare, rule->axis);

    values_of(s, f, &a);
    int failed = 0;
    if (a.n < 2 && !asked_of_all)
        failed = a.n == 0 ? err_set(e, ERR_USAGE, "compare=\"%s\" is no argument of parametrize",
                                    rule->axis)
                          : err_set(e, ERR_USAGE, "compare=\"%s\" has one value only: \"%s\"",
                                    rule->axis, a.arm[0]);
    else if (a.n >= 2)
        failed = settle_baseline(&a, rule->baseline, e);
    if (failed < 0 || a.n == 0 || !a.baseline)
        arms_done(&a);
    else
        *ret = a;
    return failed;
}

/* A case of the function as one side of a pair. */
struct placed {
    const struct sample_case *of;
    const char *value; /* of the axis */
    char *key, *input; /* what it has in common with its partners; owned */
    size_t place;
};

/* Arguments of one parametrize share its part of the id, so their values agree in every case: such
 * a column repeats an earlier one and says nothing new. Returns the column that column k repeats, k
 * itself if none. */
static size_t repeats(const struct ordered *all, size_t k)
{
    for (size_t of = 0; of < k; of++) {
        bool agree = true;
        for (size_t i = 0; i < all->n && agree; i++) {
            const struct sample_case *c = all->of[i];
            agree = k < c->parameters && !strcmp(c->parameter[k].value, c->parameter[of].value);
        }
        if (agree)
            return of;
    }
    return k;
}

/* What is left of a case without its value on the axis. */
static void place(const struct sample_case *c, int axis, const size_t *repeated, size_t columns,
                  struct placed *p)
{
    own_text struct text key = {0}, input = {0};
    size_t gone = (size_t)axis < columns ? repeated[axis] : (size_t)axis;

    for (size_t k = 0; k < c->parameters; k++) {
        const struct parameter *q = &c->parameter[k];
        if (k == (size_t)axis || (k < columns && (repeated[k] != k || k == gone)))
            continue;
        text_addf(&key, "%s\x1f%s\x1e", q->name, q->value);
        text_addf(&input, "%s%s", input.len ? "-" : "", q->value);
    }
    p->of = c;
    p->value = c->parameter[axis].value;
    p->key = text_take(&key);
    p->input = text_take(&input);
}

static int by_key(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    int d = strcmp(x->value, y->value);
    d = d ? d : strcmp(x->key, y->key);
    return d ? d : (x->place > y->place) - (x->place < y->place);
}

struct places {
    struct placed *of, *sorted; /* in the order of the cases; by value and key */
    size_t n;
};

static void places_done(struct places *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->of[i].key);
        free(p->of[i].input);
    }
    free(p->of);
    free(p->sorted);
}
#define own_places __attribute__((cleanup(places_done)))

/* The cases that have an axis and ran. */
static struct places places_of(const struct suite *s, const struct sample_function *f,
                               const char *axis)
{
    struct places p = {.of = mem_or_die(f->n * sizeof *p.of)};
    own_ordered struct ordered all = ordered(s, f);
    size_t columns = all.of[0]->parameters;
    own_mem size_t *repeated = mem_or_die((columns + 1) * sizeof *repeated);

    for (size_t k = 0; k < columns; k++)
        repeated[k] = repeats(&all, k);
    for (size_t i = 0; i < all.n; i++) {
        const struct sample_case *c = all.of[i];
        int at = axis_at(c, axis);
        if (at < 0 || case_total(c) == 0)
            continue;
        p.of[p.n].place = i;
        place(c, at, repeated, columns, &p.of[p.n++]);
    }
    p.sorted = mem_or_die((p.n + 1) * sizeof *p.sorted);
    memcpy(p.sorted, p.of, p.n * sizeof *p.sorted);
    if (p.n > 1)
        qsort(p.sorted, p.n, sizeof *p.sorted, by_key);
    return p;
}

/* The first with that value and key, or NULL. */
static const struct placed *partner(const struct places *p, const char *value, const char *key)
{
    size_t low = 0, high = p->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct placed *m = &p->sorted[mid];
        int d = strcmp(m->value, value);
        d = d ? d : strcmp(m->key, key);
        if (d < 0)
            low = mid + 1;
        else
            high = mid;
    }
    const struct placed *found = low < p->n ? &p->sorted[low] : NULL;
    return found && !strcmp(found->value, value) && !strcmp(found->key, key) ? found : NULL;
}

static struct side side_of(const struct sample_case *c)
{
    return (struct side){
        .runs = {c->pass, case_total(c)}, .cost = c->costs ? c->cost : 0, .stopped = case_cut(c)};
}

static bool value_ran(const struct places *p, const char *value)
{
    for (size_t i = 0; i < p->n; i++)
        if (!strcmp(p->of[i].value, value))
            return true;
    return false;
}

static void compare_arm(const struct places *p, const struct arms *arms, const char *arm,
                        struct comparison *c)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct placed *here = &p->of[i];
        bool of_arm = !strcmp(here->value, arm);
        bool of_baseline = !strcmp(here->value, arms->baseline);
        if (!of_arm && !of_baseline)
            continue;
        const struct placed *there = partner(p, of_arm ? arms->baseline : arm, here->key);
        if (!there) {
            comparison_leave_out(c, here->input);
        } else if (of_baseline) {
            struct side base = side_of(here->of), other = side_of(there->of);
            comparison_pair(c, here->input, &base, &other);
        }
    }
}

static void compare_function(const struct suite *s, const struct sample_function *f,
                             struct comparisons *ret)
{
    struct arms arms;
    struct err e = {0};
    if (function_arms(s, f, &arms, &e) < 0 || arms.n == 0)
        return;
    own_places struct places p = places_of(s, f, arms.axis);
    for (size_t i = 0; i < arms.n; i++) {
        if (!value_ran(&p, arms.arm[i]))
            continue;
        struct comparison *c = comparisons_add(ret, f->name, arms.axis, arms.baseline, arms.arm[i]);
        c->margin = f->compare.margin;
        c->equivalence = f->compare.equivalence;
        compare_arm(&p, &arms, arms.arm[i], c);
        comparison_judge(c, &s->config);
    }
    arms_done(&arms);
}

void suite_compare(const struct suite *s, struct comparisons *ret)
{
    *ret = (struct comparisons){0};
    for (size_t i = 0; i < s->functions; i++)
        compare_function(s, &s->function[i], ret);
    comparisons_finish(ret, &s->config);
}

const struct comparison *comparisons_find(const struct comparisons *c, const char *function,
                                          const char *arm)
{
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->of[i].function, function) && !strcmp(c->of[i].arm, arm))
            return &c->of[i];
    return NULL;
}
