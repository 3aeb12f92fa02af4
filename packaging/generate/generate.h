#ifndef FR_GENERATE_H
#define FR_GENERATE_H
/* Documents made from the tables that the program itself is made from: options.def, commands.def,
 * status.def, the axes and variables.def. Runs during the build; nothing of it is installed. */
#include "base/text.h"
#include "cli/options.h"

/* Sections of the man page, in roff. */
void man_synopsis(struct text *out);
void man_commands(struct text *out);
void man_options(struct text *out);
void man_axes(struct text *out);
void man_option_variables(struct text *out); /* FLAKY_REPRO_…: an option said in the environment */
void man_variables(struct text *out);        /* FD_…: by hand */
void man_statuses(struct text *out);

/* Tables of README.md. */
void markdown_variables(struct text *out);
void markdown_statuses(struct text *out);

/* Completion scripts. */
void complete_bash(struct text *out);
void complete_zsh(struct text *out);
void complete_fish(struct text *out);

/* The words an option's value is one of, separated by blanks; NULL: it is no word of a list. */
const char *option_words(enum option id);
bool option_takes_path(enum option id);

#endif
