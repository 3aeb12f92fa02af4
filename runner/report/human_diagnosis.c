#include "report/human_impl.h"

#include <inttypes.h>
#include <string.h>

enum {
    LINES_SHOWN = 4,  /* witnesses of one cause */
    KINDS_SHOWN = 3,  /* kinds of failure */
    TESTS_SHOWN = 6,  /* that run before it */
    STACK_SHOWN = 20, /* innermost lines of a hang's stack */
    HEADLINE_AT = 12, /* after " DIAGNOSIS  " */
};

static enum paint verdict_paint(enum verdict v)
{
    switch (v) {
    case VERDICT_FLAKY:
    case VERDICT_UNATTRIBUTED:
    case VERDICT_DETERMINISTIC:
    case VERDICT_HANG:
    case VERDICT_USAGE:
        return PAINT_RED;
    case VERDICT_NOT_FLAKY:
        return PAINT_GREEN;
    case VERDICT_NONE:
    case VERDICT_SKIPPED:
    case VERDICT_NO_TESTS:
    case VERDICT_HELD:
    case VERDICT_INCOMPLETE:
        return PAINT_YELLOW;
    }
    return PAINT_BOLD;
}

static void headline(const struct finding *f, const struct style *s, struct text *out)
{
    own_text struct text words = {0}, lines = {0};
    text_add(&words, f->headline.len ? text_str(&f->headline) : words_headline(f));
    columns_wrap(text_str(&words), HEADLINE_AT, HEADLINE_AT, &lines);
    text_cut(&lines, lines.len - 1); /* the newline stays outside the colour */
    text_add(out, "\n ");
    paint(s, PAINT_BOLD, "DIAGNOSIS", out);
    text_add(out, "  ");
    paint(s, verdict_paint(f->verdict), text_str(&lines), out);
    text_addc(out, '\n');
}

static void failure(const char *name, const struct fingerprint *p, unsigned count, struct text *out)
{
    own_text struct text line = {0};
    text_add(&line, p->type);
    if (*p->site)
        text_addf(&line, " at %s", p->site);
    if (*p->phase && strcmp(p->phase, "call") != 0)
        text_addf(&line, " (%s)", p->phase);
    if (count > 0)
        text_addf(&line, " · %u time%s", count, count == 1 ? "" : "s");
    human_fact(name, text_str(&line), out);
}

static void failures(const struct finding *f, const struct style *s, struct text *out)
{
    if (*f->print.type) {
        failure("fails as", &f->print, 0, out);
        if (*f->message) {
            own_text struct text cut = {0};
            columns_cut(f->message, COLUMNS - FACT_AT, &cut);
            human_fact("", text_str(&cut), out);
        }
    }
    const struct baseline *b = &f->baseline;
    bool same = b->prints == 1 && fingerprint_same(&b->print[0].print, &f->print);
    size_t shown = s->verbose ? b->prints : b->prints < KINDS_SHOWN ? b->prints : KINDS_SHOWN;
    for (size_t i = 0; i < shown && !same; i++)
        failure(i ? "" : "seen", &b->print[i].print, b->print[i].count, out);
    if (!same && b->prints > shown) {
        own_text struct text more = {0};
        text_addf(&more, "and %zu other kind%s of failure", b->prints - shown,
                  b->prints - shown == 1 ? "" : "s");
        human_fact("", text_str(&more), out);
    }
}

static void witness_words(const struct witness *w, struct text *out)
{
    if (strcmp(w->call, "value") == 0) {
        text_add(out, "its values differ between a passing and a failing run");
        return;
    }
    if (strcmp(w->call, "failure") == 0) {
        text_add(out, "it fails there; no line was seen to read what decides");
        return;
    }
    text_addf(out, "%s %s", w->axis == FD_AXIS_ENV ? "reads" : "calls", w->call);
    if (w->count == 1)
        text_add(out, " once");
    else if (w->count > 1)
        text_addf(out, " %" PRIu64 " times", w->count);
    if (w->axis == FD_AXIS_TIME && w->first > 0 && w->last > w->first)
        text_addf(out, ", reads %" PRIu64 " to %" PRIu64 " of the clock in the test", w->first,
                  w->last);
    else if (w->axis == FD_AXIS_TIME && w->first > 0)
        text_addf(out, ", read %" PRIu64 " of the clock in the test", w->first);
}

