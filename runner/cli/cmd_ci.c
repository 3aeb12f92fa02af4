/* A suite once as it is, each distinct failure run again, and an exit status by what that shows. */
#include "cli/ci_again.h"
#include "cli/ci_words.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/triage_outputs.h"
#include "cli/triage_words.h"
#include "live/live.h"
#include "triage/failed.h"
#include "triage/gate.h"

#include "base/fdio.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORT_MOST   (256 << 20) /* bytes */
#define TESTS_FAILED  1           /* pytest's statuses */
#define ALL_PASSED    0

struct ci {
    const struct options *o;
    struct outputs outputs;
    struct ci_words words;
    char folder[PATH_MAX]; /* a private one, "" before it is made */
    struct text report;    /* JSON, as the run wrote it */
    struct failures each;
    struct triage merged;
    struct failed_counts counts;
    int status;      /* pytest's */
    int64_t took_ns; /* the run, with its reruns */
};

static void ci_done(struct ci *c)
{
    ci_words_done(&c->words);
    text_done(&c->report);
    failures_done(&c->each);
    triage_done(&c->merged);
    if (*c->folder)
        fdio_remove_tree(c->folder);
}
#define own_ci __attribute__((cleanup(ci_done)))

static bool is_on_github(void)
{
    const char *says = getenv("GITHUB_ACTIONS");
    return says && strcmp(says, "true") == 0;
}

static int choose_outputs(struct ci *c, struct err *e)
{
    const struct options *o = c->o;
    const char *page = getenv("GITHUB_STEP_SUMMARY");
    c->outputs = (struct outputs){.junit = o->junit, .summary = o->summary, .quality = o->quality};
    if (outputs_check(&c->outputs, e) < 0)
        return -1;
    if (o->json && strcmp(o->json, "-") == 0) {
        err_set(e, ERR_USAGE, "ci: --json needs a file, for stdout is pytest's");
        return err_hint(e, "--json failures.json");
    }
    if (o->json && output_check(o->json, e) < 0)
        return -1;
    if (!o->summary && page && *page) /* one that cannot be written to keeps no test from running */
        c->outputs.summary = page;
    c->outputs.github = o->annotations == ANNOTATIONS_GITHUB ||
                        (o->annotations == ANNOTATIONS_AUTO && is_on_github());
    return 0;
}

static int make_folder(struct ci *c, struct err *e)
{
    const char *tmp = getenv("TMPDIR");
    own_text struct text path = {0};
    text_addf(&path, "%s/flaky-ci-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (path.len >= sizeof c->folder || !mkdtemp(path.at)) {
        err_sys(e, "making a folder in %s", tmp && *tmp ? tmp : "/tmp");
        return err_hint(e, "name one that can be written to in TMPDIR");
    }
    text_copy(c->folder, sizeof c->folder, text_str(&path));
    return 0;
}

/* Our own options need no check, and a run that passed no report, unless it is the user's. */
static bool is_ours(const struct ci *c)
{
    return fdio_is_below(c->words.report, c->folder);
}

static double budget_of(const struct ci *c) /* seconds */
{
    return c->o->budget_given ? (double)c->o->budget_ns / (double)NS_PER_S
                              : EVIDENCE_BUDGET_DEFAULT;
}

static int run(struct ci *c, struct err *e)
{
    own_argv struct argv env = {0};
    argv_addf(&env, "FR_CI_MARK=%s/begun", c->folder);
    int64_t began_ns = clock_mono_ns();
    if (is_ours(c))
        argv_addf(&env, "FR_CI=%.3f", budget_of(c));
    int did = live_suite(&c->words.all, &env, &c->status, e);
    c->took_ns = clock_mono_ns() - began_ns;
    return did;
}

static void add_plugin(struct argv *out)
{
    argv_add(out, "-p");
    argv_add(out, "flaky_repro.plugin"); /* by the name of its entry point: never twice */
}

static void add_options(struct ci *c)
{
    own_argv struct argv more = {0};
    add_plugin(&more);
    argv_addf(&more, "--ai-report=%s/report.json", c->folder);
    argv_add(&more, "--ai-evidence");
    if (c->o->budget_given)
        argv_addf(&more, "--ai-evidence-budget=%g", (double)c->o->budget_ns / (double)NS_PER_S);
    if (c->outputs.junit)
        argv_addf(&more, "--junitxml=%s/junit.xml", c->folder);
    ci_words_insert(&c->words, &more);
    c->outputs.junit_from = c->words.junit;
}

/* Whether there is anything to do for a run that passed. */
static bool is_wanted(const struct ci *c)
{
    const struct outputs *o = &c->outputs;
    return c->o->json || o->junit || o->summary || o->quality;
}

static int prepare(struct ci *c, struct err *e)
{
    if (c->o->target) {
        err_set(e, ERR_USAGE, "what runs goes after \"--\": %s", c->o->target);
        return err_hint(e, "flaky-ci -- pytest -q tests");
    }
    if (choose_outputs(c, e) < 0 ||
        ci_words_read(&c->o->pytest_args, c->o->python, &c->words, e) < 0 || make_folder(c, e) < 0)
        return -1;
    add_options(c);
    /* What is read afterwards, and what is there in the end, is of this run. */
    const char *const files[] = {c->words.report, c->o->json, c->outputs.junit, c->outputs.quality,
                                 c->outputs.junit ? c->words.junit : NULL};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (output_forget(files[i], e) < 0)
            return -1;
    return 0;
}

