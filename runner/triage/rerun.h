#ifndef FR_TRIAGE_RERUN_H
#define FR_TRIAGE_RERUN_H
/* What running a failed test again has shown: the evidence of its verdict. Filled from a diagnosis
 * or read back from a report; the words are those of the diagnosis' own report (docs/report.md).
 * Texts are owned; those that there are none of are NULL. */
#include <stdbool.h>
#include <stddef.h>

#include "base/argv.h"

#define RERUN_CAUSES_MAX 4
#define RERUN_KINDS_MAX  8

struct rerun_cause { /* with `value` it fails, with `passes` it does not */
    char *axis, *value, *passes;
    struct argv tests; /* of the axis order: those that run before it */
};

struct rerun_kind { /* one kind of failure among the reruns */
    char *type, *site, *message;
    unsigned count;
};

struct rerun {
    char *status;          /* verdict of the diagnosis: "flaky-order", "deterministic-failure" …;
                              NULL: it was not run again */
    char *reason;          /* why not, or why there are few runs */
    unsigned runs, failed; /* with nothing chosen; the run that was reported is not among them */
    unsigned trials;       /* all runs that were made */
    double seconds;
    size_t causes;
    struct rerun_cause cause[RERUN_CAUSES_MAX];
    unsigned verify_runs, verify_failed;   /* with the causes held */
    unsigned passing_runs, passing_failed; /* with the values that pass */
    char *command;                         /* pasteable, fails every time */
    char *blob;                            /* "fd1:…" */
    char *look_at;                         /* "file:line" that reads what decides */
    size_t kinds;
    struct rerun_kind kind[RERUN_KINDS_MAX];
};

void rerun_done(struct rerun *r);

#endif
