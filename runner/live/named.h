#ifndef FR_LIVE_NAMED_H
#define FR_LIVE_NAMED_H
#include "model/finding.h"

/* What the finding says of tests by number (axis `order`) it says in words from then on, and each
 * cause has their ids. The repro's setting stays as it is. */
void named_tests(const struct target *t, struct finding *f);

/* The same for the text of a setting. */
void named_part(char *text, size_t size);

#endif
