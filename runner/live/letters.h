#ifndef FR_LIVE_LETTERS_H
#define FR_LIVE_LETTERS_H
/* Names that were looked for and are not there, but would be where capital and small letters are
 * the same: on another machine the test finds them. */
#include "model/finding.h"
#include "shim/wire.h"

/* Adds a warning for each; `cwd` is where the watched run stood. */
void letters_warn(const struct fd_seen *seen, const char *cwd, struct finding *f);

#endif
