#include "cli/cli.h"
#include "cli/say.h"
#include "live/live.h"
#include "report/columns.h"

enum { WORDS_AT = 14 };

static void line(const char *name, const char *words, struct text *out)
{
    if (!words || !*words)
        return;
    text_addf(out, "    %s", name);
    columns_pad(WORDS_AT - 4 - columns_width(name), out);
    columns_wrap(words, WORDS_AT, WORDS_AT, out);
}

enum status cmd_axes(const struct options *o, const struct term *t)
{
    own_text struct text out = {0};
    struct err e = {0};
    (void)o;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        if (a > 0)
            text_addc(&out, '\n');
        paint(&t->out, PAINT_BOLD, axis_word(a), &out);
        text_addc(&out, '\n');
        line("catches", live_axis_catches(a), &out);
        line("held by", live_axis_held_by(a), &out);
        line("by hand", live_axis_by_hand(a), &out);
    }
    return say_result(&out, &e) < 0 ? say_error(&e) : STATUS_NOTHING_SHOWN;
}
