#ifndef FR_TRIAGE_PARTNER_H
#define FR_TRIAGE_PARTNER_H
/* What is said to a provider in Python, JSON, one object a line: {"v": 1, "context": {nodeid,
 * phase, outcome, exc_type, exc_message, traceback, duration, stdout_tail, stderr_tail, log_tail},
 * "prompt": "…"}, and answered: {"verdict": {…}} or {"error": "…"}, either with "model": "…" if it
 * has one. */
#include "triage/provider.h"

void partner_question(const struct inquiry *q, struct text *out); /* with its newline */
enum asked partner_answer(const char *line, struct provider *p, struct opinion *ret, struct err *e);

#endif
