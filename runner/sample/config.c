#include "sample/config.h"

#include "base/own.h"
#include "base/text.h"
#include "sample/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const method_words[] = {"exact", "wilson", "bayes", NULL};
static const char *const adjustment_words[] = {"none", "holm", "bonferroni", "bh", NULL};
static const char *const stopping_words[] = {"off", "curtail", "sequential", NULL};

const char *method_name(enum method m)
{
    return method_words[m];
}

const char *adjustment_name(enum adjustment a)
{
    return adjustment_words[a];
}

const char *stopping_name(enum stopping s)
{
    return stopping_words[s];
}

void metric_name(const struct metric *m, char *buf, size_t size)
{
    own_text struct text t = {0};
    text_addf(&t, "pass%c%lld", m->hat ? '^' : '@', (long long)m->k);
    text_copy(buf, size, text_str(&t));
}

/* What is being read: the values so far, and where the lists in them came from. A list given in
 * several pieces from one place adds up; one from a place that wins replaces the other's. */
struct reading {
    struct sample_config c;
    const char *metrics_from, *flakes_from;
    bool isolate_given, isolate;
};

static bool typed(const struct sample_option *o)
{
    return text_starts(o->from, "--");
}

static int read_runs(const struct sample_option *o, struct reading *r, struct err *e)
{
    int64_t n;
    if (value_whole(o->value, o->from, INT64_MIN, &n, e) < 0)
        return -1;
    r->c.runs = n < 1 ? 1 : n;
    r->c.runs_typed = typed(o);
    return 0;
}

static int read_delay(const struct sample_option *o, struct reading *r, struct err *e)
{
    double d;
    if (value_number(o->value, o->from, "a number of seconds", &d, e) < 0)
        return -1;
    r->c.delay = d < 0 ? 0 : d;
    return 0;
}

static int read_method(const struct sample_option *o, struct reading *r, struct err *e)
{
    int at = value_word(o->value, o->from, method_words, e);
    if (at >= 0)
        r->c.method = (enum method)at;
    return at < 0 ? -1 : 0;
}

static int read_adjust(const struct sample_option *o, struct reading *r, struct err *e)
{
    int at = value_word(o->value, o->from, adjustment_words, e);
    if (at >= 0)
        r->c.adjust = (enum adjustment)at;
    return at < 0 ? -1 : 0;
}

static int read_stop(const struct sample_option *o, struct reading *r, struct err *e)
{
    int at = value_word(o->value, o->from, stopping_words, e);
    if (at >= 0)
        r->c.stop = (enum stopping)at;
    return at < 0 ? -1 : 0;
}

static int read_undecided(const struct sample_option *o, struct reading *r, struct err *e)
{
    static const char *const words[] = {"fail", "pass", NULL};
    int at = value_word(o->value, o->from, words, e);
    r->c.undecided_passes = at == 1;
    return at < 0 ? -1 : 0;
}

static int read_errors(const struct sample_option *o, struct reading *r, struct err *e)
{
    static const char *const words[] = {"count", "exclude", NULL};
    int at = value_word(o->value, o->from, words, e);
    r->c.errors_excluded = at == 1;
    return at < 0 ? -1 : 0;
}

static int read_isolate(const struct sample_option *o, struct reading *r, struct err *e)
{
    static const char *const words[] = {"off", "fork", NULL};
    int at = value_word(o->value, o->from, words, e);
    r->isolate_given = true;
    r->isolate = at == 1;
    return at < 0 ? -1 : 0;
}

static int read_prior(const struct sample_option *o, struct reading *r, struct err *e)
{
    return value_prior(o->value, o->from, &r->c.prior, e);
}

static int read_seed(const struct sample_option *o, struct reading *r, struct err *e)
{
    int64_t n;
    if (value_whole(o->value, o->from, INT64_MIN, &n, e) < 0)
        return -1;
    r->c.seed = (uint64_t)n;
    return 0;
}

static int read_timeout(const struct sample_option *o, struct reading *r, struct err *e)
{
    double d;
    if (value_number(o->value, o->from, "a number of seconds", &d, e) < 0)
        return -1;
    if (d <= 0)
        return err_set(e, ERR_USAGE, "%s: a run needs more than %s seconds", o->from, o->value);
    r->c.timeout = d;
    return 0;
}

