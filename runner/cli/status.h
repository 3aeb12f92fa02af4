#ifndef FR_CLI_STATUS_H
#define FR_CLI_STATUS_H
/* Exit statuses. Those of children are translated into verdicts and never passed on. */
#include "base/err.h"
#include "model/finding.h"

enum status {
    STATUS_NOTHING_SHOWN = 0, /* no failure within the bound, or skipped */
    STATUS_FLAKY = 1,         /* or a replay that failed as recorded */
    STATUS_NO_WORK = 2,       /* the work could not be done */
    STATUS_OPEN = 3,          /* no conclusion, held, or DID NOT REPRODUCE */
    STATUS_BROKEN = 4,        /* fails, hangs or crashes every time */
    STATUS_NO_TESTS = 5,
    STATUS_BUG = 70,
    STATUS_INTERRUPTED = 130,
};

enum status status_of_verdict(enum verdict v);
enum status status_of_error(enum err_kind k);
enum status status_worse(enum status a, enum status b); /* the one to exit with */
enum status status_exit_zero(enum status s);            /* --exit-zero */

#endif
