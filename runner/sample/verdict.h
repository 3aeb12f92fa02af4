#ifndef FR_SAMPLE_VERDICT_H
#define FR_SAMPLE_VERDICT_H
/* What the runs of a case say: its status, its interval, and the verdicts on what it is held to.
 * Pure; thread-safe. */
#include "sample/suite.h"
#include "stats/gate.h"
#include "stats/interval.h"
#include "stats/quantile.h"

enum case_status { CASE_PASS, CASE_FLAKY, CASE_ERRORED, CASE_FAIL, CASE_ERROR };
enum case_status case_status(const struct sample_case *c); /* of one that has run */
const char *case_status_word(enum case_status s);          /* "pass" … as in the report */
const char *verdict_word(enum gate_verdict v);             /* "pass" … */

/* An interval as it is printed: by which method, at which level. */
struct shown_interval {
    struct interval ends; /* NaN: nothing was counted */
    const char *method;   /* "exact" … or "sequential" */
    double level;
};

/* Of all runs, by the session's method; of a case that is judged sequentially by that. */
struct shown_interval case_interval(const struct sample_case *c,
                                    const struct sample_config *config);

/* Whether the rate is judged by an interval that may be looked at after every run. */
bool rule_sequential(const struct rule *r, const struct sample_config *config);
struct gate_rule rule_gate(const struct rule *r, const struct sample_config *config);

/* The gate on a rate or a count. */
struct rate_judged {
    int64_t passes, total, excluded; /* what was counted, and errors that were not */
    struct shown_interval shown;     /* beside a count for information only */
    enum gate_verdict verdict;       /* GATE_OPEN: the case is held to neither */
};
void case_judge_rate(const struct sample_case *c, const struct sample_config *config,
                     struct rate_judged *ret);

/* The quantile of the run times, by order statistics: stats/quantile.h. Seconds; NaN: open, too few
 * runs for that end. */
struct latency_judged {
    int64_t total, excluded, min_runs;
    double estimate, low, high;
    struct quantile_ranks ranks;
    enum gate_verdict verdict; /* GATE_OPEN: the case is not held to it */
};
void case_judge_latency(const struct sample_case *c, const struct sample_config *config,
                        struct latency_judged *ret);

struct verdicts { /* how many gates came to each */
    int64_t pass, fail, undecided;
};
/* Adds v, which may be GATE_OPEN. */
void verdicts_add(struct verdicts *to, enum gate_verdict v);
/* Of all cases that ran, on rates, counts and latencies. */
struct verdicts suite_verdicts(const struct suite *s);
/* Whether it makes the session fail. */
bool verdict_fails(enum gate_verdict v, const struct sample_config *config);

#endif
