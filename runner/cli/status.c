#include "cli/status.h"

const struct status_row status_rows[] = {
#define STATUS(ID, number, meaning) {number, meaning},
#include "cli/status.def"
#undef STATUS
    {0, NULL},
};

enum status status_of_verdict(enum verdict v)
{
    static const enum status of[] = {
        [VERDICT_NONE] = STATUS_OPEN,
        [VERDICT_FLAKY] = STATUS_FLAKY,
        [VERDICT_UNATTRIBUTED] = STATUS_FLAKY,
        [VERDICT_DETERMINISTIC] = STATUS_BROKEN,
        [VERDICT_HANG] = STATUS_BROKEN,
        [VERDICT_NOT_FLAKY] = STATUS_NOTHING_SHOWN,
        [VERDICT_SKIPPED] = STATUS_NOTHING_SHOWN,
        [VERDICT_USAGE] = STATUS_NO_WORK,
        [VERDICT_NO_TESTS] = STATUS_NO_TESTS,
        [VERDICT_HELD] = STATUS_OPEN,
        [VERDICT_INCOMPLETE] = STATUS_OPEN,
    };
    return of[v];
}

enum status status_of_error(enum err_kind k)
{
    static const enum status of[] = {
        [ERR_NONE] = STATUS_BUG, /* an error that says nothing is one of ours */
        [ERR_USAGE] = STATUS_NO_WORK,
        [ERR_SETUP] = STATUS_NO_WORK,
        [ERR_SYSTEM] = STATUS_NO_WORK,
        [ERR_STALE] = STATUS_NO_WORK,
        [ERR_INTERRUPT] = STATUS_INTERRUPTED,
        [ERR_BUG] = STATUS_BUG,
    };
    return of[k];
}

/* What a pipeline must not overlook stands highest: work not done hides a result. */
static int weight(enum status s)
{
    switch (s) {
    case STATUS_NOTHING_SHOWN:
        return 0;
    case STATUS_NO_TESTS:
        return 1;
    case STATUS_OPEN:
        return 2;
    case STATUS_BROKEN:
        return 3;
    case STATUS_FLAKY:
        return 4;
    case STATUS_NO_WORK:
        return 5;
    case STATUS_BUG:
        return 6;
    case STATUS_INTERRUPTED:
        return 7;
    }
    return 6;
}

enum status status_worse(enum status a, enum status b)
{
    return weight(a) >= weight(b) ? a : b;
}

enum status status_exit_zero(enum status s)
{
    return s == STATUS_FLAKY || s == STATUS_OPEN || s == STATUS_BROKEN ? STATUS_NOTHING_SHOWN : s;
}
