#ifndef FR_CLI_SESSION_TRIAGE_H
#define FR_CLI_SESSION_TRIAGE_H
/* What the plugin asks for pytest --ai-*. Besides what every question has (session.h):
 *
 *   triage-check  may this run begin? {"options": [["budget", "5", "--ai-budget"], …], those of ini
 *                 files first, "entry_points": ["myco", …]}. Answer: {"v": 1, "warnings": ["…"],
 *                 "active": whether failures are wanted, "triage": whether they will be judged,
 *                 "calls": how many at most, "timeout": seconds of one, "evidence": seconds that
 *                 reruns may take, 0 without, "python": whether the provider is one in Python,
 *                 which the plugin tries out}. A bad option or a missing key is refused
 *   triage        the same with "failures": [{"nodeid", "phase", "outcome", "exc_type",
 *                 "exc_message", "traceback", "duration", "stdout", "stderr"}, …], whole texts.
 *                 With "dry": true nothing is written. With evidence, "ran" has the ids of the
 *                 tests that each process ran, in their order, and "before" of a failure says how
 *                 many of which list ran before it: [list, how many]. "streams": "device:inode" of
 *                 what its output goes to. Answer: {"v": 1, "text": for
 *                 the terminal, "error": why the report could not be written, or null}, and with
 *                 "want_report": true "report": the report itself */
#include "cli/session.h"
#include "triage/triage.h"

/* Both write the answer's line to *out; -1: refused. */
int session_triage_check(const struct question *q, struct text *out, struct err *e);
int session_triage(const struct question *q, struct text *out, struct err *e);

/* The border: session_triage_json.c. Texts of options are borrowed from the question. */
struct asked_triage {
    struct triage_option *option;
    size_t options;
    struct argv entry_points;
    bool dry, want_report;
    size_t counted; /* failures, by pytest */
    int64_t began_ns; /* the run, since the epoch */
    struct argv streams;
    size_t unrun;   /* tests that a run which was stopped did not come to */
    struct failures failures;
    struct argv *ran; /* of each process */
    size_t lists;
    struct ran_before { /* failure by failure */
        size_t list, n;
    } *before;
};
void asked_triage_read(const struct question *q, struct asked_triage *ret);
void asked_triage_done(struct asked_triage *a);
#define own_asked_triage __attribute__((cleanup(asked_triage_done)))

void answer_triage_check(const struct triage *t, const struct argv *warnings, struct text *out);
/* `report`: JSON, or NULL. */
void answer_triage(const char *text, const char *error, const char *report, struct text *out);

/* The report of what triage_run() left, to a file or, path NULL, to *out. */
int triage_report(const struct triage *t, const char *path, struct text *out, struct err *e);

#endif