static void witness(const struct witness *w, const char *name, struct text *out)
{
    own_text struct text where = {0}, what = {0};
    text_addf(&where, "%s:%u", w->file, w->line);
    if (*w->function && strcmp(w->function, "<module>") == 0)
        text_add(&where, " at import");
    else if (*w->function)
        text_addf(&where, " in %s()", w->function);
    human_fact(name, text_str(&where), out);
    witness_words(w, &what);
    human_fact("", text_str(&what), out);
}

static void values(const struct cause *c, struct text *out)
{
    own_text struct text with = {0}, without = {0};
    text_addf(&with, "%s=%s", axis_word(c->axis), c->value);
    human_fact("fails with", text_str(&with), out);
    text_addf(&without, "%s=%s", axis_word(c->axis), c->benign);
    if (*c->benign)
        human_fact("passes with", text_str(&without), out);
}

/* The tests before it: by name, on the side where there are any. */
static void tests(const struct cause *c, struct text *out)
{
    bool fails_alone = strcmp(c->value, "alone") == 0;
    const char *name = fails_alone ? "passes after" : "fails after";
    if (fails_alone)
        human_fact("fails", "alone", out);
    for (size_t i = 0; i < c->tests.n; i++) {
        if (i == TESTS_SHOWN) {
            own_text struct text more = {0};
            text_addf(&more, "and %zu more, listed by --json", c->tests.n - i);
            human_fact("", text_str(&more), out);
            break;
        }
        human_fact(i ? "" : name, c->tests.at[i], out);
    }
    if (!fails_alone && *c->benign)
        human_fact("passes", c->benign, out);
}

static void cause(const struct cause *c, struct text *out)
{
    if (c->tests.n)
        tests(c, out);
    else
        values(c, out);
    size_t shown = c->witnesses < LINES_SHOWN ? c->witnesses : LINES_SHOWN;
    for (size_t i = 0; i < shown; i++)
        witness(&c->witness[i], i ? "" : "look at", out);
    if (c->witnesses > shown) {
        own_text struct text more = {0};
        text_addf(&more, "and %zu more line%s, listed by --json", c->witnesses - shown,
                  c->witnesses - shown == 1 ? "" : "s");
        human_fact("", text_str(&more), out);
    }
}

/* The innermost calls stand first: they say what it waits for. */
static void stack(const struct finding *f, struct text *out)
{
    const char *at = text_str(&f->stack);
    if (*at)
        text_addf(out, "\n   where it %s (innermost call first):\n",
                  text_starts(f->print.type, "<SIG") ? "crashed" : "stood");
    for (int lines = 0; *at && lines < STACK_SHOWN; lines++) {
        size_t n = strcspn(at, "\n");
        own_text struct text line = {0};
        text_addn(&line, at, n);
        columns_pad(INDENT + 2, out);
        columns_cut(text_str(&line), COLUMNS - INDENT - 2, out);
        text_addc(out, '\n');
        at += n + (at[n] != 0);
    }
    if (*at)
        text_add(out, "     …\n");
}

void human_diagnosis(const struct finding *f, const struct style *s, struct text *out)
{
    headline(f, s, out);
    if (f->explanation.len)
        human_paragraph(text_str(&f->explanation), out);
    own_text struct text facts = {0};
    for (size_t i = 0; i < f->causes; i++)
        cause(&f->cause[i], &facts);
    if (f->causes > 1)
        human_fact("together", "each value alone is not enough", &facts);
    failures(f, s, &facts);
    if (facts.len) {
        text_addc(out, '\n');
        text_add(out, text_str(&facts));
    }
    stack(f, out);
}
