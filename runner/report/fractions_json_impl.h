#ifndef FR_REPORT_FRACTIONS_JSON_IMPL_H
#define FR_REPORT_FRACTIONS_JSON_IMPL_H
/* The pieces of the report that are written for each case and each mean. */
#include "report/fractions_json.h"

double fractions_percent(int64_t passes, int64_t runs); /* 0 of no runs */
/* What the runs that were left out would have cost; NaN where no cost was recorded. */
double fractions_avoided(const struct sample_case *c);

void fractions_put_usages(struct json_out *j, const struct usages *u);
void fractions_put_prior(struct json_out *j, double a, double b);
void fractions_put_row(struct json_out *j, const struct sample_case *c,
                       const struct sample_config *config);
void fractions_put_aggregate(struct json_out *j, const struct aggregate *a,
                             const struct sample_config *config);

#endif
