#ifndef FR_SEARCH_CONCURRENCY_H
#define FR_SEARCH_CONCURRENCY_H
/* The experiment over worker counts: does the test fail more often when copies of it run at once,
 * or when they are started one after the other in quick succession?
 *
 * Runs come in blocks of the same size, whatever the condition, and the blocks of all conditions in
 * one random order. Under "the condition does nothing" any block might have belonged to any
 * condition, so the tests that decide are permutations of blocks: they hold for coins whose runs
 * are not independent too. */
#include "search/diagnose.h"

struct concurrency_plan {
    bool xdist; /* one run is the whole file by so many workers of pytest-xdist */
};

/* Fills finding->concurrency, the verdict and what follows from it. -1: the engine failed or was
 * interrupted; the finding then holds what was known by then. */
int concurrency(struct source *s, const struct diagnosis *d, const struct concurrency_plan *plan,
                struct watch *w, struct finding *f, struct err *e);

#endif
