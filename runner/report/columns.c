#include "report/columns.h"

#include "base/utf8.h"

#include <string.h>

struct range {
    uint32_t from, to;
};

/* Combining marks, joiners, variation selectors. */
static const struct range zero[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x064B, 0x065F}, {0x093C, 0x093C},
    {0x094D, 0x094D}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},   {0x200B, 0x200D}, {0x20D0, 0x20F0},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
};

/* East Asian wide and fullwidth blocks, and the emoji that terminals draw in two cells. */
static const struct range wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

/* Controls, line separators, marks that reorder a line, byte-order marks, non-characters. */
static const struct range unprintable[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x061C, 0x061C}, {0x200E, 0x200F}, {0x2028, 0x202E},
    {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F},
};

#define WITHIN(table, point) within(table, sizeof(table) / sizeof *(table), point)

static bool within(const struct range *r, size_t n, uint32_t point)
{
    for (size_t i = 0; i < n; i++)
        if (point >= r[i].from && point <= r[i].to)
            return true;
    return false;
}

static size_t point_width(uint32_t point)
{
    if (WITHIN(zero, point))
        return 0;
    return WITHIN(wide, point) ? 2 : 1;
}

void columns_clean(const char *s, struct text *out)
{
    for (size_t left = strlen(s); left > 0;) {
        uint32_t point = 0;
        size_t len = utf8_next(s, left, &point);
        if (len == 0) {
            text_addc(out, '?');
            len = 1;
        } else if (point == '\n') {
            text_addc(out, '\n');
        } else if (point == '\t') {
            text_add(out, "    ");
        } else if (WITHIN(unprintable, point)) {
            text_addc(out, '?');
        } else {
            text_addn(out, s, len);
        }
        s += len;
        left -= len;
    }
}

static size_t next_width(const char *s, size_t left, size_t *ret_len)
{
    uint32_t point = 0;
    size_t len = utf8_next(s, left, &point);
    *ret_len = len ? len : 1;
    return len ? point_width(point) : 1;
}

static size_t width_of(const char *s, size_t n)
{
    size_t width = 0, len;
    for (; n > 0; s += len, n -= len)
        width += next_width(s, n, &len);
    return width;
}

size_t columns_width(const char *s)
{
    return width_of(s, strlen(s));
}

void columns_pad(size_t n, struct text *out)
{
    while (n-- > 0)
        text_addc(out, ' ');
}

size_t columns_take(const char *s, size_t width, struct text *out)
{
    size_t n = strlen(s), took = 0;
    while (took < n) {
        size_t len, w = next_width(s + took, n - took, &len);
        if (w > width)
            break;
        width -= w;
        took += len;
    }
    text_addn(out, s, took);
    return took;
}

void columns_cut(const char *s, size_t width, struct text *out)
{
    own_text struct text line = {0};
    columns_clean(s, &line);
    for (size_t i = 0; i < line.len; i++)
        if (line.at[i] == '\n')
            line.at[i] = ' ';
    const char *clean = text_str(&line);
    if (columns_width(clean) <= width) {
        text_add(out, clean);
        return;
    }
    (void)columns_take(clean, width - 1, out);
    text_add(out, "…");
}

struct pen {
    struct text *out;
    size_t at, indent; /* columns */
    bool first;        /* no word on this line yet */
};

static void pen_newline(struct pen *p)
{
    text_addc(p->out, '\n');
    columns_pad(p->indent, p->out);
    p->at = p->indent;
    p->first = true;
}

static void pen_word(struct pen *p, const char *s, size_t n)
{
    size_t width = width_of(s, n);
    if (!p->first && p->at + 1 + width > COLUMNS) {
        pen_newline(p);
    } else if (!p->first) {
        text_addc(p->out, ' ');
        p->at++;
    }
    while (n > 0) {
        size_t len, w = next_width(s, n, &len);
        if (p->at + w > COLUMNS)
            pen_newline(p);
        text_addn(p->out, s, len);
        p->at += w;
        s += len;
        n -= len;
    }
    p->first = false;
}

void columns_wrap(const char *s, size_t at, size_t indent, struct text *out)
{
    own_text struct text clean = {0};
    columns_clean(s, &clean);
    struct pen p = {.out = out, .at = at, .indent = indent, .first = true};
    const char *c = text_str(&clean);
    bool broken = false; /* a newline of the source waits for the word after it */
    while (*c) {
        size_t n = strcspn(c, " \n");
        if (n > 0) {
            if (broken)
                pen_newline(&p);
            broken = false;
            pen_word(&p, c, n);
        }
        c += n;
        broken = broken || *c == '\n';
        c += *c != 0;
    }
    text_addc(out, '\n');
}
