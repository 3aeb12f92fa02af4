#ifndef FR_MODEL_FINDING_JSON_H
#define FR_MODEL_FINDING_JSON_H
/* A finding as JSON: the words and fields of docs/report.md, every key always present. Additive
 * only: a reader of version 1 never loses a field. json-c stays behind this header. */
#include "model/finding.h"

#define FINDING_FORMAT  "flaky-repro-report"
#define FINDING_VERSION 1

/* Adds one object without a newline at its end. Bytes that are not UTF-8 become U+FFFD. */
void finding_json(const struct target *t, const struct finding *f, struct text *out);

/* "Linux 6.1.0 x86_64": what `env.platform` holds. */
void finding_platform(struct text *out);

#endif
