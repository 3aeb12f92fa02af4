#ifndef FR_TRIAGE_REPLY_H
#define FR_TRIAGE_REPLY_H
/* What a model answered, read with patience: prose and fences around the object are passed over,
 * words outside the enums are unknown/low, texts are cleaned and cut. Nothing here is an error: an
 * answer that says nothing is the verdict unknown. Time in proportion to the answer. */
#include "triage/opinion.h"

#define REPLY_MAX (256 * 1024) /* bytes that are looked at */

/* Of text in which the object stands. */
void reply_read(const char *reply, struct opinion *ret);

/* Of an object that was parsed already: a struct json_object, borrowed. */
void reply_take(void *json, struct opinion *ret);

#endif
