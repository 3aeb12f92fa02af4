#ifndef FR_REPORT_EXPLAIN_SECTION_H
#define FR_REPORT_EXPLAIN_SECTION_H
/* The section "probability: explained", without its ruler: each line that the session printed, with
 * what it says below it (explain.h). Thread-safe. */
#include "report/fractions.h"

void explain_section(const struct fractions *f, size_t width, struct text *out);

#endif
