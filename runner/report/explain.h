#ifndef FR_REPORT_EXPLAIN_H
#define FR_REPORT_EXPLAIN_H
/* --prob-explain: what a row says, in plain sentences. One paragraph a line, without a newline at
 * the end; where there is something to be done the last one begins with "Next: ". The same words go
 * to the terminal (explain_entry) and into the report's "explanation". Thread-safe. */
#include "base/text.h"
#include "sample/aggregate.h"
#include "sample/baseline.h"
#include "sample/comparison.h"
#include "sample/suite.h"

/* A row of the table: what its runs were, the interval, the gate on its rate. It has run. */
void explain_case(const struct sample_case *c, const struct sample_config *config,
                  struct text *out);
/* Its line in the latency section. */
void explain_latency(const struct sample_case *c, const struct sample_config *config,
                     struct text *out);

/* The line of a function, or of all cases together, and one metric of it. */
void explain_mean(const struct aggregate *a, const struct sample_config *config, struct text *out);
void explain_metric(const struct aggregate *a, size_t metric, const struct sample_config *config,
                    struct text *out);

void explain_comparison(const struct comparison *c, const struct comparisons *all,
                        const struct sample_config *config, struct text *out);
void explain_baseline(const struct against *a, const struct sample_config *config,
                      struct text *out);

/* An entry of the section "probability: explained": the heading at column 2, the words below it at
 * column 4, in lines of at most `width` columns where words allow. Ends with an empty line. */
void explain_entry(const char *heading, const char *words, size_t width, struct text *out);

#endif
