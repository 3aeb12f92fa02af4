#ifndef FR_CLI_STATUS_H
#define FR_CLI_STATUS_H
/* Exit statuses. Those of children are translated into verdicts and never passed on. */
#include "base/err.h"
#include "model/finding.h"

enum status {
#define STATUS(ID, number, meaning) STATUS_##ID = number,
#include "cli/status.def"
#undef STATUS
};

struct status_row {
    int number;
    const char *meaning;
};
extern const struct status_row status_rows[]; /* ends with a meaning of NULL */

enum status status_of_verdict(enum verdict v);
enum status status_of_error(enum err_kind k);
enum status status_worse(enum status a, enum status b); /* the one to exit with */
enum status status_exit_zero(enum status s);            /* --exit-zero */

#endif