/* Calls one for each piece of a list, whose pieces are set apart by commas or blanks. */
static int each(const struct sample_option *o, struct reading *r,
                int (*one)(const char *piece, const struct sample_option *, struct reading *,
                           struct err *),
                struct err *e)
{
    own_mem char *copy = str_or_die(o->value);
    char *rest = copy;
    for (char *piece = strsep(&rest, ", \t"); piece; piece = strsep(&rest, ", \t"))
        if (*piece && one(piece, o, r, e) < 0)
            return -1;
    return 0;
}

static int one_metric(const char *piece, const struct sample_option *o, struct reading *r,
                      struct err *e)
{
    struct metric m = {.hat = text_starts(piece, "pass^")};
    bool known = m.hat || text_starts(piece, "pass@");
    if (!known || !value_is_whole(piece + 5, &m.k) || m.k < 1) {
        err_set(e, ERR_USAGE, "%s: \"%s\" is no metric", o->from, piece);
        return err_hint(e, "pass^K: all K runs of an input pass; pass@K: at least one of K does; "
                           "as in pass^3,pass@5");
    }
    for (size_t i = 0; i < r->c.metrics; i++)
        if (r->c.metric[i].hat == m.hat && r->c.metric[i].k == m.k)
            return 0;
    if (r->c.metrics == METRICS_MOST)
        return err_set(e, ERR_USAGE, "%s: more than %d metrics", o->from, METRICS_MOST);
    r->c.metric[r->c.metrics++] = m;
    return 0;
}

static int read_metric(const struct sample_option *o, struct reading *r, struct err *e)
{
    if (!r->metrics_from || strcmp(r->metrics_from, o->from) != 0)
        r->c.metrics = 0;
    r->metrics_from = o->from;
    return each(o, r, one_metric, e);
}

static int one_flake(const char *piece, const struct sample_option *o, struct reading *r,
                     struct err *e)
{
    double rate;
    if (value_rate(piece, o->from, &rate, e) < 0)
        return -1;
    if (r->c.plan_flakes == FLAKES_MOST)
        return err_set(e, ERR_USAGE, "%s: more than %d rates", o->from, FLAKES_MOST);
    r->c.plan_flake[r->c.plan_flakes++] = rate;
    return 0;
}

static int read_flake(const struct sample_option *o, struct reading *r, struct err *e)
{
    if (!r->flakes_from || strcmp(r->flakes_from, o->from) != 0)
        r->c.plan_flakes = 0;
    r->flakes_from = o->from;
    if (each(o, r, one_flake, e) < 0)
        return -1;
    if (r->c.plan_flakes == 0) {
        err_set(e, ERR_USAGE, "%s names no rate", o->from);
        return err_hint(e, "failure rates between 0 and 1, as in 0.1,0.01");
    }
    return 0;
}

/* The options that are a single value, by where it goes. */
enum kind { KIND_FLAG, KIND_RATE, KIND_TEXT, KIND_WHOLE, KIND_READ };
static const struct row {
    const char *name;
    enum kind kind;
    size_t at;     /* in struct sample_config */
    int64_t least; /* of KIND_WHOLE */
    int (*read)(const struct sample_option *, struct reading *, struct err *);
} rows[] = {
#define AT(field) offsetof(struct sample_config, field)
    {"runs", KIND_READ, 0, 0, read_runs},
    {"delay", KIND_READ, 0, 0, read_delay},
    {"method", KIND_READ, 0, 0, read_method},
    {"prior", KIND_READ, 0, 0, read_prior},
    {"undecided", KIND_READ, 0, 0, read_undecided},
    {"errors", KIND_READ, 0, 0, read_errors},
    {"seed", KIND_READ, 0, 0, read_seed},
    {"adjust", KIND_READ, 0, 0, read_adjust},
    {"metric", KIND_READ, 0, 0, read_metric},
    {"plan-flake", KIND_READ, 0, 0, read_flake},
    {"stop", KIND_READ, 0, 0, read_stop},
    {"isolate", KIND_READ, 0, 0, read_isolate},
    {"timeout", KIND_READ, 0, 0, read_timeout},
    {"transpose", KIND_FLAG, AT(transpose), 0, NULL},
    {"intervals", KIND_FLAG, AT(intervals), 0, NULL},
    {"explain", KIND_FLAG, AT(explain), 0, NULL},
    {"plan", KIND_FLAG, AT(plan), 0, NULL},
    {"latency", KIND_FLAG, AT(latency), 0, NULL},
    {"gate-items", KIND_FLAG, AT(gate_items), 0, NULL},
    {"tests", KIND_FLAG, AT(tests), 0, NULL},
    {"diagnose", KIND_FLAG, AT(diagnose), 0, NULL},
    {"confidence", KIND_RATE, AT(confidence), 0, NULL},
    {"min-rate", KIND_RATE, AT(min_rate), 0, NULL},
    {"plan-assume", KIND_RATE, AT(plan_assume), 0, NULL},
    {"margin", KIND_RATE, AT(margin), 0, NULL},
    {"latency-quantile", KIND_RATE, AT(latency_quantile), 0, NULL},
    {"bootstrap", KIND_WHOLE, AT(resamples), 1, NULL},
    {"min-inputs", KIND_WHOLE, AT(min_inputs), 2, NULL},
    {"compare", KIND_TEXT, AT(compare), 0, NULL},
    {"plan-report", KIND_TEXT, AT(plan_report), 0, NULL},
    {"baseline", KIND_TEXT, AT(baseline), 0, NULL},
    {"json", KIND_TEXT, AT(json), 0, NULL},
#undef AT
};

