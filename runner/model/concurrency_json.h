#ifndef FR_MODEL_CONCURRENCY_JSON_H
#define FR_MODEL_CONCURRENCY_JSON_H
/* The member `concurrency` of the JSON report (docs/report.md). */
#include "model/concurrency.h"

struct json_object;
struct json_object *concurrency_json(const struct concurrency *k); /* the caller owns it */

#endif
