#ifndef FR_SEARCH_PHASES_H
#define FR_SEARCH_PHASES_H
/* The phases of a diagnosis, each a question put to the campaign. All return 0, or -1 with the
 * error set (the engine failed or was interrupted); what they found is in their results. */
#include "search/campaign.h"

/* Baseline: drawn settings until failures and passes are both there, or both counts of the plan are
 * reached. Calling it again goes on where it stopped. */
struct baseline_plan {
    unsigned processes, each; /* draws of what is fixed at start, at least; runs in each */
    unsigned runs;            /* in all, at least */
    int64_t share_ns;         /* budget it may use */
    bool stop_when_mixed;
    bool persist; /* go on where every run failed so far */
};
int baseline_draw(struct campaign *c, const struct baseline_plan *plan, struct err *e);
int baseline_fresh(struct campaign *c, unsigned runs, struct err *e);
void baseline_sum(struct campaign *c); /* counts, rate, interval, unit → finding */

/* Replay: does a failing and a passing setting repeat its outcome every time? */
enum replay { REPLAY_SAME, REPLAY_VARIES, REPLAY_TIERS_DIFFER };
int replay_pair(struct campaign *c, const struct run *failing, const struct run *passing,
                enum replay *ret, struct err *e);

/* Whether a failure that is frequent in warm runs does not occur in fresh ones at its own setting:
 * the warm process, not the setting, makes it. */
int replay_never_fresh(struct campaign *c, const struct run *failing, bool *ret, struct err *e);

/* Transplant: the smallest set of axes whose failing values make the passing setting fail. */
enum transplanted {
    TRANSPLANT_FOUND,
    TRANSPLANT_NONE,
    TRANSPLANT_NOT_EVEN_ALL, /* the failing setting itself, whole, did not fail in this tier */
};
int transplant(struct campaign *c, const struct run *failing, const struct run *passing,
               struct candidate *ret, enum transplanted *ret_how, struct err *e);

/* Shrink: plainer failing values, and the nearest value that passes. */
int shrink(struct campaign *c, struct candidate *k, struct err *e);

/* A value of one axis with which the candidate passes, its other axes as they fail: that shows the
 * axis is needed. *ret_found false: none of a few that were tried passed. */
int shrink_need(struct campaign *c, struct candidate *k, enum fd_axis a, bool *ret_found,
                struct err *e);

/* Puts candidates to the test, one after the other, until one stands: then the finding says so. */
int settle_all(struct campaign *c, struct candidate *list, size_t n, bool *ret_done,
               bool *ret_short, struct err *e);

/* Verify: failing against passing value, everything else let go. */
struct verdict_of {
    enum strength strength; /* NONE: not shown */
    unsigned failing_runs, failing_failed, passing_runs, passing_failed;
    unsigned copies;      /* of the test, in the runs with the failing value */
    double p, p_adjusted; /* Fisher's, one-sided; for all values put to the test so far, by Holm */
    bool short_of_budget;
    bool mixed; /* with the failing value some runs failed and some passed: one of each */
    struct run failed, passed;
};
int verify(struct campaign *c, struct candidate *k, struct verdict_of *ret, struct err *e);

/* Provoke: values that nature seldom draws, or, for a test that always fails, values with which
 * it should pass. Fills in candidates, best first. Called again, provoke() goes on where it stopped
 * to hand over candidates; none: there are no more values. */
#define CANDIDATES_MAX 6
bool provoke_may(struct campaign *c, enum fd_axis a); /* whether it has values to be tried */
int provoke(struct campaign *c, double base_rate, struct candidate *ret, size_t *ret_n,
            struct err *e);
/* Holds the axis order at these tests. */
struct before;
void order_hold(struct setting *s, const struct before *b);

/* Combine: values that passed alone, several in one run. */
int combine_values(struct campaign *c, struct candidate *ret, bool *ret_found, struct err *e);

/* Order: the fewest tests that make it fail when they run before it; or, for a test that always
 * fails alone, pass. Goes on with the level where it stopped, up to `last`. With `self`: the test
 * itself. */
int order_that_fails(struct campaign *c, enum before_level last, struct candidate *ret,
                     bool *ret_found, struct err *e);
int order_that_passes(struct campaign *c, enum before_level last, struct candidate *ret,
                      bool *ret_found, struct err *e);
/* The fewest tests with which a candidate that holds many before it still fails. */
int order_shrink(struct campaign *c, struct candidate *k, struct err *e);
int order_self(struct campaign *c, struct candidate *ret, bool *ret_found, struct err *e);

int provoke_passes(struct campaign *c, const struct run *failing, struct candidate *ret,
                   size_t *ret_n, struct err *e);

#endif
