#ifndef FR_TRIAGE_GITHUB_H
#define FR_TRIAGE_GITHUB_H
/* Failures as annotations of GitHub: one workflow command a line, ::error for what counts and
 * ::warning for a flake. The errors come first, for GitHub shows ten of each kind in a step. What
 * tests wrote cannot end a command or begin another. Pure. */
#include "triage/failure.h"
#include "triage/spot.h"

void github_annotations(const struct failures *f, const struct folder *at, struct text *out);

#endif
