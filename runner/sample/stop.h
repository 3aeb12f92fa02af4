#ifndef FR_SAMPLE_STOP_H
#define FR_SAMPLE_STOP_H
/* When the remaining runs of a case cannot change its verdict, as numbers to compare with, so that
 * whoever runs the case decides without arithmetic; and gates that cannot pass whatever happens.
 *
 * A case may stop where it is held to a rate or a count and --prob-stop is on, and no other verdict
 * needs all its runs: a comparison with a margin, --prob-margin, a gate on latency. */
#include "sample/suite.h"
#include "stats/gate.h"

/* What keeps the case from stopping, as in "its latency is judged from all runs"; NULL: nothing.
 * Not about cases that have no gate. */
const char *stop_hindrance(const struct suite *s, const struct sample_case *c);
bool stop_may(const struct suite *s, const struct sample_case *c);

/* Row i of rule.runs: for run i + 1. Errors count as what did not pass; where they are left out of
 * the count a row holds only if there was none (what is to come may err: that only ends it sooner,
 * between the same extremes), and stop_now() knows the rest. The caller frees it. */
struct gate_stop *stop_table(const struct suite *s, const struct sample_case *c);
/* The verdict that is certain after the runs so far, or GATE_OPEN. */
enum gate_verdict stop_now(const struct suite *s, const struct sample_case *c);

/* Fewest runs with which the gate can pass at all, each; 0: no such gate. */
int64_t stop_least_runs(const struct rule *r, const struct sample_config *config);
int64_t stop_least_runs_latency(const struct rule *r);

#endif
