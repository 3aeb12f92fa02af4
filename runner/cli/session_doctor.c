/* pytest --doctor: whether it may begin, and the diagnosis of what failed. */
#include "cli/session.h"

#include "base/clock.h"
#include "base/own.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/reports.h"
#include "cli/say.h"
#include "cli/values.h"
#include "report/columns.h"

#include <string.h>

#define RUNS_DEFAULT  10
#define TESTS_DEFAULT 5
#define UNTOLD_MOST   10 /* names of tests that are not diagnosed */

struct limits {
    unsigned runs, max;
    int64_t budget_ns;
};

static bool given(const struct asked_option *o)
{
    return o->value && *o->value;
}

static int read_limits(const struct question *q, struct limits *ret, struct err *e)
{
    *ret = (struct limits){RUNS_DEFAULT, TESTS_DEFAULT, BUDGET_DEFAULT_NS};
    if (given(&q->runs) && value_runs(q->runs.value, q->runs.from, &ret->runs, e) < 0)
        return -1;
    if (given(&q->budget) && value_budget(q->budget.value, q->budget.from, &ret->budget_ns, e) < 0)
        return -1;
    if (given(&q->max) && value_tests(q->max.value, q->max.from, &ret->max, e) < 0)
        return -1;
    return 0;
}

int session_check(const struct question *q, const struct term *t, struct answer *a, struct err *e)
{
    struct limits w;
    (void)t;
    (void)a;
    if (q->repro_too) {
        err_set(e, ERR_USAGE, "--doctor and --doctor-repro are two different things to do");
        return err_hint(e, "play the recorded failure first, then diagnose again without it");
    }
    if (read_limits(q, &w, e) < 0)
        return -1;
    if (!given(&q->path) || output_check(q->path.value, e) == 0)
        return 0;
    return err_hint(e, "choose another %s; nothing was run", q->path.from);
}

/* The argument by which pytest finds the test from where we stand. */
static void argument_of(const struct question *q, const char *id, struct text *out)
{
    own_target struct target t = {.nodeid = str_or_die(id),
                                  .cwd = str_or_die(q->cwd),
                                  .rootdir = q->rootdir ? str_or_die(q->rootdir) : NULL};
    target_argument(&t, out);
}

static void take_over(struct reports *all, struct reports *more)
{
    if (more->n == 0)
        return;
    all->at = mem_grow_or_die(all->at, (all->n + more->n) * sizeof *all->at);
    memcpy(all->at + all->n, more->at, more->n * sizeof *more->at);
    all->n += more->n;
    free(more->at);
}

static int diagnose_one(struct request *r, bool quiet, const struct term *t, struct reports *all,
                        struct err *e)
{
    struct progress_view view = {
        .fd = STDERR_FILENO, .live = t->live, .width = t->width, .now = clock_mono_ns};
    struct reports found = {0};
    if (!quiet)
        say_note("diagnosing %s (at most %.0f s)", r->spec,
                 (double)r->budget_ns / (double)NS_PER_S);
    r->watch = quiet ? NULL : &view.watch;
    progress_start(&view);
    int did = live_diagnose(r, &found, e);
    progress_end(&view);
    take_over(all, &found);
    return did;
}

/* The tests that failed; where pytest ran none, what was asked for, as it was typed. */
static int diagnose_all(const struct question *q, const struct limits *w, const struct term *t,
                          struct reports *all, struct err *e)
{
    own_argv struct argv args = {0};
    session_forward(&q->args, q->test ? FORWARD_CHOSEN : FORWARD_ASKED, &args);
    struct request r = {.args = &args,
                        .python = q->python,
                        .script = q->script,
                        .axes = AXES_ALL,
                        .seed = reports_seed(),
                        .runs = w->runs,
                        .allow_side_effects = q->allow_side_effects};
    int64_t deadline = clock_mono_ns() + w->budget_ns;
    size_t n = q->test ? q->tests : q->selected.n;
    if (q->test && n > w->max)
        n = w->max;
    for (size_t i = 0; i < n; i++) { /* what one test leaves of its share goes to the others */
        own_text struct text spec = {0};
        int64_t left = deadline - clock_mono_ns();
        r.budget_ns = left > 0 && w->budget_ns > 0 ? left / (int64_t)(n - i) : 0;
        r.before = q->test ? &q->test[i].before : NULL;
        if (q->test)
            argument_of(q, q->test[i].id, &spec);
        else
            text_add(&spec, q->selected.at[i]);
        r.spec = text_str(&spec);
        if (diagnose_one(&r, q->quiet, t, all, e) < 0)
            return -1;
    }
    return 0;
}

static void not_diagnosed(const struct question *q, const struct limits *w, struct text *out)
{
    if (q->tests <= w->max)
        return;
    own_text struct text words = {0};
    size_t rest = q->tests - w->max;
    text_addf(&words, "\n%zu more failing test%s not diagnosed (--doctor-max=%u, in the order of "
              "the run):\n", rest, rest == 1 ? " was" : "s were", w->max);
    for (size_t i = w->max; i < q->tests && i < w->max + UNTOLD_MOST; i++) {
        text_add(&words, "  ");
        columns_clean(q->test[i].id, &words);
        text_addc(&words, '\n');
    }
    if (rest > UNTOLD_MOST)
        text_addf(&words, "  and %zu others\n", rest - UNTOLD_MOST);
    text_add(out, text_str(&words));
}

static void say_in(struct text *out, const char *what, const char *hint)
{
    text_add(out, "flaky-repro: ");
    columns_clean(what, out);
    text_addc(out, '\n');
    if (!*hint)
        return;
    text_add(out, "hint: ");
    columns_clean(hint, out);
    text_addc(out, '\n');
}

int session_doctor(const struct question *q, const struct term *t, struct answer *a, struct err *e)
{
    struct limits w;
    struct reports all = {0};
    const struct style style = {.colour = q->colour, .verbose = t->out.verbose};
    if (read_limits(q, &w, e) < 0)
        return -1;
    int did = diagnose_all(q, &w, t, &all, e);
    a->status = did == 0 && all.n ? (int)reports_status(&all) : 0;
    a->diagnosed = all.n;
    if (all.n)
        reports_human(&all, &style, &a->text);
    else if (did == 0)
        text_add(&a->text, "--doctor: no test failed, so there is nothing to diagnose.\n");
    not_diagnosed(q, &w, &a->text);
    if (did < 0) {
        a->status = (int)status_of_error(e->kind);
        say_in(&a->text, e->kind == ERR_INTERRUPT && all.n
               ? "interrupted; the report holds what is known so far" : e->what, e->hint);
    }
    if (given(&q->path)) {
        own_text struct text data = {0};
        reports_json(&all, &data);
        if (output_write(q->path.value, &data, e) < 0) {
            a->status = (int)status_of_error(e->kind);
            say_in(&a->text, e->what, e->hint);
        }
    }
    reports_done(&all);
    return 0;
}
