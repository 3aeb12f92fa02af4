#ifndef FR_CLI_CI_AGAIN_H
#define FR_CLI_CI_AGAIN_H
/* flaky-ci: what is taken for a flake only because it passes now is run once more as the user runs
 * it. Reruns are made without some of the run's options and with parts of ours: what always fails
 * under those may pass in all of them. */
#include <stdbool.h>
#include <stdint.h>

#include "base/argv.h"
#include "triage/failure.h"

struct ci_again {
    const struct argv *words; /* the user's command; our plugin is among its options */
    const char *folder;       /* a private one */
    int64_t budget_ns;        /* of all reruns */
    int64_t took_ns;          /* the run, its reruns included */
    bool quiet;
};

/* How long it may take: what is left of the budget, but always 10 s, and on top of them twice what
 * those tests took in the run and as long as the run took, of that a minute at most. */
int64_t ci_again_limit(const struct ci_again *a, const struct failures *f);

/* Decides anew for those failures. False: there were none. */
bool ci_again(const struct ci_again *a, struct failures *f);

#endif
