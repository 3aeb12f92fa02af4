#ifndef FR_CLI_REPORTS_H
#define FR_CLI_REPORTS_H
/* What a diagnosis came to, in the forms it is handed out in. */
#include "cli/status.h"
#include "live/live.h"
#include "report/style.h"

void reports_human(const struct reports *r, const struct style *s, struct text *out);
void reports_json(const struct reports *r, struct text *out);
enum status reports_status(const struct reports *r); /* of the worst */

uint64_t reports_seed(void); /* a master seed nobody has used */

#endif
