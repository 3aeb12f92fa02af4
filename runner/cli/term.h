#ifndef FR_CLI_TERM_H
#define FR_CLI_TERM_H
/* What the two output streams can show, decided once. They are judged apart: a report piped into a
 * file is plain while the progress on the terminal is not. */
#include <stdbool.h>

#include "cli/options.h"
#include "report/style.h"

struct stream_facts { /* what the decision rests on */
    bool tty;
    const char *term, *no_color, *force_color, *ci; /* variables, NULL where unset */
};

struct term {
    struct style out, err;
    bool live;      /* a line on stderr may be redrawn in place */
    unsigned width; /* columns of stderr's terminal */
};

bool term_colour(const struct stream_facts *f, enum color_when when);
bool term_live(const struct stream_facts *f); /* foreground is asked apart: it changes */
bool term_foreground(int fd);

void term_decide(const struct options *o, struct term *ret);

#endif
