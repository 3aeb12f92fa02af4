#include "cli/triage_words.h"

#include "base/fdio.h"
#include "report/columns.h"
#include "triage/headline.h"
#include "triage/rerun_words.h"

#include <string.h>

#define TESTS_SHOWN 5 /* of one failure */

static size_t all_of(const struct triage *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->failures.n; i++)
        n += t->failures.at[i].count;
    return n;
}

void triage_count(const struct triage *t, struct text *out)
{
    size_t all = all_of(t), kinds = t->failures.n;
    if (all == 0)
        text_add(out, "no failures\n");
    else
        text_addf(out, "%zu failure%s, %zu distinct\n", all, all == 1 ? "" : "s", kinds);
}

void triage_beside(const struct triage *t, struct text *out)
{
    size_t shown = all_of(t), all = shown + t->counts.others, unrun = t->counts.unrun;
    if (t->counts.others)
        text_addf(out, "It counts %zu failure%s, but shows %zu.\n", all, all == 1 ? "" : "s",
                  shown);
    if (unrun)
        text_addf(out, "The run was stopped: %zu test%s not run.\n", unrun,
                  unrun == 1 ? " was" : "s were");
}

static void line(const char *s, struct text *out)
{
    text_add(out, "    ");
    columns_wrap(s, 4, 4, out);
}

static void reruns(const struct failure *f, struct text *out)
{
    const struct rerun *r = &f->rerun;
    own_text struct text t = {0};
    text_add(&t, "reruns: ");
    rerun_words(r, &t);
    line(text_str(&t), out);
    if (failure_look_at(f)) {
        text_clear(&t);
        text_addf(&t, "look at: %s", failure_look_at(f));
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
    failure_headline(f, &head);
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

/* "com.acme.CartTest::total" is a test of some other runner. */
static bool is_of_pytest(const char *nodeid)
{
    own_text struct text path = {0};
    const char *colons = strstr(nodeid, "::");
    text_addn(&path, nodeid, colons ? (size_t)(colons - nodeid) : strlen(nodeid));
    return text_ends(text_str(&path), ".py") || fdio_is_file(text_str(&path));
}

bool triage_again(const struct triage *t, struct text *out)
{
    own_text struct text words = {0};
    for (size_t i = 0; i < t->failures.n; i++)
        for (size_t k = 0; k < t->failures.at[i].select.n; k++) {
            const char *nodeid = t->failures.at[i].select.at[k];
            if (!is_of_pytest(nodeid))
                continue;
            text_add(&words, words.len ? " " : "pytest ");
            text_add_quoted(&words, nodeid);
        }
    columns_clean(text_str(&words), out);
    return words.len > 0;
}

void triage_human(const struct triage *t, struct text *out)
{
    own_text struct text again = {0};
    triage_count(t, out);
    triage_beside(t, out);
    for (size_t i = 0; i < t->failures.n; i++)
        failure(&t->failures.at[i], out);
    if (triage_again(t, &again))
        text_addf(out, "\nagain: %s\n", text_str(&again));
}
