#ifndef FR_TRIAGE_FAILED_H
#define FR_TRIAGE_FAILED_H
/* The report of a run's failures, schema 1: JSON, its fields as docs/triage.md tells them. Only
 * added to, never changed. */
#include <stdint.h>

#include "base/err.h"
#include "triage/failure.h"

#define FAILED_SCHEMA 1

struct failed_counts {
    size_t others; /* failures that pytest counts and has not reported: a plugin's threshold */
    size_t unrun;  /* tests that were collected and not run, for the run was stopped (-x) */
};

struct failed_report {
    const struct failures *failures; /* without secrets, cut */
    int64_t created_ns;              /* since the epoch */
    const char *model;               /* NULL: none */
    double seconds;                  /* that triage took; negative: there was none */
    struct failed_counts counts;
};

void failed_json(const struct failed_report *r, struct text *out);

/* The same report with other verdicts and evidence: `failures` are those that were read from it. */
void failed_revise(struct text *json, const struct failures *failures);

/* Replaces the file as a whole, with parents made. Nobody but its owner may read it, not for a
 * moment; a device or a pipe is written to as it is. */
int failed_write(const char *path, const struct text *json, struct err *e);

/* Reads such a report back, also of a later version of the schema. -1 with ERR_STALE if the text is
 * none. `what` names it for the error. */
int failed_read(const char *text, const char *what, struct failures *ret, struct err *e);

/* The same, with what the report counts beside its failures. */
int failed_read_counted(const char *text, const char *what, struct failures *ret,
                        struct failed_counts *ret_counts, struct err *e);

#endif
