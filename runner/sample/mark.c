#include "sample/mark.h"

#include "base/own.h"
#include "base/text.h"
#include "sample/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum arg {
    ARG_MIN_RATE,
    ARG_MIN_PASSES,
    ARG_RUNS,
    ARG_CONFIDENCE,
    ARG_METHOD,
    ARG_PRIOR,
    ARG_LATENCY_QUANTILE,
    ARG_MAX_LATENCY,
    ARG_COMPARE, /* the rest is of functions */
    ARG_BASELINE,
    ARG_MARGIN,
    ARG_EQUIVALENCE,
    ARG_COUNT
};
static const char *const arg_words[] = {
    "min_rate", "min_passes",       "runs",        "confidence", "method",
    "prior",    "latency_quantile", "max_latency", "compare",    "baseline",
    "margin",   "equivalence",      NULL,
};

/* As the user wrote it, or close to it. */
static void show(const struct mark_argument *a, struct text *out)
{
    switch (a->kind) {
    case ARGUMENT_NUMBER:
        text_addf(out, a->whole ? "%.0f" : "%g", a->number);
        break;
    case ARGUMENT_BOOL:
        text_add(out, a->number != 0 ? "True" : "False");
        break;
    case ARGUMENT_TEXT:
        text_addf(out, "\"%s\"", a->text);
        break;
    case ARGUMENT_PAIR:
        text_addf(out, "(%g, %g)", a->number, a->second);
        break;
    case ARGUMENT_OTHER:
        text_add(out, a->text ? a->text : "None");
        break;
    }
}

static int wrong(const struct mark_argument *a, const char *must, struct err *e)
{
    own_text struct text shown = {0};
    show(a, &shown);
    return err_set(e, ERR_USAGE, "%s must be %s, not %s", a->name, must, text_str(&shown));
}

/* A number, or a text that is one. */
static bool number(const struct mark_argument *a, double *ret)
{
    struct err ignored;
    if (a->kind == ARGUMENT_TEXT)
        return value_number(a->text, a->name, "", ret, &ignored) == 0;
    *ret = a->number;
    return a->kind == ARGUMENT_NUMBER && isfinite(a->number);
}

static int rate(const struct mark_argument *a, double *ret, struct err *e)
{
    own_text struct text shown = {0};
    double x;
    show(a, &shown);
    if (!number(a, &x))
        return wrong(a, "a number between 0 and 1", e);
    if (value_check_rate(x, text_str(&shown), a->name, e) < 0)
        return -1;
    *ret = x;
    return 0;
}

static int count(const struct mark_argument *a, int64_t *ret, struct err *e)
{
    if (a->kind != ARGUMENT_NUMBER || !a->whole || !(a->number >= 1) || a->number > 1e15)
        return wrong(a, "a whole number from 1 on", e);
    *ret = (int64_t)a->number;
    return 0;
}

static int prior(const struct mark_argument *a, struct prior *ret, struct err *e)
{
    own_text struct text shown = {0};
    struct prior p = {a->number, a->second};
    if (a->kind == ARGUMENT_TEXT)
        return value_prior(a->text, a->name, ret, e);
    show(a, &shown);
    if (a->kind != ARGUMENT_PAIR)
        p = (struct prior){0};
    if (value_check_prior(&p, text_str(&shown), a->name, e) < 0)
        return -1;
    *ret = p;
    return 0;
}

static int method(const struct mark_argument *a, enum method *ret, struct err *e)
{
    static const char *const words[] = {"exact", "wilson", "bayes", NULL};
    if (a->kind != ARGUMENT_TEXT)
        return wrong(a, "exact, wilson or bayes", e);
    int at = value_word(a->text, a->name, words, e);
    if (at < 0)
        return -1;
    *ret = (enum method)at;
    return 0;
}

static int seconds(const struct mark_argument *a, double *ret, struct err *e)
{
    double x;
    if (!number(a, &x) || x <= 0)
        return wrong(a, "a number of seconds above 0", e);
    *ret = x;
    return 0;
}

static int unknown(const char *name, struct err *e)
{
    err_set(e, ERR_USAGE, "%s is no argument of this mark", name);
    value_hint_word(name, arg_words, e);
    return -1;
}

/* Sorts one mark's arguments into found[]; those that closer marks gave stay. Every value is looked
 * at by who needs it, so a value that loses is checked too. */
static int gather(const struct mark *m, const struct mark_argument *found[ARG_COUNT], struct err *e)
{
    const struct mark_argument *own[ARG_COUNT] = {0};
    for (size_t i = 0; i < m->arguments; i++) {
        const struct mark_argument *a = &m->argument[i];
        if (!a->name) {
            err_set(e, ERR_USAGE, "an argument is given by position");
            return err_hint(e, "every argument has a name, as in min_rate=0.9");
        }
        size_t at = 0;
        while (arg_words[at] && strcmp(arg_words[at], a->name) != 0)
            at++;
        if (!arg_words[at])
            return unknown(a->name, e);
        if (at >= ARG_COMPARE && m->of_case) {
            err_set(e, ERR_USAGE, "%s is asked of a whole function, not of one case", a->name);
            return err_hint(e, "put it on the mark of the function");
        }
        own[at] = a;
    }
    if (own[ARG_MIN_RATE] && own[ARG_MIN_PASSES]) {
        err_set(e, ERR_USAGE, "min_rate and min_passes exclude one another");
        return err_hint(e, "a case is held to a rate or to a count");
    }
    bool barred = found[ARG_MIN_RATE] || found[ARG_MIN_PASSES];
    for (size_t i = 0; i < ARG_COUNT; i++)
        if (own[i] && !found[i] && !(barred && (i == ARG_MIN_RATE || i == ARG_MIN_PASSES)))
            found[i] = own[i];
    return 0;
}

