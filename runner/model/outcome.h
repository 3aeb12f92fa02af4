#ifndef FR_MODEL_OUTCOME_H
#define FR_MODEL_OUTCOME_H
/* What one trial came to. Plain data, no ownership. */
#include <stdbool.h>
#include <stdint.h>

#include "model/setting.h"

enum outcome_kind {
    OUTCOME_NOT_RUN, /* the test did not get its turn: nothing collected, usage, lost result */
    OUTCOME_PASS,
    OUTCOME_FAIL,  /* the call phase failed */
    OUTCOME_ERROR, /* setup or teardown failed */
    OUTCOME_SKIPPED,
    OUTCOME_HANG,  /* ended by the deadline */
    OUTCOME_CRASH, /* ended by a signal, or the process left in the middle of the test */
};

/* Identity of a failure: phase, exception type, crash site. The message is not part of it. */
struct fingerprint {
    char phase[12]; /* collect, setup, call, teardown */
    char type[96];  /* "AssertionError", "<hang>", "<SIGSEGV>", "<exit 3>" */
    char site[224]; /* "tests/test_cart.py:31" */
};

enum tier { TIER_WARM, TIER_FRESH };

struct outcome {
    enum outcome_kind kind;
    enum tier tier; /* the tier that really ran it */
    struct fingerprint print;
    char message[224]; /* first line of the exception's text, for people */
    /* Of several copies at once, or of the one run: how many passed and failed, and how many came
     * to no end of their own. */
    unsigned passed, failed, unknown;
    int64_t took_ns;
    int64_t instant_ns;              /* wall clock when the window opened, 0 if it did not */
    uint64_t touched[FD_AXIS_COUNT]; /* calls inside and before the window */
    uint64_t clock_reads;            /* of the wall clock inside the window */
    uint32_t changed;                /* bit per axis: its state changed without a hook seeing it */
    uint32_t not_covered;            /* children that could not be preloaded */
    char zone[FD_ZONES][48];         /* zone files opened so far, "" at the end */
};

bool outcome_failed(const struct outcome *o);                   /* fail, error, hang or crash */
void outcome_tally(struct outcome *sum, enum outcome_kind one); /* counts one of its copies */
bool outcome_ran(const struct outcome *o); /* pass or failed: counts as a run */
bool fingerprint_same(const struct fingerprint *a, const struct fingerprint *b);
const char *outcome_word(enum outcome_kind k); /* "pass", "not-run" … */

#endif
