#ifndef FR_TRIAGE_CONFIG_H
#define FR_TRIAGE_CONFIG_H
/* The --ai-* options and their twins in ini files. Later ones win, so that the command line comes
 * last. Texts are borrowed from the options. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct triage_option {
    const char *name, *value; /* "budget", "5" */
    const char *from;         /* "--ai-budget": as the user wrote its name, for errors */
};

struct triage_config {
    bool triage;
    bool redact;
    bool evidence;           /* failed tests are run again */
    const char *provider;    /* NULL: none */
    const char *report;      /* NULL: none; TRIAGE_REPORT_DEFAULT where there are
                                verdicts */
    const char *report_from; /* how its name was written; NULL for the default */
    int64_t budget;          /* calls of the provider in a run */
    int64_t timeout_ns;      /* of one call */
    int64_t evidence_ns;     /* that all reruns may take together */
};

#define TRIAGE_REPORT_DEFAULT   ".triage.json"
#define TRIAGE_BUDGET_DEFAULT   10
#define TRIAGE_TIMEOUT_DEFAULT  30 /* seconds */
#define EVIDENCE_BUDGET_DEFAULT 60 /* seconds */

/* -1 with ERR_USAGE for a value that cannot be; names that are none of ours are passed over. */
int triage_config_read(const struct triage_option *o, size_t n, struct triage_config *ret,
                       struct err *e);

#endif
