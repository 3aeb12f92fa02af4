#ifndef FR_LIVE_LOG_H
#define FR_LIVE_LOG_H
/* Where the log of a diagnosis lies, and whether one that is there may be gone on with. */
#include "live/engine.h"

#define LOG_FOLDER ".flaky-repro"
#define LOG_KEPT   8 /* logs that stay there */

/* With --resume: finds and reads the log, and takes over what it was made with: target, arguments,
 * seed, axes. Else sees to it that a log asked for by name can be written. Strings of *q may be
 * borrowed from g->log. */
int log_prepare(struct engine *g, struct request *q, struct err *e);

/* The first run is over: a log of other tests, or of tests that have changed, is refused; a new one
 * begins. One that cannot be written where none was asked for is done without. */
int log_open(struct engine *g, const struct request *q, struct err *e);

/* Notes the user's own run of target->nodeid, or takes the one that was noted. Returns the time
 * that the search for it took before. */
int64_t log_first(struct engine *g, struct outcome *first);

#endif
