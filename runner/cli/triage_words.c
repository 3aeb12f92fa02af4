#include "cli/triage_words.h"

#include "report/columns.h"

#include <string.h>

#define TESTS_SHOWN 5 /* of one failure */
#define TITLE_MAX   200

static size_t all_of(const struct triage *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->failures.n; i++)
        n += t->failures.at[i].count;
    return n;
}

static void count_line(const struct triage *t, struct text *out)
{
    size_t all = all_of(t), kinds = t->failures.n;
    if (all == 0)
        text_add(out, "no failures\n");
    else
        text_addf(out, "%zu failure%s, %zu distinct\n", all, all == 1 ? "" : "s", kinds);
}

static void title(const struct failure *f, struct text *out)
{
    own_text struct text t = {0};
    bool told = f->exc_message && *f->exc_message;
    text_add(&t, f->exc_type ? f->exc_type : told ? "" : "failure");
    if (told)
        text_addf(&t, "%s%s", t.len ? ": " : "", f->exc_message);
    opinion_clean(text_str(&t), TITLE_MAX, out);
}

static void line(const char *s, struct text *out)
{
    text_add(out, "    ");
    columns_wrap(s, 4, 4, out);
}

/* "24 runs, 13 failed; fails with hashseed=7, passes with hashseed=3" */
static void counts(const struct rerun *r, struct text *out)
{
    if (r->runs == 0) {
        text_add(out, r->reason ? r->reason : "nothing was run");
        return;
    }
    text_addf(out, "%u run%s, %u failed", r->runs, r->runs == 1 ? "" : "s", r->failed);
    for (size_t i = 0; i < r->causes; i++) {
        const struct rerun_cause *c = &r->cause[i];
        const char *axis = c->axis ? c->axis : "";
        text_addf(out, "%sfails with %s=%s", i ? ", " : "; ", axis, c->value ? c->value : "");
        if (c->passes)
            text_addf(out, ", passes with %s=%s", axis, c->passes);
    }
    if (r->verify_runs)
        text_addf(out, " (%u of %u failed, against %u of %u)", r->verify_failed, r->verify_runs,
                  r->passing_failed, r->passing_runs);
    if (r->reason)
        text_addf(out, "; %s", r->reason);
}

/* The line that reads what decides, where no sentence has named it. */
static const char *line_of(const struct failure *f)
{
    const char *fix = f->judged && f->verdict.fix ? f->verdict.fix : "";
    const char *at = f->looked_into ? f->rerun.look_at : NULL;
    return at && !strstr(fix, at) ? at : NULL;
}

static void reruns(const struct failure *f, struct text *out)
{
    const struct rerun *r = &f->rerun;
    own_text struct text t = {0};
    text_add(&t, "reruns: ");
    counts(r, &t);
    line(text_str(&t), out);
    if (line_of(f)) {
        text_clear(&t);
        text_addf(&t, "look at: %s", line_of(f));
        line(text_str(&t), out);
    }
    if (!r->command)
        return;
    text_add(out, "    repro: "); /* whole on its line: it is to be pasted */
    columns_clean(r->command, out);
    text_addc(out, '\n');
}

static void judgement(const struct failure *f, struct text *out)
{
    const struct opinion *v = &f->verdict;
    own_text struct text t = {0};
    if (!f->judged)
        return;
    text_addf(&t, "%s (%s confidence%s)%s%s", category_words[v->category],
              confidence_words[v->confidence], f->by_evidence ? ", from evidence" : "",
              *v->hypothesis ? ": " : "", v->hypothesis);
    line(text_str(&t), out);
    if (!v->fix)
        return;
    text_clear(&t);
    text_addf(&t, "suggested: %s", v->fix);
    line(text_str(&t), out);
}

static void failure(const struct failure *f, struct text *out)
{
    own_text struct text head = {0};
    text_addc(out, '\n');
    if (f->count > 1)
        text_addf(&head, "%zu x ", f->count);
    title(f, &head);
    columns_wrap(text_str(&head), 0, 4, out);
    for (size_t i = 0; i < f->select.n && i < TESTS_SHOWN; i++) {
        text_add(out, "    ");
        columns_clean(f->select.at[i], out);
        text_addc(out, '\n');
    }
    if (f->select.n > TESTS_SHOWN)
        text_addf(out, "    and %zu others\n", f->select.n - TESTS_SHOWN);
    judgement(f, out);
    if (f->looked_into)
        reruns(f, out);
}

