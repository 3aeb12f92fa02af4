#ifndef FR_REPORT_FRACTIONS_JSON_H
#define FR_REPORT_FRACTIONS_JSON_H
/* The JSON report of a sampling session: docs/fractions.schema.json. Additive changes only: scripts
 * and --prob-baseline read it. Units: pass_rate is a percentage, everything else about rates lies
 * between 0 and 1; times are in seconds. */
#include "base/err.h"
#include "report/fractions.h"
#include "report/json_out.h"

struct fractions_facts {
    const char *created; /* "2026-07-07T21:43:18", local time */
    int status;          /* of the session */
    bool stopping;       /* --prob-stop could be honoured */
};

/* Where the records of runs come from: calls `put` with each as JSON, on one line; what it returns
 * below 0 is passed on. */
struct records {
    int (*each)(void *ctx, int (*put)(void *to, const char *record, struct err *e), void *to,
                struct err *e);
    void *ctx;
};

/* Writes the file beside its place and renames it; makes missing parent folders. Records go through
 * one at a time: memory does not grow with them. -1: not written, and nothing is left over. */
int fractions_json_write(const struct fractions *f, const struct fractions_facts *facts,
                         const struct records *records, const char *path, struct err *e);
/* The same into a descriptor that is open already. */
int fractions_json_to(const struct fractions *f, const struct fractions_facts *facts,
                      const struct records *records, int fd, struct err *e);

#endif
