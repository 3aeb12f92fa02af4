/* From what the user named to findings: one watched run, then one search per test. */
#include "live/live.h"

#include "base/clock.h"
#include "base/own.h"
#include "live/effects.h"
#include "live/engine.h"
#include "live/letters.h"
#include "live/log.h"
#include "live/named.h"
#include "live/said.h"
#include "live/stack.h"
#include "live/words.h"
#include "search/concurrency.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void reports_done(struct reports *r)
{
    for (size_t i = 0; i < r->n; i++) {
        target_done(&r->at[i].target);
        finding_done(&r->at[i].finding);
    }
    free(r->at);
    *r = (struct reports){0};
}

static struct report *reports_add(struct reports *r)
{
    r->at = mem_grow_or_die(r->at, (r->n + 1) * sizeof *r->at);
    r->at[r->n] = (struct report){0};
    return &r->at[r->n++];
}

/* A report has its own copy of what the target is. */
static void copy_target(struct target *to, const struct target *from, const char *nodeid)
{
    *to = (struct target){0};
    argv_copy(&to->command, &from->command);
    argv_copy(&to->say, &from->say);
    argv_copy(&to->args, &from->args);
    argv_copy(&to->ids, &from->ids);
    argv_copy(&to->plugins, &from->plugins);
    to->spec = str_or_die(from->spec);
    to->nodeid = str_or_die(nodeid ? nodeid : from->spec);
    to->rootdir = from->rootdir ? str_or_die(from->rootdir) : NULL;
    to->cwd = str_or_die(from->cwd);
    to->python = from->python ? str_or_die(from->python) : NULL;
    to->pytest = from->pytest ? str_or_die(from->pytest) : NULL;
}

/* Whether libfd.so is in the program: else nothing would be held and every conclusion false. */
static int check_program(struct engine *g, struct err *e)
{
    if (g->first_page.at->attached)
        return 0;
    err_set(e, ERR_SETUP, "%s cannot be preloaded: nothing of what it reads could be held",
            g->target->program.at[0]);
    return err_hint(e, "static and set-uid programs, and those for another machine, are out of "
                       "reach; link it dynamically");
}

/* Whether it was pytest at all that ran: else what is wrong is the set-up, not the target. */
static int check_start(struct engine *g, struct err *e)
{
    int status = g->first_status, code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (g->target->program.n)
        return check_program(g, e);
    if (g->first_spoke || status == -1 || (code >= 2 && code <= 5))
        return 0;
    own_text struct text said = {0};
    const char *tail = text_str(&g->pool.tail), *python = g->target->command.at[0];
    const char *libfd = strstr(tail, "libfd: ");
    if (code == FD_EXIT && libfd) {
        err_set(e, ERR_SETUP, "%.*s", (int)strcspn(libfd, "\n"), libfd);
        return err_hint(e, "flaky-repro, its libfd.so and its plugin must come from one "
                           "installation");
    }
    said_last_line(tail, &said);
    if (strstr(tail, "No module named pytest")) {
        err_set(e, ERR_SETUP, "%s", text_str(&said));
        return err_hint(e, "install pytest 7.2 or newer for this interpreter, or name another "
                           "with --python PATH");
    }
    err_set(e, ERR_SETUP, "%s did not start pytest%s%s", python, said.len ? ": " : "",
            text_str(&said));
    return err_hint(e, "is it a Python interpreter? name the one of your tests with --python PATH");
}

/* Stopped before the first run was over: that is told too, and a file that was asked for written.
 */
static void report_interrupted(struct engine *g, const struct request *q, struct reports *all)
{
    struct report *r = reports_add(all);
    copy_target(&r->target, g->target, NULL);
    r->finding.verdict = VERDICT_INCOMPLETE;
    r->finding.interrupted = true;
    r->finding.seed = q->seed;
    words_first(&r->target, &r->finding, "The first run was not over yet.");
}

/* Nothing to search: the first run already says how it is. NONE: there is. */
static enum verdict first_verdict(const struct engine *g)
{
    int status = g->first_status;
    if (g->target->ids.n > 0)
        return g->effects ? VERDICT_HELD : VERDICT_NONE;
    if (status == -1) /* ended by its limit before pytest had collected */
        return VERDICT_INCOMPLETE;
    if (g->first_skipped)
        return VERDICT_SKIPPED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 5)
        return VERDICT_NO_TESTS;
    return VERDICT_USAGE;
}

