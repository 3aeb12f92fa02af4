#ifndef FR_LIVE_LOCATE_H
#define FR_LIVE_LOCATE_H
/* Finding pytest, its interpreter, libfd.so and the plugin. Each absence is an error with a hint.
 */
#include <stdbool.h>

#include "base/argv.h"
#include "base/err.h"
#include "base/release.h"
#include "base/text.h"

struct place {
    char *lib;    /* absolute path of libfd.so */
    char *plugin; /* absolute path of the folder that holds flaky_repro/ */
    char lib_release[RELEASE_MAX], plugin_release[RELEASE_MAX]; /* what they say; "": nothing */
    struct argv command; /* interpreter and pytest's script, or interpreter -m pytest */
    struct argv say;     /* as the user would type it */
};

void place_done(struct place *p);
#define own_place __attribute__((cleanup(place_done)))

int locate_parts(struct place *p, struct err *e);                      /* lib and plugin */
int locate_agree(const struct place *p, struct err *e);                /* with our release */
int locate_pytest(const char *python, struct place *p, struct err *e); /* command and say */

/* The same for a pytest that runs already: its interpreter, and the file it was started by: a
 * script `pytest`, or one that has a `pytest` beside it; anything else: python -m pytest. */
int locate_started(const char *python, const char *script, struct place *p, struct err *e);

#endif
