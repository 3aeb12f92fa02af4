#include "report/style.h"

void paint(const struct style *s, enum paint p, const char *what, struct text *out)
{
    static const char *const codes[] = {
        [PAINT_BOLD] = "\033[1m",   [PAINT_DIM] = "\033[2m",     [PAINT_RED] = "\033[1;31m",
        [PAINT_GREEN] = "\033[32m", [PAINT_YELLOW] = "\033[33m",
    };
    if (!s->colour) {
        text_add(out, what);
        return;
    }
    text_addf(out, "%s%s\033[0m", codes[p], what);
}
