/* The end of sampling: the session's exit status, what is printed, the report. */
#include "cli/session_sample.h"

#include "report/comparisons.h"
#include "report/explain_section.h"
#include "report/fractions_json.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPLAIN_WIDTH 80

static void print_comparisons(const struct fractions *f, const struct style *s, struct text *out)
{
    comparisons_section(f->comparisons, &f->suite->config, s, out);
}

static void print_baseline(const struct fractions *f, const struct style *s, struct text *out)
{
    if (f->against)
        baseline_section(f->against, &f->suite->config, s, out);
}

static void print_explained(const struct fractions *f, const struct style *s, struct text *out)
{
    (void)s; /* sentences have no colours */
    if (f->suite->config.explain)
        explain_section(f, EXPLAIN_WIDTH, out);
}

static const struct {
    const char *title;
    void (*print)(const struct fractions *, const struct style *, struct text *);
} sections[] = {
    {"probability", fractions_rows},
    {"probability: metrics", fractions_metrics},
    {"probability: latency", fractions_latency},
    {"probability: comparisons", print_comparisons},
    {"probability: baseline", print_baseline},
    {"probability: gates", fractions_gates},
    {"probability: explained", print_explained},
};
_Static_assert(sizeof sections / sizeof *sections <= SECTIONS_MOST, "a section has no place");

void finish_done(struct finish *f)
{
    for (size_t i = 0; i < f->n; i++)
        text_done(&f->section[i].text);
    *f = (struct finish){0};
}

/* Everything that is said at the end, made once. */
struct results {
    struct aggregates means;
    struct comparisons compared;
    struct against against;
};

void sampling_forget(struct sampling *s)
{
    struct results *r = s->results;
    if (r) {
        aggregates_done(&r->means);
        comparisons_done(&r->compared);
        against_done(&r->against);
    }
    free(r);
    s->results = NULL;
}

/* Drawing inputs anew takes its time, and what is printed is what is written. */
static struct fractions results_of(struct sampling *s)
{
    struct results *r = s->results;
    if (!r) {
        r = s->results = mem_or_die(sizeof *r);
        suite_sort(&s->suite);
        aggregates_of(&s->suite, &r->means);
        arms_results(s, &r->compared, &r->against);
    }
    return (struct fractions){.suite = &s->suite,
                              .means = &r->means,
                              .json = s->suite.config.json,
                              .comparisons = &r->compared,
                              .against = s->against ? &r->against : NULL};
}

/* Only "all passed" can turn out worse: what else pytest says stands. */
static int status_of(const struct sampling *s, const struct results *r, int pytest_status)
{
    const struct sample_config *config = &s->suite.config;
    struct verdicts v = suite_verdicts(&s->suite);
    bool bad = v.fail > 0 || (v.undecided > 0 && !config->undecided_passes) ||
               verdict_fails(arms_worst(&r->compared), config) ||
               verdict_fails(arms_worst(&r->against.comparisons), config);
    return pytest_status == 0 && bad ? 1 : pytest_status;
}

void sampling_finish(struct sampling *s, int pytest_status, bool colour, struct finish *ret)
{
    struct style style = {.colour = colour};
    *ret = (struct finish){.status = pytest_status};
    if (s->worker)
        return;
    sampling_forget(s); /* runs may have been told since */
    struct fractions f = results_of(s);
    ret->status = status_of(s, s->results, pytest_status);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        struct section *to = &ret->section[ret->n];
        *to = (struct section){.title = sections[i].title};
        sections[i].print(&f, &style, &to->text);
        ret->n += to->text.len > 0;
    }
}

struct putting {
    int (*put)(void *to, const char *record, struct err *e);
    void *to;
};

static int record_of_line(void *ctx, char *line, struct err *e)
{
    struct putting *p = ctx;
    own_text struct text record = {0};
    return said_record(line, &record) ? p->put(p->to, text_str(&record), e) : 0;
}

static int records_of_journal(void *ctx, int (*put)(void *, const char *, struct err *), void *to,
                              struct err *e)
{
    struct putting p = {put, to};
    struct journal_reader reader = {record_of_line, &p};
    return ctx ? journal_each(ctx, &reader, e) : 0;
}

int sampling_write(struct sampling *s, int status, const char *journal, const char *path, int fd,
                   struct err *e)
{
    own_text struct text name = {0};
    char created[32] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (localtime_r(&now, &tm))
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%S", &tm);
    text_add(&name, journal ? journal : "");
    struct fractions f = results_of(s);
    struct fractions_facts facts = {created, status,
                                    s->stopping && s->suite.config.stop != STOP_OFF};
    struct records records = {records_of_journal, journal ? name.at : NULL};
    return path ? fractions_json_write(&f, &facts, &records, path, e)
                : fractions_json_to(&f, &facts, &records, fd, e);
}
