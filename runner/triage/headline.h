#ifndef FR_TRIAGE_HEADLINE_H
#define FR_TRIAGE_HEADLINE_H
/* A failure on one line, cleaned as opinion_clean() does. Pure. */
#include "triage/failure.h"

/* "AssertionError: assert 1 == 2" */
void failure_headline(const struct failure *f, struct text *out);

/* What it is taken for: "regression", "test bug", "flaky"; "failure" where there is no verdict,
 * and "flaky, says a model" where nothing was rerun. */
const char *failure_label(const struct failure *f);

/* How that is known, in sentences: the hypothesis, which of evidence has the counts in it; else the
 * counts of reruns, too. "" where there is nothing. */
void failure_grounds(const struct failure *f, struct text *out);

/* The line that reads what decides, where no sentence has named it; else NULL. */
const char *failure_look_at(const struct failure *f);

#endif
