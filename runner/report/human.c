#include "report/human.h"

#include "report/human_impl.h"
#include "report/percent.h"

#include <ctype.h>
#include <string.h>
#include <sys/utsname.h>

enum { ID_LINES = 3 }; /* of the header; the whole id is in the JSON report */

static void rule(size_t columns, struct text *out)
{
    while (columns-- > 0)
        text_add(out, "━");
}

static void test_name(const struct target *t, const struct style *s, struct text *out)
{
    own_text struct text clean = {0};
    columns_clean(t->nodeid ? t->nodeid : t->spec ? t->spec : "", &clean);
    const char *rest = text_str(&clean);
    for (int line = 1; *rest && line <= ID_LINES; line++) {
        own_text struct text piece = {0};
        if (line < ID_LINES)
            rest += columns_take(rest, COLUMNS - 1, &piece);
        else
            columns_cut(rest, COLUMNS - 1, &piece);
        text_addc(out, ' ');
        paint(s, PAINT_BOLD, text_str(&piece), out);
        text_addc(out, '\n');
    }
}

/* The distributions whose pytest plugins were loaded: any of them may have a hand in an outcome. */
static void plugins(const struct target *t, struct text *out)
{
    if (t->plugins.n == 0)
        return;
    own_text struct text list = {0};
    for (size_t i = 0; i < t->plugins.n; i++)
        text_addf(&list, "%s%s", i ? ", " : "", t->plugins.at[i]);
    text_add(out, " with ");
    columns_wrap(text_str(&list), 6, 6, out);
}

static void header(const struct target *t, const struct finding *f, const struct style *s,
                   struct text *out)
{
    static const char name[] = " flaky-repro ";
    rule(3, out);
    paint(s, PAINT_BOLD, name, out);
    rule(COLUMNS - 3 - (sizeof name - 1), out);
    text_addc(out, '\n');
    test_name(t, s, out);

    own_text struct text facts = {0};
    struct utsname u = {0};
    if (t->python)
        text_addf(&facts, "py%s · ", t->python);
    if (uname(&u) == 0)
        for (char *c = u.sysname; *c; c++)
            *c = (char)tolower((unsigned char)*c);
    text_addf(&facts, "%s · %u run%s · %.1f s", *u.sysname ? u.sysname : "linux", f->stats.trials,
              f->stats.trials == 1 ? "" : "s", f->stats.seconds);
    own_text struct text line = {0};
    columns_cut(text_str(&facts), COLUMNS - 1, &line);
    text_addc(out, ' ');
    paint(s, PAINT_DIM, text_str(&line), out);
    text_addc(out, '\n');
    plugins(t, out);
}

static void certainty(const struct finding *f, const struct style *s, struct text *out)
{
    own_text struct text words = {0};
    words_certainty(f, &words);
    if (words.len == 0)
        return;
    human_title("HOW SURE", s, out);
    human_paragraph(text_str(&words), out);
}

static void requirements(const struct finding *f, const struct style *s, struct text *out)
{
    if (f->requirements == 0)
        return;
    human_title("NEEDS (of its machine or its date; not counted as flaky)", s, out);
    for (size_t i = 0; i < f->requirements; i++) {
        const struct requirement *r = &f->requirement[i];
        own_text struct text line = {0};
        text_addf(&line, "%s=%s: %s", axis_word(r->axis), r->value,
                  *r->exception ? r->exception : "fails");
        if (*r->site)
            text_addf(&line, " at %s", r->site);
        human_paragraph(text_str(&line), out);
    }
}

static void effects(const struct finding *f, const struct style *s, struct text *out)
{
    static const char *const kinds[][2] = {
        {"outside", "reached for"}, {"program", "started"}, {"written", "wrote"},
        {"removed", "removed"}};
    if (f->effects == 0)
        return;
    human_title("SIDE EFFECTS of the first run", s, out);
    for (size_t i = 0; i < f->effects; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(f->effect[i].kind, kinds[k][0]) == 0)
                human_fact(kinds[k][1], f->effect[i].what, out);
}

static void not_searched(const struct finding *f, const struct style *s, struct text *out)
{
    if (f->skipped == 0)
        return;
    human_title("NOT SEARCHED", s, out);
    for (size_t i = 0; i < f->skipped; i++)
        human_fact(axis_word(f->axis_skipped[i].axis), f->axis_skipped[i].reason, out);
}

/* What held the trials, and what had to be let go: on what the counts above rest. */
static void sandbox(const struct finding *f, const struct style *s, struct text *out)
{
    own_text struct text line = {0};
    if (f->layers.n == 0)
        return;
    human_title("SANDBOX", s, out);
    for (size_t i = 0; i < f->layers.n; i++)
        text_addf(&line, "%s%s", i ? " · " : "", f->layers.at[i]);
    human_paragraph(text_str(&line), out);
}

static void warnings(const struct finding *f, const struct style *s, struct text *out)
{
    if (f->warnings.n == 0)
        return;
    human_title("WARNINGS", s, out);
    for (size_t i = 0; i < f->warnings.n; i++) {
        columns_pad(INDENT, out);
        text_add(out, "! ");
        columns_wrap(f->warnings.at[i], INDENT + 2, INDENT + 2, out);
    }
}

static void next(const struct finding *f, const struct style *s, struct text *out)
{
    own_text struct text words = {0};
    words_next(f, &words);
    if (words.len == 0)
        return;
    human_title("NEXT", s, out);
    human_paragraph(text_str(&words), out);
}

static void marker(const struct finding *f, struct text *out)
{
    if (!f->repro.marker)
        return;
    human_paragraph("or, until it is mended, on every ordinary run; paste it above the test:", out);
    columns_pad(INDENT, out);
    columns_clean(f->repro.marker, out);
    text_addc(out, '\n');
}

static void repro(const struct finding *f, const struct style *s, struct text *out)
{
    if (!f->repro.command)
        return;
    text_add(out, "\n ");
    paint(s, PAINT_BOLD, "REPRO", out);
    if (f->verify.runs > 0) {
        text_addf(out, " (fails %u/%u; ≥", f->verify.failed, f->verify.runs);
        percent_floor(f->verify.low, out);
        text_add(out, " % repro rate at 95 % confidence, one-sided)");
    }
    text_addc(out, '\n');
    own_text struct text command = {0};
    columns_clean(f->repro.command, &command);
    columns_pad(INDENT, out);
    text_add(out, text_str(&command));
    text_addc(out, '\n');
    if (strcmp(text_str(&command), f->repro.command) != 0)
        human_paragraph("(a \"?\" stands for a byte that no terminal should print; --json "
                        "PATH keeps the exact command)",
                        out);
    marker(f, out);
    if (!s->verbose)
        return;
    own_text struct text setting = {0};
    setting_text(&f->repro.setting, &setting);
    if (setting.len)
        human_fact("setting", text_str(&setting), out);
}

void report_human(const struct target *t, const struct finding *f, const struct style *s,
                  struct text *out)
{
    header(t, f, s, out);
    human_diagnosis(f, s, out);
    human_evidence(f, s, out);
    certainty(f, s, out);
    requirements(f, s, out);
    effects(f, s, out);
    not_searched(f, s, out);
    sandbox(f, s, out);
    warnings(f, s, out);
    next(f, s, out);
    repro(f, s, out);
    rule(COLUMNS, out);
    text_addc(out, '\n');
}
