#include "report/comparisons.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/own.h"
#include "report/columns.h"
#include "report/points.h"
#include "sample/aggregate.h"

enum column { NAME, ARMS, DIFFERENCE, LOW, HIGH, P, PAIRS, COST, MARGIN, CELLS };

/* One row, each cell as it is printed. LOW and HIGH keep their brackets: "[−11," and "+51]". */
struct row {
    struct text cell[CELLS];
    enum gate_verdict verdict;
};

static void rows_done(struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < CELLS; k++)
            text_done(&rows[i].cell[k]);
}

static const char *verdict_shown(enum gate_verdict v)
{
    return v == GATE_PASS ? "PASS" : v == GATE_FAIL ? "FAIL" : "UNDECIDED";
}

static void fill_difference(const struct comparison *c, struct row *r)
{
    int least = c->pairs > 1;
    bool test_hidden = c->hidden == HIDDEN_STOPPED || c->hidden == HIDDEN_NO_PAIRS;
    if (!test_hidden) {
        points_add(c->difference, points_decimals(c->difference, NAN, least), &r->cell[DIFFERENCE]);
        text_add(&r->cell[DIFFERENCE], " pp");
    }
    if (!c->hidden && !isnan(c->interval.low)) {
        int decimals = points_interval_decimals(c->interval, c->margin, least);
        points_add(c->interval.low, decimals, &r->cell[LOW]);
        points_add(c->interval.high, decimals, &r->cell[HIGH]);
    }
    if (c->by != COMPARED_NOT) {
        text_add(&r->cell[P], c->p_adjusted < 0.001 ? "p" : "p=");
        points_p(c->p_adjusted, &r->cell[P]);
    }
}

static void fill_margin(const struct comparison *c, struct text *cell)
{
    if (!isnan(c->margin)) {
        text_add(cell, c->equivalence ? "±" : "≥−");
        points_plain(c->margin, cell);
        text_add(cell, " pp");
    }
    if (c->hidden == HIDDEN_STOPPED)
        text_addf(cell, "%sinterval hidden: %zu case%s stopped early", cell->len ? "  " : "",
                  c->stopped, plural((int64_t)c->stopped));
}

static void fill(const struct comparison *c, struct row *r)
{
    columns_clean(c->function, &r->cell[NAME]);
    if (c->axis) {
        text_addc(&r->cell[NAME], '[');
        columns_clean(c->axis, &r->cell[NAME]);
        text_addc(&r->cell[NAME], ']');
    }
    columns_clean(c->arm, &r->cell[ARMS]);
    text_add(&r->cell[ARMS], " − ");
    columns_clean(c->baseline, &r->cell[ARMS]);
    fill_difference(c, r);
    text_addf(&r->cell[PAIRS], "%zu paired", c->pairs);
    if (c->unpaired_n)
        text_addf(&r->cell[PAIRS], ", %zu unpaired", c->unpaired_n);
    if (!isnan(c->cost_ratio)) {
        text_add(&r->cell[COST], "cost ×");
        points_ratio(c->cost_ratio, &r->cell[COST]);
    }
    fill_margin(c, &r->cell[MARGIN]);
    r->verdict = c->verdict;
}

struct widths {
    size_t of[CELLS];
};

static void widen(struct widths *w, const struct row *r)
{
    for (int k = 0; k < CELLS; k++) {
        size_t is = columns_width(text_str(&r->cell[k]));
        if (is > w->of[k])
            w->of[k] = is;
    }
}

static void pad_after(const struct text *cell, size_t width, struct text *out)
{
    size_t is = columns_width(text_str(cell));
    text_add(out, text_str(cell));
    columns_pad(width > is ? width - is : 0, out);
}

static void pad_before(const struct text *cell, size_t width, struct text *out)
{
    size_t is = columns_width(text_str(cell));
    columns_pad(width > is ? width - is : 0, out);
    text_add(out, text_str(cell));
}

