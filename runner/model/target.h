#ifndef FR_MODEL_TARGET_H
#define FR_MODEL_TARGET_H
/* What the user named and how to run it. Filled by live/ and owned by whoever declared it. */
#include <stdbool.h>

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
    struct argv ran;     /* those of a run in which it failed, in their order; none: not told */
    struct argv before;  /* tests that may run before nodeid, as they would: model/before.h */
    struct argv scope;   /* pytest arguments that select all of these, and nodeid */
};

void target_done(struct target *t);
#define own_target __attribute__((cleanup(target_done)))

/* The argument that selects a test (or file, or folder) by its id from where the user stands. */
void target_argument_of(const struct target *t, const char *nodeid, struct text *out);
void target_argument(const struct target *t, struct text *out); /* the test under diagnosis */

/* Whether an argument of pytest, as typed there, selects it: the file or a folder above it, and its
 * id or the beginning of it. */
bool target_is_selected(const struct target *t, const char *argument);

/* What is left of such an argument is the file. */
void target_cut_to_file(struct text *argument);

#endif
