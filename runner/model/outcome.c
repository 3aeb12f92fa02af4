#include "model/outcome.h"

#include <string.h>

bool outcome_failed(const struct outcome *o)
{
    return o->kind == OUTCOME_FAIL || o->kind == OUTCOME_ERROR || o->kind == OUTCOME_HANG ||
           o->kind == OUTCOME_CRASH;
}

bool outcome_ran(const struct outcome *o)
{
    return o->kind == OUTCOME_PASS || outcome_failed(o);
}

bool fingerprint_same(const struct fingerprint *a, const struct fingerprint *b)
{
    return strcmp(a->phase, b->phase) == 0 && strcmp(a->type, b->type) == 0 &&
           strcmp(a->site, b->site) == 0;
}

const char *outcome_word(enum outcome_kind k)
{
    static const char *const words[] = {
        [OUTCOME_NOT_RUN] = "not-run", [OUTCOME_PASS] = "pass",       [OUTCOME_FAIL] = "fail",
        [OUTCOME_ERROR] = "error",     [OUTCOME_SKIPPED] = "skipped", [OUTCOME_HANG] = "hang",
        [OUTCOME_CRASH] = "crash",
    };
    return words[k];
}

/* A copy that hangs may wait for another's end: that says nothing of itself. */
void outcome_tally(struct outcome *sum, enum outcome_kind one)
{
    if (one == OUTCOME_PASS)
        sum->passed++;
    else if (one == OUTCOME_FAIL || one == OUTCOME_ERROR || one == OUTCOME_CRASH)
        sum->failed++;
    else
        sum->unknown++;
}
