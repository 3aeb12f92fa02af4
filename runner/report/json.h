#ifndef FR_REPORT_JSON_H
#define FR_REPORT_JSON_H
/* The machine-readable report: one finding, or several in one document (docs/report.md). */
#include "model/finding.h"

struct subject { /* borrowed: one target and what was found about it */
    const struct target *target;
    const struct finding *finding;
};

void report_json(const struct subject *s, size_t n, struct text *out); /* ends with a newline */

#endif
