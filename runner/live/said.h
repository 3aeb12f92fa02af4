#ifndef FR_LIVE_SAID_H
#define FR_LIVE_SAID_H
/* Pytest's own words about what is wrong, found in its output. */
#include "base/text.h"

/* Its account of the error without banners and its own frames; else its last line. */
void said_by_pytest(const char *output, struct text *out);

/* The last line that is not blank, without the rule around it. */
void said_last_line(const char *output, struct text *out);

#endif
