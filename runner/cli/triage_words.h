#ifndef FR_CLI_TRIAGE_WORDS_H
#define FR_CLI_TRIAGE_WORDS_H
/* The failures of a report for people, and for a page of markdown. What the tests and the model
 * wrote is cleaned: no escape sequence reaches a terminal, no mark-up a page. */
#include "triage/triage.h"

void triage_human(const struct triage *t, struct text *out);

/* "4 failures, 3 distinct", with a newline. */
void triage_count(const struct triage *t, struct text *out);

/* Sentences of what the run counts beside its failures, one a line: "" where that is nothing. */
void triage_beside(const struct triage *t, struct text *out);

/* The command of pytest that runs them again, without those that are no test of pytest's: false
 * where none is. */
bool triage_again(const struct triage *t, struct text *out);

/* A page of its own, or a part of one: how many, a table of them, the commands that make them fail.
 */
void triage_markdown(const struct triage *t, struct text *out);

#endif
