#include "sample/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "sample/comparison_impl.h"

static int by_name(const void *name, const void *row)
{
    return strcmp(name, ((const struct earlier_row *)row)->name);
}

const struct earlier_row *earlier_find(const struct earlier *r, const char *name)
{
    return r->n ? bsearch(name, r->of, r->n, sizeof *r->of, by_name) : NULL;
}

void earlier_done(struct earlier *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->of[i].name);
    free(r->of);
    free(r->path);
    free(r->created);
    *r = (struct earlier){0};
}

bool earlier_meets(const struct earlier *r, const struct suite *s, const struct sample_function *f,
                   const bool *selected)
{
    for (size_t i = 0; i < f->n; i++)
        if ((!selected || selected[f->of[i]]) && earlier_find(r, s->of[f->of[i]].name))
            return true;
    return false;
}

static void add_name(char ***list, size_t *n, const char *name)
{
    *list = mem_grow_or_die(*list, (*n + 1) * sizeof **list);
    (*list)[(*n)++] = str_or_die(name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(char **list, size_t n)
{
    if (n > 1)
        qsort(list, n, sizeof *list, by_text);
}

/* What follows "function::", "" for a case without parameters; NULL: of another function. */
static const char *input_within(const char *name, const char *function)
{
    size_t n = strlen(function);
    if (strncmp(name, function, n))
        return NULL;
    return name[n] == '\0' ? "" : text_starts(name + n, "::") ? name + n + 2 : NULL;
}

/* The rows of the report that belong to the function and found no partner. */
static void leave_out_there(const struct earlier *r, const bool *met, struct comparison *c)
{
    for (size_t i = 0; i < r->n; i++) {
        const char *input = met[i] ? NULL : input_within(r->of[i].name, c->function);
        if (input)
            comparison_leave_out(c, input);
    }
}

static void against_function(const struct suite *s, const struct sample_function *f,
                             const bool *met, struct against *ret)
{
    const struct earlier *r = ret->earlier;
    struct comparison *c = comparisons_add(&ret->comparisons, f->name, NULL, "baseline", "current");

    c->margin = s->config.margin;
    for (size_t i = 0; i < f->n; i++) {
        const struct sample_case *here = &s->of[f->of[i]];
        if (case_total(here) == 0)
            continue;
        const struct earlier_row *there = earlier_find(r, here->name);
        if (!there) {
            comparison_leave_out(c, here->input);
            continue;
        }
        struct side now = {
            {here->pass, case_total(here)}, here->costs ? here->cost : 0, case_cut(here)};
        struct side before = {there->runs, there->cost, there->stopped};
        comparison_pair(c, here->input, &before, &now);
    }
    leave_out_there(r, met, c);
    comparison_judge(c, &s->config);
}

/* Which rows have a partner here; fills in the lists of cases. */
static void meet(const struct suite *s, const struct earlier *r, bool *met, struct against *ret)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct sample_case *here = &s->of[i];
        if (case_total(here) == 0)
            continue;
        const struct earlier_row *there = earlier_find(r, here->name);
        if (there) {
            met[there - r->of] = true;
            ret->paired++;
        } else {
            add_name(&ret->only_here, &ret->only_here_n, here->name);
        }
    }
    for (size_t i = 0; i < r->n; i++)
        if (!met[i])
            add_name(&ret->only_there, &ret->only_there_n, r->of[i].name);
    sort(ret->only_here, ret->only_here_n);
}

static bool ran_before(const struct suite *s, const struct sample_function *f,
                       const struct earlier *r)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct sample_case *c = &s->of[f->of[i]];
        if (case_total(c) > 0 && earlier_find(r, c->name))
            return true;
    }
    return false;
}

void suite_against(const struct suite *s, const struct earlier *r, struct against *ret)
{
    own_mem bool *met = mem_or_die((r->n + 1) * sizeof *met);

    *ret = (struct against){.earlier = r};
    meet(s, r, met, ret);
    for (size_t i = 0; i < s->functions; i++)
        if (ran_before(s, &s->function[i], r))
            against_function(s, &s->function[i], met, ret);
    comparisons_finish(&ret->comparisons, &s->config);
}

void against_done(struct against *a)
{
    for (size_t i = 0; i < a->only_here_n; i++)
        free(a->only_here[i]);
    for (size_t i = 0; i < a->only_there_n; i++)
        free(a->only_there[i]);
    free(a->only_here);
    free(a->only_there);
    comparisons_done(&a->comparisons);
    *a = (struct against){0};
}
