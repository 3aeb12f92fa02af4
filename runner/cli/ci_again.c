#include "cli/ci_again.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "cli/say.h"
#include "live/live.h"
#include "triage/weigh.h"

#include <stdlib.h>
#include <string.h>

#define FLOOR_NS      (10 * NS_PER_S)
#define COLLECTING_NS (60 * NS_PER_S) /* the most of it; it is not told apart in the run */
#define NOTED_MOST    (16 << 20)      /* bytes */

/* Failures of one test in several phases share their reruns, and identical ones may. */
static bool is_shared(const struct failures *f, size_t i)
{
    const struct rerun *r = &f->at[i].rerun;
    for (size_t k = 0; k < i; k++)
        if (f->at[k].rerun.trials == r->trials && f->at[k].rerun.seconds == r->seconds)
            return true;
    return false;
}

int64_t ci_again_limit(const struct ci_again *a, const struct failures *f)
{
    double reruns = 0, tests = 0;
    for (size_t i = 0; i < f->n; i++) {
        reruns += is_shared(f, i) ? 0 : f->at[i].rerun.seconds;
        tests += weigh_passes_now(&f->at[i]) ? f->at[i].duration : 0;
    }
    int64_t reruns_ns = (int64_t)(reruns * (double)NS_PER_S);
    int64_t left_ns = a->budget_ns - reruns_ns, run_ns = a->took_ns - reruns_ns;
    int64_t least_ns = FLOOR_NS + (int64_t)(2 * tests * (double)NS_PER_S) +
                       (run_ns < 0               ? 0
                        : run_ns > COLLECTING_NS ? COLLECTING_NS
                                                 : run_ns);
    return left_ns > least_ns ? left_ns : least_ns;
}

/* Their ids, each once. */
static void find(const struct failures *f, struct argv *out)
{
    for (size_t i = 0; i < f->n; i++)
        if (weigh_passes_now(&f->at[i]) && !argv_has(out, f->at[i].nodeid))
            argv_add(out, f->at[i].nodeid);
}

static int write_ids(const char *path, const struct argv *ids, struct err *e)
{
    own_text struct text t = {0};
    for (size_t i = 0; i < ids->n; i++) {
        text_add(&t, ids->at[i]);
        text_addc(&t, 0);
    }
    return fdio_replace(path, FDIO_PRIVATE | FDIO_QUICK, &t, e);
}

/* "3 failed": of a test that did so once nothing else counts. */
static void read_noted(const char *path, size_t n, enum again *ret)
{
    own_text struct text t = {0};
    struct err ignored;
    if (!fdio_is_file(path) || fdio_read_file(path, NOTED_MOST, &t, &ignored) < 0)
        return;
    for (const char *s = text_str(&t); *s; s += strcspn(s, "\n"), s += *s == '\n') {
        char *end;
        unsigned long i = strtoul(s, &end, 10);
        if (end == s || i >= n)
            continue;
        if (text_starts(end, " failed\n"))
            ret[i] = AGAIN_FAILED;
        else if (text_starts(end, " passed\n") && ret[i] == AGAIN_UNKNOWN)
            ret[i] = AGAIN_PASSED;
    }
}

static void say_unknown(const struct suite_end *end, int64_t limit_ns, struct text *out)
{
    if (end->stopped)
        text_add(out, "it was stopped");
    else if (end->late)
        text_addf(out, "it was not over after %.0f s", (double)limit_ns / (double)NS_PER_S);
    else
        text_addf(out, "the test did not run to its end, and pytest ended with status %d",
                  end->status);
}

static void run(const struct ci_again *a, const struct argv *ids, int64_t limit_ns,
                enum again *ret, struct text *ret_why)
{
    own_argv struct argv env = {0};
    own_text struct text path = {0}, noted = {0};
    struct suite_end end;
    struct err e = {0};
    text_addf(&path, "%s/again", a->folder);
    text_addf(&noted, "%s.ran", text_str(&path));
    argv_addf(&env, "FR_CI_ONLY=%s", text_str(&path));
    argv_addf(&env, "COVERAGE_FILE=%s/coverage", a->folder); /* the run's own stays */
    if (write_ids(text_str(&path), ids, &e) < 0 ||
        live_suite_unseen(a->words, &env, limit_ns, &end, &e) < 0) {
        text_add(ret_why, e.what);
        return;
    }
    read_noted(text_str(&noted), ids->n, ret);
    say_unknown(&end, limit_ns, ret_why);
}

static void decide(struct failures *f, const struct argv *ids, const enum again *what,
                   const char *why)
{
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < ids->n && weigh_passes_now(&f->at[i]); k++)
            if (strcmp(ids->at[k], f->at[i].nodeid) == 0) {
                weigh_again(&f->at[i], what[k], why);
                break;
            }
}

bool ci_again(const struct ci_again *a, struct failures *f)
{
    own_argv struct argv ids = {0};
    own_text struct text why = {0};
    find(f, &ids);
    if (ids.n == 0)
        return false;
    int64_t limit_ns = ci_again_limit(a, f);
    own_mem enum again *what = mem_or_die(ids.n * sizeof *what);
    if (!a->quiet)
        say_note("running pytest once more as it was, for %zu test%s that pass%s now (at most "
                 "%.0f s)",
                 ids.n, ids.n == 1 ? "" : "s", ids.n == 1 ? "es" : "",
                 (double)limit_ns / (double)NS_PER_S);
    run(a, &ids, limit_ns, what, &why);
    decide(f, &ids, what, text_str(&why));
    return true;
}
