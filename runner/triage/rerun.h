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
#define RERUN_NEEDS_MAX  4

struct finding;

struct rerun_cause { /* with `value` it fails, with `passes` it does not */
    char *axis, *value, *passes;
    struct argv tests; /* of the axis order: those that run before it */
};

struct rerun_kind { /* one kind of failure among the reruns */
    char *type, *site, *message;
    unsigned count;
};

struct rerun_need { /* a value of the surroundings with which it fails every time, by nature */
    char *axis, *value, *type, *site;
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
    unsigned after_runs, after_failed;     /* with the tests that ran before it, before it */
    char *command;                         /* pasteable, fails every time */
    char *blob;                            /* "fd1:…" */
    char *look_at;                         /* "file:line" that reads what decides */
    size_t kinds;
    struct rerun_kind kind[RERUN_KINDS_MAX];

    /* What only the words of a verdict need: it is in no report. */
    char *headline; /* "depends on hash order (PYTHONHASHSEED)" */
    char *advice;   /* what the diagnosis' own report says to do next */
    char *said;     /* why nothing was run, in the words of pytest or the diagnosis */
    char *provoked; /* type of the failure that the cause makes */
    char *reached;  /* another machine that the first run reached for */
    bool network_untouched, network_cut;
    size_t needs;
    struct rerun_need need[RERUN_NEEDS_MAX];
};

void rerun_done(struct rerun *r);
void rerun_copy(struct rerun *to, const struct rerun *from); /* `to` is zeroed */

/* From one diagnosis; `advice`: see above. */
void rerun_fill(const struct finding *f, const char *advice, struct rerun *ret);

/* A collection that failed in the same way as in the run counts as a run that failed. */
void rerun_count_collection(struct rerun *r, const char *exc_type);

/* It was not run: the reason alone. */
void rerun_none(const char *reason, struct rerun *ret);

#endif
