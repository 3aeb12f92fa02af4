#include "sample/suite.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more, doubled when it is used up, so that n additions copy at most 2n. */
static void *grown(void *of, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return of;
    *room = *room ? 2 * *room : 8;
    return mem_grow_or_die(of, *room * size);
}

static uint64_t hash(const char *s) /* FNV-1a */
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

typedef const char *name_of(const struct suite *s, size_t i);

static const char *case_name(const struct suite *s, size_t i)
{
    return s->of[i].name;
}

static const char *function_name(const struct suite *s, size_t i)
{
    return s->function[i].name;
}

/* The slot of that name, or the empty one where it belongs. */
static size_t *slot_of(const struct suite_index *x, const struct suite *s, name_of *name,
                       const char *wanted)
{
    size_t mask = x->slots - 1, at = (size_t)hash(wanted) & mask;
    while (x->slot[at] && strcmp(name(s, x->slot[at] - 1), wanted) != 0)
        at = (at + 1) & mask;
    return &x->slot[at];
}

/* Notes thing number n - 1, the newest of n. */
static void index_add(struct suite_index *x, const struct suite *s, name_of *name, size_t n)
{
    size_t from = n - 1;
    if (2 * n > x->slots) {
        free(x->slot);
        x->slots = x->slots ? 2 * x->slots : 32;
        x->slot = mem_or_die(x->slots * sizeof *x->slot);
        from = 0;
    }
    for (size_t i = from; i < n; i++)
        *slot_of(x, s, name, name(s, i)) = i + 1;
}

struct sample_case *suite_find(const struct suite *s, const char *name)
{
    size_t at = s->cases_by_name.slots ? *slot_of(&s->cases_by_name, s, case_name, name) : 0;
    return at ? &s->of[at - 1] : NULL;
}

struct sample_function *suite_function(const struct suite *s, const char *name)
{
    const struct suite_index *x = &s->functions_by_name;
    size_t at = x->slots ? *slot_of(x, s, function_name, name) : 0;
    return at ? &s->function[at - 1] : NULL;
}

static struct sample_function *function_of(struct suite *s, const char *name)
{
    struct sample_function *f = suite_function(s, name);
    if (f)
        return f;
    s->function = grown(s->function, s->functions, &s->functions_room, sizeof *s->function);
    f = &s->function[s->functions++];
    *f = (struct sample_function){.name = str_or_die(name), .compare.margin = NAN};
    index_add(&s->functions_by_name, s, function_name, s->functions);
    return f;
}

struct sample_case *suite_add(struct suite *s, struct sample_case *c)
{
    struct sample_case *there = suite_find(s, c->name);
    if (there) {
        there->rule = c->rule;
        case_done(c);
        return there;
    }
    s->of = grown(s->of, s->n, &s->room, sizeof *s->of);
    s->of[s->n++] = *c;
    *c = (struct sample_case){0};
    index_add(&s->cases_by_name, s, case_name, s->n);
    struct sample_function *f = function_of(s, s->of[s->n - 1].function);
    f->of = grown(f->of, f->n, &f->room, sizeof *f->of);
    f->of[f->n++] = s->n - 1;
    return &s->of[s->n - 1];
}

struct placed { /* a case and where it stood */
    struct sample_case of;
    size_t at;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->of.index != y->of.index)
        return x->of.index < y->of.index ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_first(const void *a, const void *b)
{
    const struct sample_function *x = a, *y = b;
    return x->of[0] < y->of[0] ? -1 : x->of[0] > y->of[0];
}

static void index_anew(struct suite_index *x, const struct suite *s, name_of *name, size_t n)
{
    free(x->slot);
    *x = (struct suite_index){0};
    for (size_t i = 1; i <= n; i++)
        index_add(x, s, name, i);
}

void suite_sort(struct suite *s)
{
    bool sorted = true;
    for (size_t i = 1; i < s->n; i++)
        sorted = sorted && s->of[i - 1].index <= s->of[i].index;
    if (sorted)
        return;
    struct placed *p = mem_or_die(s->n * sizeof *p);
    for (size_t i = 0; i < s->n; i++)
        p[i] = (struct placed){s->of[i], i};
    qsort(p, s->n, sizeof *p, by_place);
    for (size_t f = 0; f < s->functions; f++)
        s->function[f].n = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct sample_function *f = suite_function(s, p[i].of.function);
        f->of[f->n++] = i;
    }
    for (size_t i = 0; i < s->n; i++)
        s->of[i] = p[i].of;
    free(p);
    qsort(s->function, s->functions, sizeof *s->function, by_first);
    index_anew(&s->cases_by_name, s, case_name, s->n);
    index_anew(&s->functions_by_name, s, function_name, s->functions);
}

void usages_add(struct usages *u, const char *model, int64_t input, int64_t output, int64_t cached,
                double cost)
{
    size_t i = 0;
    while (i < u->n && strcmp(u->of[i].model, model) != 0) /* a handful at most */
        i++;
    if (i == u->n) {
        u->of = mem_grow_or_die(u->of, (u->n + 1) * sizeof *u->of);
        u->of[u->n++] = (struct usage){.model = str_or_die(model)};
    }
    u->of[i].input += input;
    u->of[i].output += output;
    u->of[i].cached += cached;
    u->of[i].cost += cost;
}

void usages_done(struct usages *u)
{
    for (size_t i = 0; i < u->n; i++)
        free(u->of[i].model);
    free(u->of);
    *u = (struct usages){0};
}

static void add_time(struct sample_case *c, const struct sample_run *r)
{
    if (isnan(r->elapsed))
        return;
    if (c->timed == c->timed_room) {
        c->timed_room = c->timed_room ? 2 * c->timed_room : 8;
        c->elapsed = mem_grow_or_die(c->elapsed, c->timed_room * sizeof *c->elapsed);
        c->elapsed_error =
            mem_grow_or_die(c->elapsed_error, c->timed_room * sizeof *c->elapsed_error);
    }
    c->elapsed[c->timed] = r->elapsed;
    c->elapsed_error[c->timed++] = r->what == RUN_ERROR;
}

void case_run(struct sample_case *c, const struct sample_run *r)
{
    c->pass += r->what == RUN_PASS;
    c->fail += r->what == RUN_FAIL;
    c->error += r->what == RUN_ERROR;
    add_time(c, r);
    c->cost += isnan(r->cost) ? 0 : r->cost;
    c->costs = c->costs || (!isnan(r->cost) && r->cost != 0);
    for (size_t i = 0; i < r->usages; i++) {
        const struct usage *u = &r->usage[i];
        usages_add(&c->usages, u->model, u->input, u->output, u->cached, u->cost);
        c->cost += u->cost;
        c->costs = c->costs || u->cost != 0;
    }
}

void case_done(struct sample_case *c)
{
    free(c->name);
    free(c->function);
    free(c->input);
    free(c->nodeid);
    free(c->file);
    for (size_t i = 0; i < c->parameters; i++) {
        free(c->parameter[i].name);
        free(c->parameter[i].value);
    }
    free(c->parameter);
    free(c->elapsed);
    free(c->elapsed_error);
    usages_done(&c->usages);
    *c = (struct sample_case){0};
}

void suite_done(struct suite *s)
{
    for (size_t i = 0; i < s->n; i++)
        case_done(&s->of[i]);
    for (size_t i = 0; i < s->functions; i++) {
        compare_rule_done(&s->function[i].compare);
        free(s->function[i].name);
        free(s->function[i].of);
    }
    free(s->of);
    free(s->function);
    free(s->cases_by_name.slot);
    free(s->functions_by_name.slot);
    *s = (struct suite){0};
}
