#ifndef FR_TRIAGE_GATE_H
#define FR_TRIAGE_GATE_H
/* Which failures of a run count. Only reruns can clear one: what a model takes for a flake, what
 * was not run again, what the surroundings did and what nothing is known of, all of these count,
 * for nothing has shown that the test would pass. So does a file whose collection failed, whatever
 * for: its tests did not run. */
#include "triage/failure.h"

enum gate {
    GATE_NONE,        /* none counts */
    GATE_REGRESSIONS, /* flakes do not count */
    GATE_FLAKY,       /* all count */
};

bool failure_is_flake(const struct failure *f);

/* How many failures the gate does not let by. */
size_t gate_stops(enum gate g, const struct failures *f);

#endif
