#ifndef FR_REPORT_STYLE_H
#define FR_REPORT_STYLE_H
/* How a report may look. Decided once by cli/term; a report never asks the terminal itself.
 * Meaning never rests on colour: a report without its escape sequences says the same. */
#include <stdbool.h>

#include "base/text.h"

struct style {
    bool colour;  /* escape sequences are welcome */
    bool verbose; /* tiers, every evidence row, every kind of failure, the setting */
};

enum paint { PAINT_BOLD, PAINT_DIM, PAINT_RED, PAINT_GREEN, PAINT_YELLOW };

void paint(const struct style *s, enum paint p, const char *what, struct text *out);

#endif
