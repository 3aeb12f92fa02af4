#ifndef FR_TRIAGE_QUALITY_H
#define FR_TRIAGE_QUALITY_H
/* Failures as a code quality report of GitLab: a JSON array, one object each. A fingerprint follows
 * from the node id, the phase and the exception's type alone, so that a failure that comes again is
 * the same finding, whatever its counts and its verdict are then. Pure. */
#include "triage/failure.h"
#include "triage/spot.h"

void quality_json(const struct failures *f, const struct folder *at, struct text *out);

#endif
