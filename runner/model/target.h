#ifndef FR_MODEL_TARGET_H
#define FR_MODEL_TARGET_H
/* What the user named and how to run it. Filled by live/ and owned by whoever declared it. */
#include "base/argv.h"
#include "base/text.h"

struct target {
    struct argv command; /* what starts pytest: interpreter and script, or interpreter -m pytest */
    struct argv say;     /* the same as the user would type it: "pytest" */
    struct argv args;    /* pytest arguments the user gave after "--" */
    struct argv program; /* the target is this program and not a test of pytest's; else empty */
    struct argv ids;     /* the tests collected, in pytest's order */
    char *spec;          /* as the user wrote it */
    char *nodeid;        /* the test under diagnosis; one of ids */
    char *rootdir;       /* pytest's */
    char *cwd;           /* where the user stands */
    char *python;        /* "3.11.2" */
    char *pytest;        /* "7.2.1" */
    struct argv plugins; /* "pytest-cov 4.0.0": distributions that were loaded */
};

void target_done(struct target *t);
#define own_target __attribute__((cleanup(target_done)))

/* The argument that selects the test under diagnosis from where the user stands. */
void target_argument(const struct target *t, struct text *out);

#endif
