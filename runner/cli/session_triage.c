/* pytest --ai-*: whether it may begin, and the triage of what failed. */
#include "cli/session_triage.h"

#include "base/clock.h"
#include "base/own.h"
#include "cli/evidence.h"
#include "model/target.h"
#include "triage/failed.h"

#include <string.h>
#include <unistd.h>

static int configure(const struct question *q, const struct asked_triage *a, struct triage *t,
                     struct err *e)
{
    t->setup = (struct provider_setup){
        .env = environ, .python = q->python, .entry_points = &a->entry_points};
    return triage_config_read(a->option, a->options, &t->config, e);
}

int session_triage_check(const struct question *q, struct text *out, struct err *e)
{
    own_asked_triage struct asked_triage a = {0};
    own_triage struct triage t = {0};
    own_argv struct argv warnings = {0};
    asked_triage_read(q, &a);
    if (configure(q, &a, &t, e) < 0 || triage_check(&t, &warnings, e) < 0)
        return -1;
    answer_triage_check(&t, &warnings, out);
    return 0;
}

/* Node ids are relative to rootdir, what is typed to where the user stands. */
static void select_tests(const struct question *q, struct failures *f)
{
    own_target struct target t = {.cwd = str_or_die(q->cwd),
                                  .rootdir = q->rootdir ? str_or_die(q->rootdir) : NULL};
    for (size_t i = 0; i < f->n; i++) {
        own_text struct text argument = {0};
        target_argument_of(&t, f->at[i].nodeid, &argument);
        argv_add(&f->at[i].select, text_str(&argument));
    }
}

int triage_report(const struct triage *t, const char *path, struct text *out, struct err *e)
{
    own_text struct text json = {0};
    struct failed_report r = {.failures = &t->failures,
                              .counts = t->counts,
                              .created_ns = clock_wall_ns(),
                              .model = t->model,
                              .seconds = t->asked ? t->seconds : -1};
    failed_json(&r, path ? &json : out);
    return path ? failed_write(path, &json, e) : 0;
}

/* What stands in an ini file is relative to rootdir. */
static int write_report(const struct question *q, const struct triage *t, struct err *e)
{
    own_text struct text path = {0};
    const struct triage_config *c = &t->config;
    bool of_ini = c->report_from && !text_starts(c->report_from, "--");
    if (of_ini && *c->report != '/' && q->rootdir)
        text_addf(&path, "%s/", q->rootdir);
    text_add(&path, c->report);
    return triage_report(t, text_str(&path), NULL, e);
}

/* evidence_plan.before */
static int ran_before(void *of, size_t i, struct argv *out, struct err *e)
{
    const struct asked_triage *a = of;
    const struct ran_before *b = &a->before[i];
    (void)e;
    for (size_t k = 0; b->list < a->lists && k < b->n && k < a->ran[b->list].n; k++)
        argv_add(out, a->ran[b->list].at[k]);
    return 0;
}

/* Whoever interrupts it wants an end: a provider is not asked any more. */
static void gather(const struct question *q, struct asked_triage *a, struct triage *t)
{
    own_argv struct argv args = {0};
    struct err ignored = {0};
    session_forward(&q->args, FORWARD_CHOSEN, &args);
    const struct evidence_plan plan = {.python = q->python,
                                       .script = q->script,
                                       .rootdir = q->rootdir,
                                       .args = &args,
                                       .budget_ns = t->config.evidence_ns,
                                       .began_ns = a->began_ns,
                                       .streams = &a->streams,
                                       .before = a->lists ? ran_before : NULL,
                                       .of = a};
    if (evidence_gather(t, &plan, &ignored) < 0)
        t->config.triage = false;
}

int session_triage(const struct question *q, struct text *out, struct err *e)
{
    own_asked_triage struct asked_triage a = {0};
    own_triage struct triage t = {0};
    own_text struct text summary = {0}, report = {0};
    struct err wrong = {0};
    pid_t asker = getppid();
    asked_triage_read(q, &a);
    if (configure(q, &a, &t, e) < 0)
        return -1;
    t.failures = a.failures;
    a.failures = (struct failures){0};
    t.counts.others = a.counted > t.failures.n ? a.counted - t.failures.n : 0;
    t.counts.unrun = a.unrun;
    select_tests(q, &t.failures);
    if (t.config.evidence && t.failures.n)
        gather(q, &a, &t);
    if (triage_run(&t, e) < 0)
        return -1;
    triage_summary(&t, &summary);
    if (getppid() != asker) /* it was killed: nobody reads it, and its folder may be gone */
        return err_set(e, ERR_INTERRUPT, "pytest is gone");
    bool bad = t.config.report && !a.dry && write_report(q, &t, &wrong) < 0;
    if (a.want_report && triage_report(&t, NULL, &report, e) < 0)
        return -1;
    answer_triage(text_str(&summary), bad ? wrong.what : NULL,
                  a.want_report ? text_str(&report) : NULL, out);
    return 0;
}
