#include "base/clock.h"
#include "base/own.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/order_file.h"
#include "cli/reports.h"
#include "cli/say.h"
#include "report/human.h"
#include "report/json.h"

#include <string.h>
#include <sys/random.h>

/* 32 bits: enough to be new each time, short enough to type again. */
uint64_t reports_seed(void)
{
    uint32_t n = 0;
    if (getrandom(&n, sizeof n, 0) != (ssize_t)sizeof n)
        n = (uint32_t)(clock_wall_ns() / 1000);
    return n;
}

void reports_human(const struct reports *r, const struct style *s, struct text *out)
{
    for (size_t i = 0; i < r->n; i++) {
        if (i > 0)
            text_addc(out, '\n');
        report_human(&r->at[i].target, &r->at[i].finding, s, out);
    }
}

void reports_json(const struct reports *r, struct text *out)
{
    own_mem struct subject *s = mem_or_die(r->n * sizeof *s);
    for (size_t i = 0; i < r->n; i++)
        s[i] = (struct subject){&r->at[i].target, &r->at[i].finding};
    report_json(s, r->n, out);
}

/* The result on stdout. The report for people gives way there to the one for programs. */
static int print(const struct options *o, const struct term *t, const struct reports *r,
                 const struct text *data, struct err *e)
{
    own_text struct text words = {0};
    bool json_out = o->format == FORMAT_JSON || (o->json && strcmp(o->json, "-") == 0);
    if (!json_out) {
        reports_human(r, &t->out, &words);
        return say_result(&words, e);
    }
    if (o->format != FORMAT_JSON && !o->quiet) {
        reports_human(r, &t->err, &words);
        say_text(&words);
    }
    return say_result(data, e);
}

/* Each report is given even when the other could not be. */
static enum status give(const struct options *o, const struct term *t, const struct reports *r,
                        enum status status)
{
    own_text struct text data = {0};
    struct err e = {0};
    reports_json(r, &data);
    if (print(o, t, r, &data, &e) < 0)
        status = say_error(&e);
    if (o->json && strcmp(o->json, "-") != 0 && output_write(o->json, &data, &e) < 0)
        status = say_error(&e);
    return status;
}

enum status reports_status(const struct reports *r)
{
    enum status s = r->n ? status_of_verdict(r->at[0].finding.verdict) : STATUS_OPEN;
    for (size_t i = 1; i < r->n; i++)
        s = status_worse(s, status_of_verdict(r->at[i].finding.verdict));
    return s;
}

static enum status status_of(const struct options *o, const struct reports *r)
{
    enum status s = reports_status(r);
    return o->exit_zero ? status_exit_zero(s) : s;
}

static int diagnose(const struct options *o, const struct term *t, struct reports *r, struct err *e)
{
    own_argv struct argv order = {0};
    const struct argv *before = o->order_file ? &order : NULL;
    if (o->order_file && order_read(o->order_file, o->target, &order, e) < 0)
        return -1;
    struct progress_view view = {
        .fd = STDERR_FILENO, .live = t->live, .width = t->width, .now = clock_mono_ns};
    struct request q = {
        .spec = o->program ? o->pytest_args.at[0] : o->target,
        .args = &o->pytest_args,
        .program = o->program ? &o->pytest_args : NULL,
        .python = o->python,
        .axes = o->axes,
        .budget_ns = o->budget_ns,
        .seed = o->seed_given ? o->seed : reports_seed(),
        .seed_given = o->seed_given,
        .log = o->log,
        .resume = o->resume,
        .allow_side_effects = o->allow_side_effects,
        .no_sandbox = o->no_sandbox,
        .runs = o->runs,
        .before = before,
        .concurrency = o->concurrency,
        .watch = o->quiet ? NULL : &view.watch,
    };
    if (!o->quiet)
        say_note("%s %s (at most %.9g s)", o->resume ? "going on with" : "diagnosing",
                 o->program  ? o->pytest_args.at[0]
                 : o->target ? o->target
                             : "the last diagnosis",
                 (double)o->budget_ns / (double)NS_PER_S);
    progress_start(&view);
    int did = live_diagnose(&q, r, e);
    progress_end(&view);
    return did;
}

enum status cmd_diagnose(const struct options *o, const struct term *t)
{
    struct err e = {0};
    struct reports r = {0};
    if (!o->target && !o->resume && !o->program) {
        own_text struct text usage = {0};
        help_usage(&usage);
        say_text(&usage);
        return STATUS_NO_WORK;
    }
    if (o->json && strcmp(o->json, "-") != 0 && output_check(o->json, &e) < 0)
        return say_error(&e);

    int did = diagnose(o, t, &r, &e);
    enum status status = did == 0 ? status_of(o, &r) : status_of_error(e.kind);
    if (r.n > 0)
        status = give(o, t, &r, status);
    if (did < 0 && e.kind == ERR_INTERRUPT)
        say_note("%s%s%s",
                 r.n > 0 ? "interrupted; the report holds what is known so far"
                         : "interrupted before anything was known",
                 e.hint[0] ? "; " : "", e.hint);
    else if (did < 0)
        (void)say_error(&e);
    reports_done(&r);
    return status;
}