static void trim(struct text *out)
{
    while (out->len && out->at[out->len - 1] == ' ')
        text_cut(out, out->len - 1);
}

static void add_interval(const struct row *r, const struct widths *w, struct text *out)
{
    if (!w->of[LOW])
        return;
    if (!r->cell[LOW].len) {
        columns_pad(w->of[LOW] + w->of[HIGH] + 5, out);
        return;
    }
    text_add(out, " [");
    pad_before(&r->cell[LOW], w->of[LOW], out);
    text_add(out, ", ");
    pad_before(&r->cell[HIGH], w->of[HIGH], out);
    text_add(out, "]");
}

static void add_verdict(const struct row *r, const struct style *s, struct text *out)
{
    if (r->verdict == GATE_OPEN)
        return;
    text_add(out, "  ");
    paint(s,
          r->verdict == GATE_PASS   ? PAINT_GREEN
          : r->verdict == GATE_FAIL ? PAINT_RED
                                    : PAINT_YELLOW,
          verdict_shown(r->verdict), out);
}

static void add_row(const struct row *r, const struct widths *w, const struct style *s,
                    struct text *out)
{
    pad_after(&r->cell[NAME], w->of[NAME], out);
    text_add(out, "  ");
    pad_after(&r->cell[ARMS], w->of[ARMS], out);
    if (w->of[DIFFERENCE]) {
        text_add(out, "  ");
        pad_before(&r->cell[DIFFERENCE], w->of[DIFFERENCE], out);
        add_interval(r, w, out);
    }
    for (int k = P; k < CELLS; k++) {
        if (!w->of[k])
            continue;
        text_add(out, "  ");
        pad_after(&r->cell[k], w->of[k], out);
    }
    trim(out);
    add_verdict(r, s, out);
}

/* Below a row over a few inputs: each of them. */
static void input_cells(const struct compared_input *in, struct text cell[5])
{
    columns_clean(in->input, &cell[0]);
    text_addf(&cell[1], "%" PRId64 "/%" PRId64 " vs %" PRId64 "/%" PRId64, in->arm.pass,
              in->arm.runs, in->baseline.pass, in->baseline.runs);
    points_add(in->difference, points_decimals(in->difference, NAN, 0), &cell[2]);
    text_add(&cell[2], " pp");
    int decimals = points_interval_decimals(in->interval, NAN, 0);
    points_add(in->interval.low, decimals, &cell[3]);
    points_add(in->interval.high, decimals, &cell[4]);
}

static void add_input(const struct compared_input *in, const size_t *w, struct text cell[5],
                      struct text *out)
{
    text_add(out, "      ");
    pad_after(&cell[0], w[0], out);
    text_add(out, "  ");
    pad_before(&cell[1], w[1], out);
    text_add(out, "  ");
    pad_before(&cell[2], w[2], out);
    text_add(out, " [");
    pad_before(&cell[3], w[3], out);
    text_add(out, ", ");
    pad_before(&cell[4], w[4], out);
    text_add(out, in->p < 0.001 ? "]  p" : "]  p=");
    points_p(in->p, out);
    text_addc(out, '\n');
}

static void add_inputs(const struct comparison *c, struct text *out)
{
    struct text(*cells)[5] = mem_or_die(c->pairs * sizeof *cells);
    size_t w[5] = {0};

    for (size_t i = 0; i < c->pairs; i++) {
        input_cells(&c->of[i], cells[i]);
        for (int k = 0; k < 5; k++) {
            size_t is = columns_width(text_str(&cells[i][k]));
            w[k] = is > w[k] ? is : w[k];
        }
    }
    for (size_t i = 0; i < c->pairs; i++) {
        add_input(&c->of[i], w, cells[i], out);
        for (int k = 0; k < 5; k++)
            text_done(&cells[i][k]);
    }
    free(cells);
}