static void report_first(struct engine *g, enum verdict v, struct reports *all)
{
    struct report *r = reports_add(all);
    copy_target(&r->target, g->target, g->target->ids.n == 1 ? g->target->ids.at[0] : NULL);
    r->finding.verdict = v;
    if (v == VERDICT_HELD) {
        r->finding.effects = g->effects;
        memcpy(r->finding.effect, g->effect, sizeof g->effect);
    }
    r->finding.stats.trials = r->finding.stats.fresh = 1;
    r->finding.stats.seconds = (double)g->first_ns / (double)NS_PER_S;
    layers_say(&g->layers, &r->finding.layers);
    own_text struct text said = {0};
    if (v == VERDICT_INCOMPLETE)
        text_addf(&said,
                  "The first run was ended after %.1f s, before pytest had collected the "
                  "test; it may take a quarter of the budget.",
                  r->finding.stats.seconds);
    else if (v == VERDICT_HELD)
        words_effects(&r->finding, &said);
    else
        said_by_pytest(text_str(&g->pool.tail), &said);
    words_first(&r->target, &r->finding, text_str(&said));
}

static void report_nothing(struct engine *g, struct reports *all)
{
    struct report *r = reports_add(all);
    copy_target(&r->target, g->target, NULL);
    r->finding.verdict = VERDICT_INCOMPLETE;
    words_first(&r->target, &r->finding, "A budget of 0 s allows no run.");
}

/* The target is a whole file, which the workers of pytest-xdist can share out. */
static bool is_shared_out(const struct engine *g)
{
    bool has = false;
    for (size_t i = 0; i < g->target->plugins.n; i++)
        has |= text_starts(g->target->plugins.at[i], "pytest-xdist ");
    return has && !strstr(g->target->nodeid, "::");
}

/* used_ns: of a diagnosis that is gone on with, what the search took before; the budget comes on
 * top of it. */
static int search_one(struct engine *g, const struct request *q, struct diagnosis *d,
                      struct finding *f, struct err *e)
{
    const struct concurrency_plan plan = {.xdist = is_shared_out(g)};
    struct logged source;
    int64_t used_ns = log_first(g, &d->first);
    uint32_t axes = q->axes;
    if (g->target->program.n) /* there is no pytest that could run others as well */
        axes &= ~(axis_bit(FD_AXIS_ORDER) | axis_bit(FD_AXIS_WORKERS));
    if (g->target->program.n &&
        !effects_python(page_seen(&g->first_page), g->target->program.at[0]))
        axes &= ~(axis_bit(FD_AXIS_HASHSEED) | axis_bit(FD_AXIS_GC));
    engine_source(g, &d->first, axes, d->budget_ns);
    g->base.unfit = q->axes & ~axes;
    logged_init(&source, &g->base, &g->log, g->target->nodeid);
    d->budget_ns += used_ns;
    int did = q->concurrency ? concurrency(&source.base, d, &plan, q->watch, f, e)
                             : diagnose(&source.base, d, q->watch, f, e);
    if (g->log.broken)
        finding_warn(f, "the log is not whole: %s could not be written", g->log_path);
    if (g->pool.no_warm[0] && !g->target->program.n)
        words_no_warm(f, g->pool.no_warm);
    if (did == 0 && f->verdict == VERDICT_FLAKY)
        did = engine_repro(g, q, f, e);
    named_tests(g->target, f);
    if (text_starts(f->print.type, "<hang>") || text_starts(f->print.type, "<SIG"))
        stack_tidy(text_str(&g->pool.stack), g->target->rootdir, &f->stack);
    return did;
}

