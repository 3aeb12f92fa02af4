/* Failures as a page of markdown, which GitHub shows as the summary of a job. */
#include "cli/triage_words.h"

#include "report/columns.h"
#include "triage/headline.h"
#include "triage/rerun_words.h"

#include <string.h>

#define ROWS_MOST  200 /* GitHub takes 1 MiB of a step */
#define PLAIN_MOST 4000

/* Every sign that could be mark-up, a link or a mention is escaped. */
static void plain(const char *s, struct text *out)
{
    own_text struct text t = {0};
    opinion_clean(s, PLAIN_MOST, &t);
    for (const char *c = text_str(&t); *c; c++) {
        if (*c == '<' || *c == '>' || *c == '&') {
            text_add(out, *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : "&amp;");
            continue;
        }
        if (*c == '@') { /* a zero-width joiner would be a hidden character; an entity is none */
            text_add(out, "&#64;");
            continue;
        }
        if (text_starts(c, "://") || text_starts(c, "ww.")) { /* an address would be a link */
            text_add(out, *c == ':' ? "&#58;" : "&#119;");
            continue;
        }
        if (strchr("\\`*_{}[]()#+!|~", *c))
            text_addc(out, '\\');
        text_addc(out, *c);
    }
}

/* One line of a cell. */
static void part(const char *name, const char *s, bool *any, struct text *out)
{
    if (!s || !*s)
        return;
    text_addf(out, "%s%s", *any ? "<br>" : "", name);
    plain(s, out);
    *any = true;
}

static void why(const struct failure *f, struct text *out)
{
    own_text struct text runs = {0};
    bool any = false;
    if (f->looked_into)
        rerun_words(&f->rerun, &runs);
    part("", f->judged ? f->verdict.hypothesis : NULL, &any, out);
    part("", f->judged ? f->verdict.fix : NULL, &any, out);
    part("Reruns: ", text_str(&runs), &any, out);
    part("Look at ", failure_look_at(f), &any, out);
}

static void row(const struct failure *f, struct text *out)
{
    own_text struct text head = {0};
    failure_headline(f, &head);
    text_addf(out, "| %zu | ", f->count);
    plain(f->nodeid ? f->nodeid : "", out);
    text_add(out, " | ");
    plain(text_str(&head), out);
    text_addf(out, " | %s | ", f->judged ? failure_label(f) : "");
    why(f, out);
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

static void command(const struct failure *f, struct text *out)
{
    own_text struct text words = {0};
    if (!f->rerun.command)
        return;
    text_add(out, "\n");
    plain(f->nodeid ? f->nodeid : "", out);
    text_add(out, " fails every time with\n\n");
    columns_clean(f->rerun.command, &words);
    fenced(text_str(&words), out);
}

/* ": 1 regression, 3 flaky", of distinct ones. */
static void labels(const struct failures *f, struct text *out)
{
    static const enum category listed[] = {CATEGORY_REGRESSION, CATEGORY_TEST_BUG, CATEGORY_ENV,
                                           CATEGORY_UNKNOWN, CATEGORY_FLAKY};
    const char *between = ": ";
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        size_t n = 0;
        const char *label = "";
        for (size_t k = 0; k < f->n; k++)
            if (f->at[k].judged && f->at[k].verdict.category == listed[i]) {
                n++;
                label = failure_label(&f->at[k]);
            }
        if (n == 0)
            continue;
        text_addf(out, "%s%zu %s", between, n, label);
        between = ", ";
    }
}

void triage_markdown(const struct triage *t, struct text *out)
{
    const struct failures *f = &t->failures;
    own_text struct text count = {0}, beside = {0}, again = {0};
    size_t shown = f->n < ROWS_MOST ? f->n : ROWS_MOST;
    triage_count(t, &count);
    text_cut(&count, count.len - 1);
    text_addf(out, "### %s", text_str(&count));
    labels(f, out);
    text_addc(out, '\n');
    triage_beside(t, &beside);
    if (beside.len)
        text_addf(out, "\n%s", text_str(&beside));
    if (f->n == 0)
        return;
    text_add(out, "\n| count | test | failure | verdict | why |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < shown; i++)
        row(&f->at[i], out);
    if (shown < f->n)
        text_addf(out, "\nAnd %zu more.\n", f->n - shown);
    for (size_t i = 0; i < shown; i++)
        command(&f->at[i], out);
    if (!triage_again(t, &again))
        return;
    text_add(out, "\nAll of them again:\n\n");
    fenced(text_str(&again), out);
}
