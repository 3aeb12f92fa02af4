#include "report/fractions_impl.h"

#include "base/own.h"

#include <math.h>

enum { NAME, INPUTS, MEAN, LOW, HIGH, CLOSE, TAIL, COLUMNS_ALL };
static const struct column columns[COLUMNS_ALL] = {
    [NAME] = {"  ", false}, [INPUTS] = {"  ", false}, [MEAN] = {"  ", true}, [LOW] = {"  [", true},
    [HIGH] = {", ", true},  [CLOSE] = {"", false},    [TAIL] = {"  ", false},
};

/* "−5%"; "−<1%" keeps the direction of what would round to nothing; no change has both. */
static void change_words(double change, struct text *out)
{
    if (change == 0) {
        text_add(out, "±0%");
        return;
    }
    text_add(out, change < 0 ? "−" : "+");
    if (fabs(change) < 0.005)
        text_add(out, "<1%");
    else
        text_addf(out, "%.0f%%", fabs(change) * 100);
}

static void interval_cells(struct table *t, const struct aggregate *a,
                           const struct sample_config *config)
{
    own_text struct text mean = {0}, tail = {0}, cover = {0};
    struct ends e = {a->mean.ends.low, a->mean.ends.high, 1, NAN, false};
    bound_words(a->mean.estimate, 1, NAN, &mean);
    table_cell(t, MEAN, text_str(&mean));
    ends_cells(t, LOW, &e, "]");
    if (isfinite(a->icc) && a->runs_most > 1)
        text_addf(&tail, "ρ=%.2f", a->rho);
    cover_words(&a->mean, config, &cover);
    if (cover.len)
        text_addf(&tail, "%s%s", tail.len ? "  " : "", text_str(&cover));
    table_cell(t, TAIL, text_str(&tail));
}

/* What doubling would do, at the cost recorded. */
static void doubling_row(struct table *t, const struct aggregate *a)
{
    own_text struct text w = {0};
    if (!isfinite(a->icc) || a->runs_most < 2)
        return;
    text_add(&w, "runs ×2 → interval ");
    change_words(a->more_runs, &w);
    text_add(&w, "  ·  inputs ×2 → ");
    change_words(a->more_inputs, &w);
    if (isfinite(a->cost)) {
        text_add(&w, "  ·  each +");
        money_words(a->cost, &w);
    }
    table_row(t, PAINT_NONE);
    table_loose(t, INPUTS, text_str(&w));
}

static void mean_row(struct table *t, const struct aggregate *a, const struct sample_config *config)
{
    own_text struct text inputs = {0}, why = {0};
    own_mem char *suppressed = suppressed_words(&a->mean, config);
    table_row(t, PAINT_NONE);
    table_cell(t, NAME, a->name);
    inputs_words(a->mean.inputs, &inputs);
    text_addf(&inputs, " × k=%lld", (long long)a->runs_least);
    if (a->runs_most > a->runs_least)
        text_addf(&inputs, "–%lld", (long long)a->runs_most);
    table_cell(t, INPUTS, text_str(&inputs));
    if (!suppressed) {
        interval_cells(t, a, config);
        doubling_row(t, a);
        return;
    }
    text_addf(&why, "interval hidden: %s", suppressed);
    if (a->mean.why != SUPPRESSED_ALIKE) {
        table_loose(t, MEAN, text_str(&why));
        return;
    }
    text_clear(&inputs);
    bound_words(a->mean.estimate, 1, NAN, &inputs);
    table_cell(t, MEAN, text_str(&inputs));
    text_clear(&why);
    text_addf(&why, "no interval: %s", suppressed);
    table_loose(t, TAIL, text_str(&why));
}

void fractions_means(const struct fractions *f, const struct style *s, struct text *out)
{
    own_table struct table t = {.column = columns, .columns = COLUMNS_ALL};
    const struct aggregates *m = f->means;
    for (size_t i = 0; i < m->n; i++) {
        bool only = m->of[i].overall && m->n == 2; /* it would say the same again */
        if (!only && (int64_t)m->of[i].mean.inputs >= f->suite->config.min_inputs)
            mean_row(&t, &m->of[i], &f->suite->config);
    }
    if (t.rows == 0)
        return;
    text_addc(out, '\n');
    table_print(&t, s, out);
}
