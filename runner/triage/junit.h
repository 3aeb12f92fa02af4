#ifndef FR_TRIAGE_JUNIT_H
#define FR_TRIAGE_JUNIT_H
/* The failures of a JUnit report, as pytest and most runners of tests write it: <failure> and
 * <error> of each <testcase>. A node id of pytest is made of `file`, or of `classname` where a file
 * of that name is there; else it is classname::name. One directly below a <testsuite> is of no
 * test: its node id is the suite's name, and its phase is collect.
 *
 * A document type and with it every entity of its own is refused, and so is what is nested deeper
 * than 64 elements. -1 with ERR_STALE if the text is no such report; `what` names it for the
 * error. Reads nothing but the text, and asks whether files exist. */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "triage/failed.h"

int junit_read(const char *text, size_t n, const char *what, struct failures *ret, struct err *e);

/* The same, with how many more failures its suites count than it shows. */
int junit_read_counted(const char *text, size_t n, const char *what, struct failures *ret,
                       struct failed_counts *ret_counts, struct err *e);

/* The phase that pytest's words name: `error`: of an <error>, not a <failure>. */
const char *junit_phase(bool error, const char *message);

#endif
