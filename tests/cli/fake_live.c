/* An engine without processes: the spec of a request names a hand-made finding, so that the
 * command line is tested with every verdict in no time. */
#include "live/live.h"

#include "report_cases.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

void live_interrupt(void)
{
    interrupted = 1;
}

void reports_done(struct reports *r)
{
    for (size_t i = 0; i < r->n; i++) {
        target_done(&r->at[i].target);
        finding_done(&r->at[i].finding);
    }
    free(r->at);
    *r = (struct reports){0};
}

static void tell_a_story(struct watch *w)
{
    watch_tell(w, &(struct progress){.phase = "baseline", .what = "", .runs = 10, .failed = 1,
                                     .planned = 200, .low = 0.0025, .high = 0.445});
    watch_tell(w, &(struct progress){.phase = "baseline", .what = "", .runs = 37, .failed = 4,
                                     .planned = 200, .low = 0.03, .high = 0.254});
    watch_tell(w, &(struct progress){.phase = "provoke", .what = "time=2028-02-29T00:00:00Z",
                                     .runs = 1, .failed = 1});
}

static void add(struct reports *r, const struct report_case *c, const struct request *q)
{
    r->at = mem_grow_or_die(r->at, (r->n + 1) * sizeof *r->at);
    struct report *one = &r->at[r->n++];
    *one = (struct report){0};
    c->fill(&one->target, &one->finding);
    one->finding.seed = q->seed;
}

int live_diagnose(const struct request *q, struct reports *ret, struct err *e)
{
    if (strcmp(q->spec, "no-pytest") == 0) {
        err_set(e, ERR_SETUP, "no pytest was found on PATH");
        return err_hint(e, "install it, or name an interpreter with --python");
    }
    if (strcmp(q->spec, "bug") == 0)
        return err_set(e, ERR_BUG, "an impossible state");
    tell_a_story(q->watch);
    if (strcmp(q->spec, "wait") == 0) {
        while (!interrupted)
            usleep(10000); /* not pause(): the signal may come just before */
        return err_set(e, ERR_INTERRUPT, "interrupted");
    }
    for (size_t i = 0; i < report_cases_n; i++)
        if (strcmp(q->spec, "all") == 0 || strcmp(q->spec, report_cases[i].name) == 0)
            add(ret, &report_cases[i], q);
    if (strcmp(q->spec, "cut") == 0) {
        add(ret, &report_cases[0], q);
        return err_set(e, ERR_INTERRUPT, "interrupted");
    }
    return ret->n ? 0 : err_set(e, ERR_USAGE, "the fake engine has no case \"%s\"", q->spec);
}

int live_suite(const struct argv *words, const struct argv *env, int *ret_status, struct err *e)
{
    (void)words;
    (void)env;
    (void)ret_status;
    return err_set(e, ERR_SETUP, "the fake engine runs no suite");
}

int live_suite_unseen(const struct argv *words, const struct argv *env, int64_t limit_ns,
                      struct suite_end *ret, struct err *e)
{
    (void)words;
    (void)env;
    (void)limit_ns;
    (void)ret;
    return err_set(e, ERR_SETUP, "this stub runs no suite");
}

int live_replay(const char *blob, const struct request *q, struct replay_result *ret, struct err *e)
{
    (void)q;
    if (strncmp(blob, "fd1:", 4) != 0)
        return err_set(e, ERR_STALE, "\"%s\" is no blob of ours", blob);
    bool same = strcmp(blob, "fd1:same") == 0, other = strcmp(blob, "fd1:other") == 0;
    *ret = (struct replay_result){
        .reproduced = same,
        .outcome = {.kind = same || other ? OUTCOME_FAIL : OUTCOME_PASS},
        .nodeid = "test_a.py::test_a",
    };
    if (same || other)
        ret->outcome.print = (struct fingerprint){"call", "KeyError", "a.py:3"};
    if (other)
        text_copy(ret->outcome.print.type, sizeof ret->outcome.print.type, "ValueError");
    ret->wanted = (struct fingerprint){"call", "KeyError", "a.py:3"};
    return 0;
}

void live_facts(const char *python, struct facts *ret)
{
    *ret = (struct facts){.n = 2};
    ret->at[0] = (struct fact){.name = "python", .works = true};
    text_copy(ret->at[0].value, sizeof ret->at[0].value, python ? python : "/usr/bin/python3");
    ret->at[1] = (struct fact){
        .name = "libfd.so",
        .works = python == NULL,
        .value = "/usr/lib/a/rather/long/path/to/the/library/that/is/preloaded/libfd.so",
        .hint = "an example of a hint that is long enough to be wrapped in the second column",
    };
}

const char *live_axis_catches(enum fd_axis a)
{
    return a == FD_AXIS_TIME ? "dates, daylight saving, leap days, and everything else that a "
                               "calendar brings"
                             : "something";
}
const char *live_axis_held_by(enum fd_axis a)
{
    (void)a;
    return "libfd.so";
}
const char *live_axis_by_hand(enum fd_axis a)
{
    return a == FD_AXIS_HASHSEED ? "PYTHONHASHSEED" : NULL;
}
