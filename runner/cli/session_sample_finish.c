/* The end of sampling: the session's exit status, what is printed, the report. */
#include "cli/session_sample.h"

#include "report/fractions_json.h"

#include <string.h>
#include <time.h>

static const struct {
    const char *title;
    void (*print)(const struct fractions *, const struct style *, struct text *);
} sections[] = {
    {"probability", fractions_rows},
    {"probability: metrics", fractions_metrics},
    {"probability: latency", fractions_latency},
    {"probability: gates", fractions_gates},
};

void finish_done(struct finish *f)
{
    for (size_t i = 0; i < f->n; i++)
        text_done(&f->section[i].text);
    *f = (struct finish){0};
}

/* Only "all passed" can turn out worse: what else pytest says stands. */
static int status_of(const struct sampling *s, int pytest_status)
{
    struct verdicts v = suite_verdicts(&s->suite);
    bool bad = v.fail > 0 || (v.undecided > 0 && !s->suite.config.undecided_passes);
    return pytest_status == 0 && bad ? 1 : pytest_status;
}

void sampling_finish(struct sampling *s, int pytest_status, bool colour, struct finish *ret)
{
    struct style style = {.colour = colour};
    own_aggregates struct aggregates means = {0};
    *ret = (struct finish){.status = pytest_status};
    if (s->worker)
        return;
    ret->status = status_of(s, pytest_status);
    aggregates_of(&s->suite, &means);
    struct fractions f = {&s->suite, &means, s->suite.config.json};
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
    own_aggregates struct aggregates means = {0};
    own_text struct text name = {0};
    char created[32] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (localtime_r(&now, &tm))
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%S", &tm);
    aggregates_of(&s->suite, &means);
    text_add(&name, journal ? journal : "");
    struct fractions f = {&s->suite, &means, s->suite.config.json};
    struct fractions_facts facts = {created, status,
                                    s->stopping && s->suite.config.stop != STOP_OFF};
    struct records records = {records_of_journal, journal ? name.at : NULL};
    return path ? fractions_json_write(&f, &facts, &records, path, e)
                : fractions_json_to(&f, &facts, &records, fd, e);
}