static int gather_all(const struct mark *marks, size_t n,
                      const struct mark_argument *found[ARG_COUNT], struct err *e)
{
    for (size_t i = 0; i < n; i++)
        if (gather(&marks[i], found, e) < 0)
            return -1;
    return 0;
}

/* A rule made of one argument; what it is not about is left. */
static int apply(enum arg which, const struct mark_argument *a, struct rule *r, struct err *e)
{
    switch (which) {
    case ARG_MIN_RATE:
        r->bar = BAR_RATE;
        return rate(a, &r->min_rate, e);
    case ARG_MIN_PASSES:
        r->bar = BAR_COUNT;
        return count(a, &r->min_passes, e);
    case ARG_RUNS:
        return count(a, &r->runs, e);
    case ARG_CONFIDENCE:
        return rate(a, &r->confidence, e);
    case ARG_METHOD:
        return method(a, &r->method, e);
    case ARG_PRIOR:
        return prior(a, &r->prior, e);
    case ARG_LATENCY_QUANTILE:
        return rate(a, &r->latency_quantile, e);
    case ARG_MAX_LATENCY:
        return seconds(a, &r->max_latency, e);
    case ARG_COMPARE:
    case ARG_BASELINE:
    case ARG_MARGIN:
    case ARG_EQUIVALENCE:
    case ARG_COUNT:
        break;
    }
    return 0;
}

int mark_rule(const struct mark *marks, size_t n, const struct sample_config *config,
              struct rule *ret, struct err *e)
{
    const struct mark_argument *found[ARG_COUNT] = {0};
    struct rule r = {
        .bar = isnan(config->min_rate) ? BAR_NONE : BAR_RATE,
        .min_rate = config->min_rate,
        .method = config->method,
        .confidence = config->confidence,
        .prior = config->prior,
        .runs = config->runs,
        .latency_quantile = config->latency_quantile,
        .max_latency = NAN,
    };
    if (gather_all(marks, n, found, e) < 0)
        return -1;
    for (size_t i = 0; i < ARG_COUNT; i++)
        if (found[i] && apply((enum arg)i, found[i], &r, e) < 0)
            return -1;
    if (config->runs_typed)
        r.runs = config->runs;
    if (r.bar == BAR_RATE && config->stop == STOP_SEQUENTIAL && r.confidence < .5) {
        err_set(e, ERR_USAGE, "confidence must be at least 0.5 with --prob-stop=sequential, not %g",
                r.confidence);
        return -1;
    }
    *ret = r;
    return 0;
}

/* The value a function's arms are compared with: the id of a value, so a number is one too. */
static int baseline(const struct mark_argument *a, char **ret, struct err *e)
{
    own_text struct text t = {0};
    if (a->kind == ARGUMENT_TEXT)
        text_add(&t, a->text);
    else if (a->kind == ARGUMENT_NUMBER || a->kind == ARGUMENT_BOOL)
        show(a, &t);
    else
        return wrong(a, "a value of the compared argument", e);
    *ret = text_take(&t);
    return 0;
}

static int compare_of(const struct mark_argument *const found[ARG_COUNT],
                      const struct sample_config *config, struct compare_rule *c, struct err *e)
{
    const struct mark_argument *axis = found[ARG_COMPARE], *equal = found[ARG_EQUIVALENCE];
    if (axis && (axis->kind != ARGUMENT_TEXT || !*axis->text))
        return wrong(axis, "the name of an argument of parametrize", e);
    const char *name = axis ? axis->text : config->compare;
    for (size_t i = ARG_BASELINE; i < ARG_COUNT && !name; i++)
        if (found[i]) {
            err_set(e, ERR_USAGE, "%s says nothing without compare", arg_words[i]);
            return err_hint(e, "compare=\"ARGUMENT\" names what is compared");
        }
    if (equal && equal->kind != ARGUMENT_BOOL)
        return wrong(equal, "True or False", e);
    c->equivalence = equal && equal->number != 0;
    if (found[ARG_MARGIN] && rate(found[ARG_MARGIN], &c->margin, e) < 0)
        return -1;
    if (c->equivalence && isnan(c->margin)) {
        err_set(e, ERR_USAGE, "equivalence says nothing without margin");
        return err_hint(e, "margin=0.02: within 2 points of one another");
    }
    if (found[ARG_BASELINE] && baseline(found[ARG_BASELINE], &c->baseline, e) < 0)
        return -1;
    c->axis = name ? str_or_die(name) : NULL;
    return 0;
}

int mark_compare(const struct mark *marks, size_t n, const struct sample_config *config,
                 struct compare_rule *ret, struct err *e)
{
    const struct mark_argument *found[ARG_COUNT] = {0};
    struct compare_rule c = {.margin = NAN};
    if (gather_all(marks, n, found, e) < 0)
        return -1;
    if (compare_of(found, config, &c, e) < 0) {
        compare_rule_done(&c);
        return -1;
    }
    *ret = c;
    return 0;
}

void compare_rule_done(struct compare_rule *c)
{
    free(c->axis);
    free(c->baseline);
    *c = (struct compare_rule){.margin = NAN};
}
