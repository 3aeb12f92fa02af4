#ifndef FR_SAMPLE_COMPARISON_H
#define FR_SAMPLE_COMPARISON_H
/* Does one arm of an axis pass more often than another? Each value of a comparison axis (compare=,
 * --prob-compare) against the baseline value, on the inputs both ran; and the same for this session
 * against an earlier report (baseline.h). Thread-safe; results own their texts.
 *
 * A pair is two cases that differ in the axis alone. Every run of a case counts, and an errored one
 * as one that did not pass, whatever a gate leaves out: the same rule for both sides.
 * Differences are rates in [-1, 1], the arm's minus the baseline's; every input counts alike.
 *
 * What can be said depends on the number of pairs, because the next input is what one wants to know
 * about:
 *   none              nothing
 *   one               Newcombe's interval, Fisher's test: about this input alone
 *   below min_inputs  no interval over inputs (from so few it is too narrow), sign-flip test
 *   min_inputs, more  bootstrap over pairs, sign-flip test; see AGGREGATE_FEW (aggregate.h)
 * A case that was stopped early leans towards its verdict: neither interval nor test then. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sample/suite.h"
#include "stats/gate.h"
#include "stats/interval.h"

struct compared_runs {
    int64_t pass, runs;
};

struct compared_input {
    char *input; /* what the pair has in common: "refund"; "" when there is nothing else */
    struct compared_runs baseline, arm;
    double difference;
    struct interval interval; /* of this input alone: Newcombe */
    double p;                 /* the same: Fisher, two-sided */
};

enum compared_by { COMPARED_NOT, COMPARED_FISHER, COMPARED_SIGN_FLIP };

/* Why there is no interval. */
enum hidden { HIDDEN_NOT, HIDDEN_NO_PAIRS, HIDDEN_FEW, HIDDEN_STOPPED };

struct comparison {
    char *function;
    char *axis; /* NULL: against an earlier report */
    char *baseline, *arm;
    struct compared_input *of;
    size_t pairs;
    char **unpaired; /* inputs with runs on one side alone, sorted */
    size_t unpaired_n;
    double difference; /* NaN: no pairs */
    enum hidden hidden;
    struct interval interval; /* NaN if hidden */
    bool percentile;          /* a bootstrap that BCa could not adjust (all differences alike) */
    enum compared_by by;
    double p;   /* NaN: COMPARED_NOT */
    bool exact; /* not by drawing at random */
    double p_adjusted;
    double margin; /* NaN: no gate */
    bool equivalence;
    enum gate_verdict verdict; /* GATE_OPEN: no gate */
    size_t stopped;            /* cases among the pairs that were */
    double cost_ratio;         /* arm per run / baseline per run; NaN unless both cost something */
    double cost[2];            /* what the pairs cost: the baseline's, the arm's */
    size_t made;               /* its place before they were sorted */
};

struct comparisons {
    struct comparison *of; /* by function, then in the order of the values */
    size_t n;
    size_t family; /* those with a p value: adjusted together */
};

/* The arms of a function that are held against its baseline value, in the order of its cases.
 * Borrowed from the suite. n is 0 for a function that compares nothing. */
struct arms {
    const char *axis, *baseline;
    const char **arm;
    size_t n;
};
void arms_done(struct arms *a);

/* -1 with ERR_USAGE, written to follow a case's name, when the function's own mark cannot be met:
 * no such argument, one value only, a baseline that is none of the values. An axis that only
 * --prob-compare asks for is then no axis of this function, and nothing is wrong. */
int function_arms(const struct suite *s, const struct sample_function *f, struct arms *ret,
                  struct err *e);

/* All comparisons of which at least one arm ran. */
void suite_compare(const struct suite *s, struct comparisons *ret);
void comparisons_done(struct comparisons *c);

/* The one of that function and arm, or NULL. */
const struct comparison *comparisons_find(const struct comparisons *c, const char *function,
                                          const char *arm);

/* Whether a verdict lets the session pass. */
static inline bool comparison_passes(const struct comparison *c, const struct sample_config *config)
{
    return c->verdict == GATE_OPEN || c->verdict == GATE_PASS ||
           (c->verdict == GATE_UNDECIDED && config->undecided_passes);
}

#endif
