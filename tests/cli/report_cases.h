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

/* How they are made. */
void case_target(struct target *t, const char *nodeid);
void case_stats(struct finding *f, unsigned warm, unsigned fresh, double seconds);
void case_print(struct fingerprint *p, const char *type, const char *site);
void case_baseline(struct finding *f, unsigned runs, unsigned failed, double low, double high);
void case_row(struct finding *f, const char *label, enum fd_axis a, const char *value,
              unsigned runs, unsigned failed);
struct cause *case_cause(struct finding *f, enum fd_axis a, const char *value, const char *benign);
void case_reads(struct cause *c, const char *call, const char *file, unsigned line,
                const char *function);
void case_verified(struct finding *f, unsigned failed, double low, unsigned passes_failed);

/* One for each kind of cause that a report tells in its own way. */
void case_order(struct target *t, struct finding *f);
void case_brittle(struct target *t, struct finding *f);
void case_two_causes(struct target *t, struct finding *f);
void case_zone(struct target *t, struct finding *f);
void case_async(struct target *t, struct finding *f);

extern const struct report_case report_cases[];
extern const size_t report_cases_n;

#endif
