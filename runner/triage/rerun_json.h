#ifndef FR_TRIAGE_RERUN_JSON_H
#define FR_TRIAGE_RERUN_JSON_H
/* The evidence of a failure as it stands in a report of failures. */
#include "triage/rerun.h"

struct json_object;

/* A new object; the caller owns it. */
struct json_object *rerun_json(const struct rerun *r);

/* `o`: such an object of any version. What it does not have stays as it is in a zeroed one. */
void rerun_read(struct json_object *o, struct rerun *ret);

#endif
