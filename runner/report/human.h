#ifndef FR_REPORT_HUMAN_H
#define FR_REPORT_HUMAN_H
/* The report for people: at most COLUMNS columns, in the order a reader needs it; what to do next
 * stands last. Only the command to paste may be longer, because a broken line cannot be pasted. */
#include "model/finding.h"
#include "report/style.h"

void report_human(const struct target *t, const struct finding *f, const struct style *s,
                  struct text *out);

/* What it says to do next, in one line. */
void report_advice(const struct finding *f, struct text *out);

#endif
