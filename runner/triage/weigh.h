#ifndef FR_TRIAGE_WEIGH_H
#define FR_TRIAGE_WEIGH_H
/* What reruns say of a failure. The run in which it was reported counts as one that failed.
 *
 *   fails every time    regression; test_bug where the test's own code is at fault: a name that is
 *                       not defined or a line that is no Python in the test's file, a fixture that
 *                       does not exist or is called like a function; env where a module, file or
 *                       program that is not the project's is missing, or the network does not
 *                       answer
 *   a cause stands      flaky; env where it is a machine, name or file that is not there
 *   fails and passes    flaky
 *   passes now          flaky, with little confidence; env where one missing part of the
 *                       surroundings makes just this failure
 *
 * Pure. */
#include "triage/failure.h"

/* The module that an import did not find, in whole ("a.b"); false: the failure is of another kind.
 */
bool weigh_missing_module(const struct failure *f, struct text *out);

/* The file that is not there or may not be read, as an absolute path, or the program that was to be
 * started; false: the failure is of another kind. */
bool weigh_missing_file(const struct failure *f, struct text *out);

/* False: its reruns decide nothing, and rerun.reason says why. `ours`: what one of the two above
 * names is the project's own. */
bool weigh(const struct failure *f, bool ours, struct opinion *ret);

/* Whether it is taken for a flake for no more than that it passes now: no rerun failed, no cause is
 * known. Reruns leave out some of what the run had, so one as it was has the last word. */
bool weigh_passes_now(const struct failure *f);

enum again { AGAIN_UNKNOWN, AGAIN_PASSED, AGAIN_FAILED };

/* The verdict of such a failure after that run. `why`: why it is not known what became of it; then
 * there is none. */
void weigh_again(struct failure *f, enum again what, const char *why);

#endif
