#ifndef FR_CLI_TRIAGE_WORDS_H
#define FR_CLI_TRIAGE_WORDS_H
/* The failures of a report for people, and for a page of markdown. What the tests and the model
 * wrote is cleaned: no escape sequence reaches a terminal, no mark-up a page. */
#include "triage/triage.h"

void triage_human(const struct triage *t, struct text *out);
void triage_markdown(const struct triage *t, struct text *out);

#endif
