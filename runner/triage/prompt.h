#ifndef FR_TRIAGE_PROMPT_H
#define FR_TRIAGE_PROMPT_H
/* What a model is told of a failure. Sections that are empty are left out: a label alone costs
 * tokens too. What comes from the test stands between marks, and the model is told that it is
 * material and gives no orders. Pure. */
#include "triage/provider.h"

enum language { LANGUAGE_ENGLISH, LANGUAGE_RUSSIAN, LANGUAGE_COUNT };

/* The task and the meaning of the categories; the answer is a call of record_verdict. */
void prompt_system(enum language l, struct text *out);

/* The failure. */
void prompt_user(const struct inquiry *q, enum language l, struct text *out);

/* Both in one, for what knows no calls of functions: the answer is one JSON object. */
void prompt_whole(const struct inquiry *q, enum language l, struct text *out);

#endif
