#ifndef FR_REPORT_PLAN_H
#define FR_REPORT_PLAN_H
/* The section "probability: plan", without its ruler: a row for each case, the totals, and what the
 * columns mean. Lines end in a newline. Thread-safe. */
#include "base/text.h"
#include "sample/plan.h"

void plan_section(const struct sample_plan *p, const struct sample_config *config, size_t width,
                  struct text *out);

#endif
