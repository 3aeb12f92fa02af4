#ifndef REPORT_CASES_H
#define REPORT_CASES_H
/* Hand-made findings, one for each verdict and for each odd thing an id or a message can hold.
 * tests/cli/golden/NAME.txt and NAME.json show what the reports make of them. */
#include <stddef.h>

#include "model/finding.h"

struct report_case {
    const char *name;
    void (*fill)(struct target *, struct finding *);
};
/* Of findings of --profile concurrency; the finding owns them. */
struct concurrency *case_workers_matter(void);
struct concurrency *case_a_coin(void);

extern const struct report_case report_cases[];
extern const size_t report_cases_n;

#endif
