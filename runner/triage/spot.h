#ifndef FR_TRIAGE_SPOT_H
#define FR_TRIAGE_SPOT_H
/* Where in the repository a failure is shown: of a flake the line that reads what decides, if it is
 * known; else the innermost line of its traceback that is the project's; else the test's file. */
#include "base/text.h"
#include "triage/failure.h"

struct folder {        /* where the tests ran */
    const char *cwd;   /* absolute */
    const char *below; /* how the root of the repository gets there: "" or "services/shop/" */
};

struct spot {
    struct text file; /* from the root of the repository; empty: it is not known */
    unsigned line;    /* 0: it is not known */
};
void spot_done(struct spot *s);
#define own_spot __attribute__((cleanup(spot_done)))

void spot_of(const struct failure *f, const struct folder *at, struct spot *ret);

/* How `root` gets to `cwd`, for struct folder; "" where it does not. Both absolute. */
void folder_below(const char *root, const char *cwd, struct text *out);

#endif
