#ifndef FR_REPORT_EXPLAIN_IMPL_H
#define FR_REPORT_EXPLAIN_IMPL_H
/* Shared by the files of the explanations, by nobody else. */
#include "report/explain.h"

/* Begins a new paragraph, unless *out is empty. */
void tell_paragraph(struct text *out);
/* Adds a sentence, a blank before it where another one ends. */
void tell(struct text *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Short texts that sentences are put together from: released with the scope. */
#define TOLD 48
struct told {
    char at[TOLD];
};
struct told told_count(int64_t n);
/* "80%"; more decimals where it would land on 0, on 100 or on the bar without being it. */
struct told told_rate(double rate, double bar, int decimals);
struct told told_points(double difference, double margin, int least); /* "−17.5" */
struct told told_margin(double margin);                               /* "2" */
struct told told_level(double level);                                 /* "95%" */
struct told told_seconds(double s);                                   /* "769ms", "2.00s" */
struct told told_limit(double s);                                     /* "2s" */
struct told told_p(double p);

/* An interval for a rate: "between 35% and 93%". */
struct told told_between(struct interval i, double bar, int decimals);

/* "An undecided gate fails the session (…)." */
void tell_undecided(const struct sample_config *config, struct text *out);

/* What few inputs do to a bootstrap; nothing with enough of them. */
void tell_few_inputs(size_t inputs, const struct sample_config *config, struct text *out);

#endif
