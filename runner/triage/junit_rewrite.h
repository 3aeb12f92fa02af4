#ifndef FR_TRIAGE_JUNIT_REWRITE_H
#define FR_TRIAGE_JUNIT_REWRITE_H
/* A JUnit report with what reruns have shown in it, in the words of Surefire that most readers
 * know. Of a flake <failure> becomes <flakyFailure> and <error> <flakyError>: the test counts as
 * passed, and so do the numbers of its suites. Other failures stay and are followed by a
 * <rerunFailure> or <rerunError> for each kind of failure among the reruns. Every other byte stays
 * as it was.
 *
 * Tests are found under the class and the name that pytest gives them; where one has several
 * failures of a phase, it is a flake only if each is. `f`: as they were reported, not merged.
 *
 * -1 with ERR_STALE where junit_read() refuses the text, and for what is not written in an encoding
 * that contains ASCII; *out is left alone then. */
#include "base/err.h"
#include "triage/failure.h"

int junit_rewrite(const struct text *xml, const char *what, const struct failures *f,
                  struct text *out, struct err *e);

/* The name under which pytest writes the test of a node id: "class\nname". */
void junit_name(const char *nodeid, struct text *out);

#endif