/* What passes now has to do so under the conditions of the run, too. */
static int confirm(struct ci *c, struct err *e)
{
    own_argv struct argv more = {0};
    own_ci_words struct ci_words words = {0};
    if (ci_words_read(&c->o->pytest_args, c->o->python, &words, e) < 0)
        return -1;
    add_plugin(&more);
    ci_words_insert(&words, &more);
    struct ci_again again = {.words = &words.all,
                             .folder = c->folder,
                             .budget_ns = (int64_t)(budget_of(c) * (double)NS_PER_S),
                             .took_ns = c->took_ns,
                             .quiet = c->o->quiet};
    if (ci_again(&again, &c->each))
        failed_revise(&c->report, &c->each);
    return 0;
}

static int read_report(struct ci *c, struct err *e)
{
    if (c->status == ALL_PASSED && is_ours(c) && !fdio_is_file(c->words.report)) {
        failed_json(&(struct failed_report){.failures = &c->each,
                                            .created_ns = clock_wall_ns(),
                                            .seconds = -1},
                    &c->report);
        return 0;
    }
    if (fdio_read_file(c->words.report, REPORT_MOST, &c->report, e) < 0)
        return -1;
    if (failed_read_counted(text_str(&c->report), c->words.report, &c->each, &c->counts, e) < 0 ||
        (c->status == TESTS_FAILED && confirm(c, e) < 0) ||
        failed_read(text_str(&c->report), c->words.report, &c->merged.failures, e) < 0)
        return -1;
    failures_merge(&c->merged.failures);
    c->merged.counts = c->counts;
    return 0;
}

/* By a test that ends the process, say, or by a plugin that sets the status at the very end. */
static bool is_unexplained(const struct ci *c)
{
    own_text struct text begun = {0};
    text_addf(&begun, "%s/begun", c->folder);
    return fdio_is_file(text_str(&begun));
}

static unsigned write_json(const struct ci *c)
{
    struct err e = {0};
    if (!c->o->json || failed_write(c->o->json, &c->report, &e) == 0)
        return 0;
    (void)say_error(&e);
    return 1;
}

/* What pytest said itself is not said again. */
static void tell(const struct ci *c)
{
    own_text struct text out = {0};
    struct err ignored = {0};
    if (c->each.n == 0 || c->o->quiet)
        return;
    text_add(&out, "\n");
    triage_human(&c->merged, &out);
    (void)say_result(&out, &ignored);
}

static enum status judge(const struct ci *c, unsigned unwritten)
{
    enum gate gate = c->o->fail_on_flaky ? GATE_FLAKY : GATE_REGRESSIONS;
    if (c->status != ALL_PASSED && c->status != TESTS_FAILED)
        return (enum status)c->status;
    if (c->status == TESTS_FAILED && (c->counts.others || is_unexplained(c) ||
                                      (c->each.n == 0 && c->counts.unrun == 0))) {
        say_note("pytest counts failures that are none of a test; its status stays");
        return STATUS_FLAKY;
    }
    if (c->status == TESTS_FAILED && gate_stops(gate, &c->each))
        return STATUS_FLAKY;
    if (c->status == TESTS_FAILED && c->counts.unrun) {
        say_note("%sthe run was stopped: %zu test%s not run",
                 c->each.n ? "nothing failed but flakes, but " : "", c->counts.unrun,
                 c->counts.unrun == 1 ? " was" : "s were");
        return STATUS_FLAKY;
    }
    if (c->each.n > 0 && !c->o->quiet && !unwritten)
        say_note("nothing failed but flakes: exit status 0");
    return unwritten ? STATUS_NO_WORK : STATUS_NOTHING_SHOWN;
}

static void say_unjudged(const struct ci *c, const struct text *why, const char *cause)
{
    say_note("%s: nothing was judged%s", text_str(why), cause);
    outputs_unjudged(&c->outputs, text_str(why));
}

/* pytest was asked for its help, was told something wrong, or is gone. */
static enum status without_report(const struct ci *c, const struct err *cause)
{
    own_text struct text why = {0}, in_brackets = {0};
    if (c->status == ALL_PASSED) {
        say_note("pytest ran no tests: no file was written");
        return STATUS_NOTHING_SHOWN;
    }
    if (c->status > 128) {
        text_addf(&why, "pytest was ended by signal %d and left no report", c->status - 128);
    } else {
        text_addf(&why, "pytest ended with status %d and left no report that can be read",
                  c->status);
        text_addf(&in_brackets, " (%s)", cause->what);
    }
    say_unjudged(c, &why, text_str(&in_brackets));
    return (enum status)c->status;
}

static enum status cut_short(const struct ci *c)
{
    own_text struct text why = {0};
    text_add(&why, "pytest was gone before its run was over, with status 0");
    say_unjudged(c, &why, "");
    return STATUS_FLAKY;
}

enum status cmd_ci(const struct options *o, const struct term *t)
{
    struct err e = {0};
    own_ci struct ci c = {.o = o};
    (void)t;
    if (prepare(&c, &e) < 0 || run(&c, &e) < 0)
        return say_error(&e);
    if (c.status == ALL_PASSED && is_unexplained(&c))
        return cut_short(&c);
    if (c.status == ALL_PASSED && !is_wanted(&c))
        return STATUS_NOTHING_SHOWN;
    if (read_report(&c, &e) < 0)
        return without_report(&c, &e);
    tell(&c);
    unsigned unwritten = write_json(&c) + outputs_write(&c.outputs, &c.each, &c.merged);
    return judge(&c, unwritten);
}
