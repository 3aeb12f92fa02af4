#ifndef FR_REPORT_COMPARISONS_H
#define FR_REPORT_COMPARISONS_H
/* The sections "probability: comparisons" and "probability: baseline" of a sampling session,
 * without their rulers, and the same as JSON. Lines end in a newline. Nothing is added where there
 * is nothing to tell. Thread-safe. */
#include "base/text.h"
#include "report/json_out.h"
#include "report/style.h"
#include "sample/baseline.h"
#include "sample/comparison.h"

void comparisons_section(const struct comparisons *c, const struct sample_config *config,
                         const struct style *s, struct text *out);
void baseline_section(const struct against *a, const struct sample_config *config,
                      const struct style *s, struct text *out);

/* "against main.json (2026-…): 16 cases paired, 2 only in this run", no newline. */
void baseline_headline(const struct against *a, struct text *out);

/* One comparison as its row, with nothing to be aligned with: for a gate item, or as a heading. No
 * indentation, no newline, no colour. */
void comparison_line(const struct comparison *c, struct text *out);

/* comparisons_json.c. The report's "comparisons", and its "baseline" where there is one. With
 * config->explain each has an "explanation" (explain.h). */
void comparisons_json(struct json_out *j, const char *key, const struct comparisons *c,
                      const struct sample_config *config);
void baseline_json(struct json_out *j, const char *key, const struct against *a,
                   const struct sample_config *config);

#endif
