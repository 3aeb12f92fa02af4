#ifndef FR_LIVE_WORDS_H
#define FR_LIVE_WORDS_H
/* Headline and explanation of a finding: sentences that say what was seen and how sure it is. */
#include "model/finding.h"
#include "shim/wire.h"

void words_explain(const struct target *t, struct finding *f);

/* For a first run that left nothing to search; `said` is pytest's own message. */
void words_first(const struct target *t, struct finding *f, const char *said);

/* "The first run started `touch /srv/x` and …" */
void words_effects(const struct finding *f, struct text *out);

/* Warns where the test goes by a language and this machine has none to try. */
void words_languages(const struct fd_seen *seen, struct finding *f);

/* Warns that runs were given a process of their own each, in the end or from the beginning, and
 * why. */
void words_no_warm(struct finding *f, const char *why);

#endif
