#ifndef FR_LIVE_LIVE_H
#define FR_LIVE_LIVE_H
/* The engine as cli/ sees it: from what the user named to findings. The one place where axes and
 * exec meet. Single-threaded; starts processes and removes every one of them before it returns. */
#include "model/finding.h"
#include "search/watch.h"

struct request {
    const char *spec;           /* the target as written: file, folder or node id */
    const struct argv *program; /* --command: the target is this and no test of pytest's; or NULL */
    const struct argv *args;    /* pytest arguments after "--"; may be NULL */
    const char *python;         /* --python, or NULL: the interpreter behind `pytest` on PATH */
    uint32_t axes;              /* bit per axis that may be held and searched */
    int64_t budget_ns;
    uint64_t seed; /* master seed of all draws */
    bool seed_given;
    const char *log;           /* --log: a path, "none", or NULL: one in .flaky-repro */
    bool resume;               /* go on with the log; spec may be NULL then: the log says it */
    unsigned runs;             /* the least size of the baseline; 0: as the search likes */
    const struct argv *before; /* tests that ran before it, in their order; may be NULL */
    const char *script;        /* what pytest was started by, or NULL: see locate_started() */
    const char *rootdir;       /* pytest's, for a replay; NULL: the next folder with the file */
    const char *reports;       /* replay: pytest's reports go to this file, its output to nobody */
    bool brief;                /* a test that fails every time is worth a few seconds only */
    bool allow_side_effects;
    bool no_sandbox;
    bool concurrency;    /* only the experiment over worker counts */
    struct watch *watch; /* may be NULL */
};

/* One diagnosis for each test the target selects. On 0 `ret_reports` holds at least one report;
 * verdicts such as usage-error, no-tests and incomplete are reports, not errors. The caller
 * releases with reports_done(). -1: the work could not be done at all (no pytest, no libfd.so…);
 * ERR_INTERRUPT: Ctrl-C, and the reports hold what is known so far. */
struct report {
    struct target target;
    struct finding finding;
};
struct reports {
    struct report *at;
    size_t n;
};
void reports_done(struct reports *r);
int live_diagnose(const struct request *q, struct reports *ret_reports, struct err *e);

/* Runs a recorded repro (an "fd1:" blob), pytest's own output going to the user's terminal.
 * ret->reproduced: it failed with the recorded fingerprint. Object addresses are searched: other
 * layouts are tried until one fails so, the search itself unseen. */
struct replay_result {
    bool reproduced;
    unsigned layouts; /* how many were tried; 0: no address is held */
    struct outcome outcome;
    struct fingerprint wanted;
    char nodeid[1024];
    char missing[1024]; /* a test that ran before it and is not there any more, or "" */
};
int live_replay(const char *blob, const struct request *q, struct replay_result *ret,
                struct err *e);

/* Runs a suite once as the user does, in his terminal, our plugin within its reach. Whoever wants
 * to stop it stops that, and we wait: Ctrl-C reaches it once, and so do SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT that are sent to us alone. They stay blocked here afterwards. *ret_status: as a shell
 * tells it, 128 + N for one that signal N ended. `env`: NAME=value, on top of ours. */
int live_suite(const struct argv *words, const struct argv *env, int *ret_status, struct err *e);

/* The same out of his sight: what it prints is dropped, and it is ended with all it started when
 * its time is up, or when somebody wants to stop us. */
struct suite_end {
    int status;         /* as above */
    bool late, stopped; /* why we ended it */
};
int live_suite_unseen(const struct argv *words, const struct argv *env, int64_t limit_ns,
                      struct suite_end *ret, struct err *e);

/* What is found on this machine and what works, for `flaky-repro env`. One line each. */
struct facts {
    struct fact {
        char name[32];   /* "python", "pytest", "libfd.so", "plugin" … */
        char value[256]; /* what was found */
        bool works;
        char hint[256]; /* what to do when it does not, or "" */
    } at[16];
    size_t n;
};
void live_facts(const char *python, struct facts *ret_facts);

/* Axes for `flaky-repro axes`: what each catches, how it is held. */
const char *live_axis_catches(enum fd_axis a);
const char *live_axis_held_by(enum fd_axis a);
const char *live_axis_by_hand(enum fd_axis a); /* "FD_TIME, FD_TIME_FLOW" */

/* Async-signal-safe: ask the running diagnosis to stop (first Ctrl-C). */
void live_interrupt(void);

#endif
