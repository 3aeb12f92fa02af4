#ifndef FR_SEARCH_DIAGNOSE_H
#define FR_SEARCH_DIAGNOSE_H
/* The whole search, over any source of trials. */
#include "search/campaign.h"

struct diagnosis {
    int64_t budget_ns;
    uint64_t seed;
    unsigned runs;        /* the least size of the baseline */
    bool fresh_only;      /* there is no warm tier */
    bool brief;           /* what fails every time is believed to after some two dozen runs */
    struct outcome first; /* the user's own run, made before the search */
};

/* Fills verdict, claim, strength, causes, baseline, evidence, verify, counterfactual, skipped axes
 * and requirements of an empty finding. -1: the engine failed or was interrupted; the finding
 * then holds what was known by then. */
int diagnose(struct source *s, const struct diagnosis *d, struct watch *w, struct finding *f,
             struct err *e);

#endif
