#ifndef FR_LIVE_STACK_H
#define FR_LIVE_STACK_H
/* Python stacks as faulthandler writes them (innermost call first), for people. */
#include "base/text.h"

/* Leaves out pytest's own frames and shows paths below rootdir (may be NULL) relative to it. */
void stack_tidy(const char *raw, const char *rootdir, struct text *out);

#endif
