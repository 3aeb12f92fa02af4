#ifndef FR_SEARCH_EXPLAIN_H
#define FR_SEARCH_EXPLAIN_H
/* What explains a baseline in which some runs failed, all did, or none. *ret_done: a cause stands,
 * and the finding says so; *ret_short: the budget was too small to put one to the test. */
#include "search/campaign.h"

int explain_mixed(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e);
int explain_always(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e);
int explain_quiet(struct campaign *c, bool *ret_done, bool *ret_short, struct err *e);

/* The tests before it: cheap to ask, and the most frequent cause. */
int ask_order(struct campaign *c, enum before_level last, bool *ret_done, bool *ret_short,
              struct err *e);

#endif
