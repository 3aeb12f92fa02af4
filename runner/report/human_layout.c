#include "report/human_impl.h"

void human_title(const char *title, const struct style *s, struct text *out)
{
    text_add(out, "\n ");
    paint(s, PAINT_BOLD, title, out);
    text_addc(out, '\n');
}

void human_paragraph(const char *words, struct text *out)
{
    columns_pad(INDENT, out);
    columns_wrap(words, INDENT, INDENT, out);
}

void human_fact(const char *name, const char *words, struct text *out)
{
    columns_pad(INDENT, out);
    text_add(out, name);
    columns_pad(FACT_AT - INDENT - columns_width(name), out);
    columns_wrap(words, FACT_AT, FACT_AT, out);
}
