#include "report/human_impl.h"
#include "report/percent.h"

#include <string.h>

/* The table's columns; together COLUMNS. */
enum { LABEL_W = 40, RUNS_W = 6, FAILED_W = 7, GAP_W = 1 };
enum { NOTE_W = COLUMNS - INDENT - LABEL_W - RUNS_W - FAILED_W - GAP_W };
enum { QUIET_SHOWN = 3 }; /* provoked values that did nothing; the rest is counted in one row */

static void number(unsigned n, size_t width, struct text *out)
{
    own_text struct text t = {0};
    text_addf(&t, "%u", n);
    columns_pad(width > t.len ? width - t.len : 0, out);
    text_add(out, text_str(&t));
}

static void join(struct text *t, const char *more)
{
    text_addf(t, "%s%s", t->len ? "; " : "", more);
}

/* The interval belongs to the row that counts what the baseline's rate counts. */
static bool has_rate(const struct finding *f, const struct row *r)
{
    const struct baseline *b = &f->baseline;
    return text_starts(r->label, "baseline") && b->runs > 0 && r->runs == b->runs &&
           r->failed == b->failed;
}

static void note(const struct finding *f, const struct row *r, const struct style *s,
                 struct text *out)
{
    if (strcmp(r->note, "deterministic") == 0 || strcmp(r->note, "passes") == 0)
        text_add(out, "✓ ");
    text_add(out, r->note);
    if (has_rate(f, r)) {
        own_text struct text rate = {0};
        percent_interval(f->baseline.low, f->baseline.high, &rate);
        join(out, text_str(&rate));
    }
    double p = r->p_adjusted >= 0 ? r->p_adjusted : r->p;
    if (p >= 0) {
        own_text struct text t = {0};
        text_add(&t, "p ");
        percent_p(p, &t);
        join(out, text_str(&t));
    }
    if (s->verbose)
        join(out, r->tier == TIER_FRESH ? "fresh" : "warm");
}

/* How much of a note stands beside the counts: all of it, its first part, or nothing. */
static size_t beside_of(const char *note)
{
    own_text struct text first = {0};
    const char *semicolon = strstr(note, "; ");
    if (columns_width(note) <= NOTE_W)
        return strlen(note);
    text_addn(&first, note, semicolon ? (size_t)(semicolon - note) : 0);
    return columns_width(text_str(&first)) <= NOTE_W ? first.len : 0;
}

/* The first line holds the counts; what does not fit its columns continues below. */
static void line(const char *label, const struct row *r, const char *note, struct text *out)
{
    columns_pad(INDENT, out);
    own_text struct text first = {0};
    const char *rest = label + columns_take(label, LABEL_W, &first);
    text_add(out, text_str(&first));
    columns_pad(LABEL_W - columns_width(text_str(&first)), out);
    number(r->runs, RUNS_W, out);
    number(r->failed, FAILED_W, out);
    size_t beside = beside_of(note);
    if (beside) {
        columns_pad(GAP_W, out);
        text_addn(out, note, beside);
        note += beside + (note[beside] ? 2 : 0); /* "; " */
    }
    text_addc(out, '\n');
    while (*rest) {
        columns_pad(INDENT + 2, out);
        rest += columns_take(rest, LABEL_W - 2, out);
        text_addc(out, '\n');
    }
    if (*note) {
        columns_pad(INDENT + 2, out);
        columns_wrap(note, INDENT + 2, INDENT + 2, out);
    }
}

static void row(const struct finding *f, const struct row *r, const struct style *s,
                struct text *out)
{
    own_text struct text raw = {0}, label = {0}, words = {0}, clean = {0};
    text_add(&raw, r->label);
    if (r->has_axis)
        text_addf(&raw, ": %s%s%s", axis_word(r->axis), *r->value ? "=" : "", r->value);
    else if (*r->value) /* several axes at once: a whole setting */
        text_addf(&raw, ": %s", r->value);
    columns_cut(text_str(&raw), 3 * LABEL_W, &label);
    note(f, r, s, &words);
    columns_cut(text_str(&words), 3 * COLUMNS, &clean);
    line(text_str(&label), r, text_str(&clean), out);
}

/* Only rows about one value: a row that sums up an axis stays. */
static bool did_nothing(const struct row *r)
{
    return text_starts(r->label, "provoke") && *r->value && r->failed == 0;
}

static void footnotes(const struct finding *f, const struct style *s, struct text *out)
{
    bool p = false, adjusted = false, rate = false;
    for (size_t i = 0; i < f->evidence.n; i++) {
        const struct row *r = &f->evidence.at[i];
        p = p || r->p >= 0 || r->p_adjusted >= 0;
        adjusted = adjusted || r->p_adjusted >= 0;
        rate = rate || has_rate(f, r);
    }
    own_text struct text words = {0};
    if (rate)
        text_add(&words, "rates: 95 % interval, two-sided. ");
    if (f->baseline.by_process)
        text_add(&words, "The baseline counts processes: its outcome never changed within one. ");
    if (p)
        text_addf(&words, "p: the chance of such a difference if the value did nothing%s.",
                  adjusted ? " (Holm-adjusted where several were tried)" : "");
    if (words.len == 0)
        return;
    own_text struct text lines = {0};
    columns_wrap(text_str(&words), INDENT, INDENT, &lines);
    text_cut(&lines, lines.len - 1);
    columns_pad(INDENT, out);
    paint(s, PAINT_DIM, text_str(&lines), out);
    text_addc(out, '\n');
}

/* The provoked values that were left out, counted in one row where they would have stood. */
static void left_out(unsigned values, unsigned runs, struct text *out)
{
    own_text struct text label = {0};
    struct row sum = {.runs = runs};
    text_addf(&label, "provoke: %u other value%s", values, values == 1 ? "" : "s");
    line(text_str(&label), &sum, "", out);
}

void human_evidence(const struct finding *f, const struct style *s, struct text *out)
{
    const struct evidence *ev = &f->evidence;
    if (ev->n == 0)
        return;
    enum { TITLE_W = sizeof " EVIDENCE" - 1 };
    text_add(out, "\n ");
    paint(s, PAINT_BOLD, "EVIDENCE", out);
    columns_pad(INDENT + LABEL_W + RUNS_W - 4 - TITLE_W, out);
    text_add(out, "runs failed\n");
    unsigned shown = 0, hidden = 0, hidden_runs = 0;
    for (size_t i = 0; i < ev->n; i++) {
        const struct row *r = &ev->at[i];
        if (did_nothing(r) && !s->verbose && ++shown > QUIET_SHOWN) {
            hidden++;
            hidden_runs += r->runs;
        } else {
            row(f, r, s, out);
        }
        bool last = i + 1 == ev->n || !text_starts(ev->at[i + 1].label, "provoke");
        if (last && hidden > 0) {
            left_out(hidden, hidden_runs, out);
            hidden = hidden_runs = 0;
        }
    }
    footnotes(f, s, out);
}
