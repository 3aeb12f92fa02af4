#ifndef FR_STATS_GATE_H
#define FR_STATS_GATE_H
/* A gate on the rate of passing: what k passes of n runs say about a bar.  Pure and thread-safe.
 *
 * PASS: the interval for the rate lies above the bar; FAIL: below it; else UNDECIDED, and an end
 * that equals the bar is UNDECIDED too.  The interval itself is never computed: the tail at the bar
 * is compared with (1 - confidence) / 2, because a rounded end turns ties around (3 of 3 at .5 and
 * 75 %).  A tail within 1e-12 of that, relative, is a tie.
 *
 * Verdicts follow the counts, which everything here uses: one pass more never makes a verdict
 * worse, nor does one failure more make it better. */
#include <stdbool.h>
#include <stdint.h>

enum gate_method {
    GATE_EXACT,      /* interval_exact: decided once, after a number of runs fixed before */
    GATE_WILSON,     /* interval_wilson: the same, right on average over rates only */
    GATE_BAYES,      /* interval_bayes: credible, not confident */
    GATE_SEQUENTIAL, /* sequence_interval_of: may be looked at after every run */
};

struct gate_rule {
    double bar;        /* the rate asked for, in [0, 1] */
    double confidence; /* in (0, 1); in [.5, 1) for GATE_SEQUENTIAL, see sequence.h */
    enum gate_method method;
    double a, b; /* > 0: the prior of GATE_BAYES, the mixture of GATE_SEQUENTIAL; else unused */
};

enum gate_verdict {
    GATE_OPEN, /* only of decisions before the last run: it goes on */
    GATE_PASS,
    GATE_FAIL,
    GATE_UNDECIDED,
};

/* Whether the numbers are in their ranges.  Of a rule that is not sane every verdict is UNDECIDED
 * and every number of runs -1: nothing is claimed. */
bool gate_rule_sane(const struct gate_rule *rule);

/* UNDECIDED also unless 0 <= passes <= runs. */
enum gate_verdict gate_verdict(const struct gate_rule *rule, int64_t passes, int64_t runs);

/* Where the verdict changes after a fixed number of runs. */
struct gate_cutoffs {
    int64_t pass_at; /* fewest passes that give PASS; -1: none does */
    int64_t fail_at; /* most passes that give FAIL; -1: none does */
};

/* Takes about 2 log2(runs) verdicts.  runs >= 0. */
struct gate_cutoffs gate_cutoffs(const struct gate_rule *rule, int64_t runs);

/* Those of a gate that asks for a number of passes, "8 of 10": it is never UNDECIDED. */
static inline struct gate_cutoffs gate_cutoffs_of_count(int64_t min_passes)
{
    return (struct gate_cutoffs){.pass_at = min_passes, .fail_at = min_passes - 1};
}

/* Fewest failures after which PASS is out of reach (0: it always was), and fewest after which FAIL
 * is certain (-1: never). */
int64_t gate_failures_against_pass(struct gate_cutoffs c, int64_t runs);
int64_t gate_failures_for_fail(struct gate_cutoffs c, int64_t runs);

/* Fewest runs, 1 or more, after which all passes are PASS: 36 for .9 at 95 %, exact.
 * -1: more than a million million. */
int64_t gate_min_runs(const struct gate_rule *rule);

/* The verdict that every way to fill up to `planned` runs shares, or GATE_OPEN.  "PASS is out of
 * reach" alone is no FAIL.  passes, fails >= 0, together at most planned; else UNDECIDED. */
enum gate_verdict gate_decide(struct gate_cutoffs c, int64_t planned, int64_t passes,
                              int64_t fails);

/* When to stop after a certain run, as numbers of passes to compare with and nothing else.  The
 * three do not overlap; a verdict that cannot be has an empty range. */
struct gate_stop {
    int64_t pass_at;            /* as many or more: PASS */
    int64_t fail_at;            /* as many or fewer: FAIL; -1 for none */
    int64_t idle_from, idle_to; /* from, up to and with: UNDECIDED; idle_to < idle_from for none */
};

enum gate_verdict gate_stop_verdict(const struct gate_stop *stop, int64_t passes);

/* ret_stops[i] is for run i + 1 of planned >= 1.  After the last every number of passes has a
 * verdict.  The first stops where gate_decide does. */
void gate_stops_fixed(struct gate_cutoffs c, int64_t planned, struct gate_stop *ret_stops);

/* The verdict of the rule after every run; with futility also UNDECIDED as soon as neither passes
 * alone nor failures alone could still decide within `planned`.  Meant for GATE_SEQUENTIAL: the
 * other methods promise nothing to who looks after every run. */
void gate_stops_each(const struct gate_rule *rule, int64_t planned, bool futility,
                     struct gate_stop *ret_stops);

/* First run that decides when all pass, or all fail; -1: none does. */
int64_t gate_first_all_pass(const struct gate_stop *stops, int64_t planned);
int64_t gate_first_all_fail(const struct gate_stop *stops, int64_t planned);

#endif