static void add_family(const struct comparisons *c, const struct sample_config *config,
                       struct text *out)
{
    if (c->family < 2)
        return;
    if (config->adjust == ADJUST_NONE)
        text_addf(out,
                  "\n  p not adjusted for %zu comparisons: exploratory (--prob-adjust=holm adjusts "
                  "them)\n",
                  c->family);
    else
        text_addf(out, "\n  p adjusted for %zu comparisons (%s)\n", c->family,
                  adjustment_name(config->adjust));
}

/* What the simulations of the bootstrap show: tests/sim. An interval that is one point promises
 * nothing about width. */
static bool covers_less(const struct comparison *c)
{
    return c->pairs > 1 && c->pairs < AGGREGATE_FEW && !c->hidden &&
           c->interval.high > c->interval.low;
}

static void add_coverage(const struct comparisons *c, const struct sample_config *config,
                         struct text *out)
{
    bool usual = fabs(config->confidence - .95) < 1e-9;
    for (size_t i = 0; i < c->n; i++)
        if (covers_less(&c->of[i])) {
            text_addf(out, "\n  intervals over fewer than %d pairs cover %s\n", AGGREGATE_FEW,
                      usual ? "about 90%, not 95%" : "less often than they say");
            return;
        }
}

static void add_table(const struct comparisons *c, const struct style *s, struct text *out)
{
    struct row *rows = mem_or_die((c->n + 1) * sizeof *rows);
    struct widths w = {0};

    for (size_t i = 0; i < c->n; i++) {
        fill(&c->of[i], &rows[i]);
        widen(&w, &rows[i]);
    }
    for (size_t i = 0; i < c->n; i++) {
        text_add(out, "  ");
        add_row(&rows[i], &w, s, out);
        text_addc(out, '\n');
        if (c->of[i].hidden == HIDDEN_FEW)
            add_inputs(&c->of[i], out);
    }
    rows_done(rows, c->n);
    free(rows);
}

void comparison_line(const struct comparison *c, struct text *out)
{
    const struct style plain = {0};
    struct row r = {0};
    struct widths w = {0};

    fill(c, &r);
    widen(&w, &r);
    add_row(&r, &w, &plain, out);
    rows_done(&r, 1);
}

void comparisons_section(const struct comparisons *c, const struct sample_config *config,
                         const struct style *s, struct text *out)
{
    if (c->n == 0)
        return;
    add_table(c, s, out);
    add_family(c, config, out);
    add_coverage(c, config, out);
}

void baseline_headline(const struct against *a, struct text *out)
{
    text_add(out, "against ");
    columns_clean(a->earlier->path, out);
    if (a->earlier->created) {
        text_add(out, " (");
        columns_clean(a->earlier->created, out);
        text_addc(out, ')');
    }
    text_addf(out, ": %zu case%s paired", a->paired, plural((int64_t)a->paired));
    if (a->only_here_n)
        text_addf(out, ", %zu only in this run", a->only_here_n);
    if (a->only_there_n)
        text_addf(out, ", %zu only in the baseline", a->only_there_n);
}

enum { NAMES_SHOWN = 5 };

static void add_names(const char *title, char *const *names, size_t n, struct text *out)
{
    if (n == 0)
        return;
    text_add(out, title);
    for (size_t i = 0; i < n && i < NAMES_SHOWN; i++) {
        text_add(out, i ? ", " : "");
        columns_clean(names[i], out);
    }
    if (n > NAMES_SHOWN)
        text_addf(out, " and %zu more", n - NAMES_SHOWN);
    text_addc(out, '\n');
}

void baseline_section(const struct against *a, const struct sample_config *config,
                      const struct style *s, struct text *out)
{
    text_add(out, "  ");
    baseline_headline(a, out);
    text_addc(out, '\n');
    comparisons_section(&a->comparisons, config, s, out);
    if (a->only_here_n || a->only_there_n)
        text_addc(out, '\n');
    add_names("  only in this run:     ", a->only_here, a->only_here_n, out);
    add_names("  only in the baseline: ", a->only_there, a->only_there_n, out);
}
