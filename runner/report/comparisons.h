#ifndef FR_REPORT_COMPARISONS_H
#define FR_REPORT_COMPARISONS_H
/* The sections "probability: comparisons" and "probability: baseline" of a sampling session,
 * without their rulers, and the same as JSON. Lines end in a newline. Nothing is added where there
 * is nothing to tell. Thread-safe. */
#include "base/text.h"
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

struct json_object;

/* comparisons_json.c. The value of the report's "comparisons"; the caller owns it. With words each
 * has an "explanation" (explain.h). */
struct json_object *comparisons_json(const struct comparisons *c,
                                     const struct sample_config *config);
/* The value of "baseline". */
struct json_object *baseline_json(const struct against *a, const struct sample_config *config);

/* Why there is no interval: "12 cases stopped early"; "" if there is one. */
void comparison_suppressed(const struct comparison *c, const struct sample_config *config,
                           struct text *out);

#endif
