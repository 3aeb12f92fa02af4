#ifndef FR_CLI_HELP_H
#define FR_CLI_HELP_H
/* Help texts, made from the tables. */
#include "base/text.h"

void help_short(struct text *out); /* -h: one screen, examples first */
void help_all(struct text *out);   /* --help: every command and option, grouped */
void help_ci(struct text *out);    /* of flaky-ci: its own options alone */
void help_usage(struct text *out); /* two lines for somebody who gave no target */
void help_version(struct text *out);

#endif