static int take(const struct sample_option *o, struct reading *r, struct err *e)
{
    const struct row *row = rows;
    while (row < rows + sizeof rows / sizeof *rows && strcmp(row->name, o->name) != 0)
        row++;
    if (row == rows + sizeof rows / sizeof *rows)
        return err_set(e, ERR_SETUP, "%s is nothing this version knows", o->from);
    void *to = (char *)&r->c + row->at;
    switch (row->kind) {
    case KIND_FLAG:
        return value_flag(o->value, o->from, to, e);
    case KIND_RATE:
        return value_rate(o->value, o->from, to, e);
    case KIND_WHOLE:
        return value_whole(o->value, o->from, row->least, to, e);
    case KIND_TEXT:
        *(const char **)to = *o->value ? o->value : NULL;
        return 0;
    case KIND_READ:
        break;
    }
    return row->read(o, r, e);
}

static const char *name_given(const struct sample_option *option, size_t n, const char *name)
{
    for (size_t i = n; i-- > 0;)
        if (strcmp(option[i].name, name) == 0)
            return option[i].from;
    return name;
}

/* What single values cannot say. */
static int check_together(const struct sample_option *option, size_t n, struct reading *r,
                          struct err *e)
{
    struct sample_config *c = &r->c;
    bool limited = !isnan(c->timeout);
    if (!isnan(c->margin) && !c->baseline) {
        err_set(e, ERR_USAGE, "%s is a margin to nothing", name_given(option, n, "margin"));
        return err_hint(e, "it goes with --prob-baseline=PATH, the report to compare with");
    }
    if (c->stop == STOP_SEQUENTIAL && c->confidence < .5) {
        err_set(e, ERR_USAGE, "%s: with --prob-stop=sequential it must be at least 0.5, not %g",
                name_given(option, n, "confidence"), c->confidence);
        return err_hint(e, "an interval that is looked at after every run needs that");
    }
    if (limited && r->isolate_given && !r->isolate) {
        err_set(e, ERR_USAGE, "%s needs runs of their own process",
                name_given(option, n, "timeout"));
        return err_hint(e, "leave out %s, or give it \"fork\"", name_given(option, n, "isolate"));
    }
    c->isolate_bench = r->isolate_given ? r->isolate : limited;
    c->isolate = r->isolate_given ? r->isolate : limited || c->tests;
    return 0;
}

int sample_config_read(const struct sample_option *option, size_t n, struct sample_config *ret,
                       struct err *e)
{
    struct reading r = {.c = {
                            .runs = 1,
                            .confidence = .95,
                            .prior = {1, 1},
                            .intervals = true,
                            .min_rate = NAN,
                            .resamples = 5000,
                            .min_inputs = 10,
                            .plan_assume = .97,
                            .plan_flake = {.1, .01},
                            .plan_flakes = 2,
                            .margin = NAN,
                            .latency_quantile = .95,
                            .gate_items = true,
                            .timeout = NAN,
                        }};
    for (size_t i = 0; i < n; i++)
        if (take(&option[i], &r, e) < 0)
            return -1;
    if (check_together(option, n, &r, e) < 0)
        return -1;
    *ret = r.c;
    return 0;
}
