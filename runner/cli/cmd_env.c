#include "cli/cli.h"
#include "cli/say.h"
#include "live/live.h"
#include "report/columns.h"

#include <string.h>

enum { VALUE_AT = 20, NAME_MAX_W = VALUE_AT - 9 };

static void fact(const struct fact *f, const struct style *s, struct text *out)
{
    own_text struct text name = {0};
    paint(s, f->works ? PAINT_GREEN : PAINT_RED, f->works ? "ok     " : "not ok ", out);
    columns_cut(f->name, NAME_MAX_W, &name);
    text_addf(out, " %s", text_str(&name));
    columns_pad(VALUE_AT - 8 - columns_width(text_str(&name)), out);
    columns_wrap(*f->value ? f->value : "not found", VALUE_AT, VALUE_AT, out);
    if (!*f->hint)
        return;
    columns_pad(VALUE_AT, out);
    text_add(out, "hint: ");
    columns_wrap(f->hint, VALUE_AT + 6, VALUE_AT + 6, out);
}

/* Exit 2 when a part does not work, so that a script can ask. */
enum status cmd_env(const struct options *o, const struct term *t)
{
    own_text struct text out = {0};
    struct facts facts = {0};
    struct err e = {0};
    bool all = true;
    live_facts(o->python, &facts);
    for (size_t i = 0; i < facts.n; i++) {
        fact(&facts.at[i], &t->out, &out);
        all = all && facts.at[i].works;
    }
    if (say_result(&out, &e) < 0)
        return say_error(&e);
    return all ? STATUS_NOTHING_SHOWN : STATUS_NO_WORK;
}
