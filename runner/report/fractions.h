#ifndef FR_REPORT_FRACTIONS_H
#define FR_REPORT_FRACTIONS_H
/* What a sampling session came to, for people: the sections that pytest prints below its own
 * rulers, titled "probability", "probability: metrics", "probability: latency", "probability:
 * gates". Each adds nothing where it has nothing to say. Pure; thread-safe.
 *
 * 100 % and 0 % are printed only where the number is exactly that. */
#include "report/style.h"
#include "sample/aggregate.h"
#include "sample/baseline.h"
#include "sample/suite.h"
#include "sample/verdict.h"

struct fractions { /* all borrowed */
    const struct suite *suite;
    const struct aggregates *means;
    const char *json; /* the path of the JSON report as the user gave it, or NULL */
    const struct comparisons *comparisons; /* NULL: none */
    const struct against *against;         /* an earlier report; NULL: none */
};

void fractions_rows(const struct fractions *f, const struct style *s, struct text *out);
void fractions_metrics(const struct fractions *f, const struct style *s, struct text *out);
void fractions_latency(const struct fractions *f, const struct style *s, struct text *out);
void fractions_gates(const struct fractions *f, const struct style *s, struct text *out);

/* FLAKY, and not held to a rate or a count that it passes: worth a diagnosis. */
bool fractions_flaky(const struct sample_case *c, const struct sample_config *config);

/* The verdicts on one case, each on a line as in the section of the gates but not indented, the
 * last without its newline: first those that are not PASS. */
void fractions_verdict(const struct sample_case *c, const struct sample_config *config,
                       struct text *out);

#endif
