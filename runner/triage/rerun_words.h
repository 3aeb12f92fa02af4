#ifndef FR_TRIAGE_RERUN_WORDS_H
#define FR_TRIAGE_RERUN_WORDS_H
/* What reruns came to: "24 runs, 13 failed; fails with hashseed=7, passes with hashseed=3 (10 of 10
 * failed, against 0 of 10)", or why there are none. Pure. */
#include "triage/rerun.h"

#include "base/text.h"

void rerun_words(const struct rerun *r, struct text *out);

#endif
