#ifndef FR_REPORT_FRACTIONS_IMPL_H
#define FR_REPORT_FRACTIONS_IMPL_H
/* Words that the sections of fractions.h share. */
#include "report/fractions.h"
#include "report/table.h"

/* A rate in whole percent; more decimals where it would round to 0 or 100 without being it. */
void rate_words(double rate, struct text *out);
/* An end of an interval, or a mean, with that many decimals: what would round to 0 or 100 without
 * being it is one step short of it. More decimals where it would round to the bar (NaN: none)
 * without being it. */
void bound_words(double bound, int decimals, double bar, struct text *out);
void money_words(double amount, struct text *out);   /* "$0.0020" */
void count_words(int64_t n, struct text *out);       /* "1,200" */
void seconds_words(double seconds, struct text *out); /* three digits: "769ms", "2.00s" */
/* A node id, which starts from the root, as it is typed where pytest stands, quoted for a shell. */
void typed_words(const char *nodeid, const struct suite *s, struct text *out);
void inputs_words(size_t n, struct text *out);       /* "N=12 inputs" */
void decided_words(const struct sample_case *c, struct text *out); /* "  decided after 38/40" */

/* Sets the cells column and column + 1 to the ends, and column + 2 to what closes the bracket. The
 * columns begin with "  [", ", " and "". An end that is NaN is open: "—". */
struct ends {
    double low, high;
    int decimals;
    double bar; /* or NaN */
    bool seconds;
};
void ends_cells(struct table *t, size_t column, const struct ends *e, const char *close);

/* "covers about 90%"; nothing where the interval covers what it says. */
void cover_words(const struct mean_of *m, const struct sample_config *config, struct text *out);

/* Below the rows: the means of functions, then the totals. */
void fractions_means(const struct fractions *f, const struct style *s, struct text *out);
void fractions_totals(const struct fractions *f, const struct style *s, struct text *out);

#endif