static int diagnose_one(struct engine *g, const struct request *q, const char *nodeid,
                        int64_t budget_ns, struct reports *all, struct err *e)
{
    struct report *r = reports_add(all);
    struct finding *f = &r->finding;
    struct diagnosis d = {.budget_ns = budget_ns,
                          .seed = q->seed,
                          .runs = q->runs,
                          .fresh_only = g->target->program.n > 0,
                          .brief = q->brief};
    copy_target(&r->target, g->target, nodeid);
    free(g->target->nodeid);
    g->target->nodeid = str_or_die(nodeid);
    int64_t began = clock_mono_ns();
    int did = engine_first_outcome(g, &d.first, e);
    f->stats.trials = f->stats.fresh = 1;
    if (did == 0 && d.first.kind == OUTCOME_SKIPPED)
        f->verdict = VERDICT_SKIPPED;
    else if (did == 0 && (did = engine_calibrate(g, &d.first, e)) == 0) {
        d.budget_ns -= clock_mono_ns() - began;
        did = search_one(g, q, &d, f, e);
    }
    layers_say(&g->layers, &f->layers);
    if (page_seen(&g->first_page)) {
        letters_warn(page_seen(&g->first_page), g->target->cwd, f);
        words_languages(page_seen(&g->first_page), f);
    }
    pool_cool(&g->pool);
    f->seed = q->seed;
    f->stats.seconds = (double)(clock_mono_ns() - began + g->first_ns) / (double)NS_PER_S;
    f->interrupted = did < 0 && e->kind == ERR_INTERRUPT;
    words_explain(&r->target, f);
    return did;
}

/* The file that the user named, by a node id of it; NULL: it was a test, or several files. The
 * caller frees. */
static char *one_file(const struct target *t)
{
    own_text struct text file = {0};
    if (strstr(t->spec, "::"))
        return NULL;
    for (size_t i = 0; i < t->ids.n; i++) {
        own_text struct text its = {0};
        text_add(&its, t->ids.at[i]);
        target_cut_to_file(&its);
        if (i > 0 && strcmp(text_str(&its), text_str(&file)) != 0)
            return NULL;
        text_clear(&file);
        text_add(&file, text_str(&its));
    }
    return t->ids.n > 1 ? str_or_die(text_str(&file)) : NULL;
}

static int diagnose_all(struct engine *g, const struct request *q, struct reports *all,
                        struct err *e)
{
    int64_t deadline = g->began_ns + q->budget_ns;
    if (q->budget_ns <= 0) {
        report_nothing(g, all);
        return 0;
    }
    if (layers_open(&g->layers, g->target, g->dir.path, q->no_sandbox, e) < 0)
        return -1;
    layers_keep(&g->layers, g->place.lib);
    layers_keep(&g->layers, g->place.plugin);
    if (engine_first(g, q->spec, e) < 0)
        return -1;
    if (check_start(g, e) < 0)
        return -1;
    enum verdict v = first_verdict(g);
    if (v != VERDICT_NONE) {
        report_first(g, v, all);
        return 0;
    }
    if (log_open(g, q, e) < 0)
        return -1;
    own_mem char *file = q->concurrency ? one_file(g->target) : NULL;
    if (file)
        return diagnose_one(g, q, file, deadline - clock_mono_ns(), all, e);
    size_t n = g->target->ids.n;
    for (size_t i = 0; i < n; i++) { /* what one test leaves of its share goes to the others */
        int64_t left = deadline - clock_mono_ns();
        own_mem char *id = str_or_die(g->target->ids.at[i]);
        if (diagnose_one(g, q, id, left > 0 ? left / (int64_t)(n - i) : 0, all, e) < 0)
            return -1;
    }
    return 0;
}

int live_diagnose(const struct request *asked, struct reports *ret_reports, struct err *e)
{
    struct engine g = ENGINE_NONE;
    struct request q = *asked;
    own_target struct target t = {.spec = q.spec ? str_or_die(q.spec) : NULL};
    *ret_reports = (struct reports){0};
    int did = engine_open(&g, &q, &t, e);
    if (did == 0)
        did = diagnose_all(&g, &q, ret_reports, e);
    bool stopped = did < 0 && e->kind == ERR_INTERRUPT;
    if (stopped && ret_reports->n == 0)
        report_interrupted(&g, &q, ret_reports);
    if (stopped && g.log.fd >= 0 && !g.log.broken)
        err_hint(e, "flaky-repro --resume goes on where it ended");
    engine_done(&g);
    if (did < 0 && !stopped)
        reports_done(ret_reports);
    return did;
}
