#ifndef FR_CLI_TRIAGE_OUTPUTS_H
#define FR_CLI_TRIAGE_OUTPUTS_H
/* What a run's failures are written to besides the terminal: files and annotations for services
 * that run tests. */
#include "triage/triage.h"

struct outputs {
    const char *junit;      /* JUnit's XML goes here, NULL: nowhere; as all below */
    const char *junit_from; /* the one that the run wrote */
    const char *summary;    /* markdown is appended */
    const char *quality;    /* GitLab's code quality report */
    bool github;            /* annotations, to stdout */
};

/* Each file found fit before any work is done. */
int outputs_check(const struct outputs *o, struct err *e);

/* Writes all it can and says of each that it could not; how many those are. `each`: the failures as
 * they were reported; `merged`: each distinct one once. */
unsigned outputs_write(const struct outputs *o, const struct failures *each,
                       const struct triage *merged);

/* Of a run of which no failure is known: JUnit's XML as the run wrote it, if it did, and a line of
 * the summary that says why. */
void outputs_unjudged(const struct outputs *o, const char *why);

#endif