static void rerun(const struct triage *t, struct text *out)
{
    own_text struct text words = {0};
    for (size_t i = 0; i < t->failures.n; i++)
        for (size_t k = 0; k < t->failures.at[i].select.n; k++) {
            text_addc(&words, ' ');
            text_add_quoted(&words, t->failures.at[i].select.at[k]);
        }
    columns_clean(text_str(&words), out);
}

void triage_human(const struct triage *t, struct text *out)
{
    count_line(t, out);
    for (size_t i = 0; i < t->failures.n; i++)
        failure(&t->failures.at[i], out);
    if (t->failures.n == 0)
        return;
    text_add(out, "\nagain: pytest");
    rerun(t, out);
    text_addc(out, '\n');
}

/* Every sign that could be mark-up, a link or a mention is escaped. */
static void plain(const char *s, struct text *out)
{
    own_text struct text t = {0};
    opinion_clean(s, 4 * OPINION_FIX_MAX, &t);
    for (const char *c = text_str(&t); *c; c++) {
        if (*c == '<' || *c == '>' || *c == '&') {
            text_add(out, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;");
            continue;
        }
        if (*c == '@') { /* a zero-width joiner would be a hidden character; an entity is none */
            text_add(out, "&#64;");
            continue;
        }
        if (strchr("\\`*_{}[]()#+!|~", *c))
            text_addc(out, '\\');
        text_addc(out, *c);
    }
}

static void row(const struct failure *f, struct text *out)
{
    own_text struct text head = {0};
    title(f, &head);
    text_addf(out, "| %zu | ", f->count);
    plain(f->nodeid ? f->nodeid : "", out);
    text_add(out, " | ");
    plain(text_str(&head), out);
    text_addf(out, " | %s | ", f->judged ? category_words[f->verdict.category] : "");
    if (f->judged)
        plain(f->verdict.hypothesis, out);
    if (f->judged && f->verdict.fix) {
        text_add(out, "<br>");
        plain(f->verdict.fix, out);
    }
    if (f->looked_into) {
        own_text struct text seen = {0};
        counts(&f->rerun, &seen);
        text_add(out, f->judged ? "<br>Reruns: " : "Reruns: ");
        plain(text_str(&seen), out);
    }
    if (line_of(f)) {
        text_add(out, "<br>Look at ");
        plain(line_of(f), out);
    }
    text_add(out, " |\n");
}

/* A fence longer than any run of its sign within. */
static void fenced(const char *s, struct text *out)
{
    size_t longest = 2, run = 0;
    for (const char *c = s; *c; c++) {
        run = *c == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    own_text struct text fence = {0};
    for (size_t i = 0; i <= longest; i++)
        text_addc(&fence, '`');
    text_addf(out, "%s\n%s\n%s\n", text_str(&fence), s, text_str(&fence));
}

/* What fails every time, each to be pasted. */
static void repros(const struct triage *t, struct text *out)
{
    for (size_t i = 0; i < t->failures.n; i++) {
        const struct failure *f = &t->failures.at[i];
        own_text struct text command = {0};
        if (!f->looked_into || !f->rerun.command)
            continue;
        text_addc(out, '\n');
        plain(f->nodeid ? f->nodeid : "", out);
        text_add(out, " fails every time with\n\n");
        columns_clean(f->rerun.command, &command);
        fenced(text_str(&command), out);
    }
}

void triage_markdown(const struct triage *t, struct text *out)
{
    own_text struct text again = {0};
    text_add(out, "### ");
    count_line(t, out);
    if (t->failures.n == 0)
        return;
    text_add(out, "\n| count | test | failure | verdict | why |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < t->failures.n; i++)
        row(&t->failures.at[i], out);
    repros(t, out);
    text_add(&again, "pytest");
    rerun(t, &again);
    text_addc(out, '\n');
    fenced(text_str(&again), out);
}
