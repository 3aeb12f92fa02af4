#include "report/table.h"

#include "base/own.h"
#include "report/columns.h"

#include <string.h>

void table_done(struct table *t)
{
    for (size_t i = 0; i < t->rows; i++) {
        for (size_t c = 0; c < TABLE_COLUMNS; c++)
            free(t->row[i].cell[c]);
        free(t->row[i].loose);
    }
    free(t->row);
    *t = (struct table){0};
}

void table_row(struct table *t, int paint)
{
    if (t->rows == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->row = mem_grow_or_die(t->row, t->room * sizeof *t->row);
    }
    t->row[t->rows++] = (struct table_row){.paint = paint};
}

/* On one line, and nothing in it that could move the cursor. */
static char *cleaned(const char *text)
{
    own_text struct text clean = {0};
    columns_clean(text, &clean);
    for (char *s = clean.at; *s; s++)
        if (*s == '\n')
            *s = ' ';
    return text_take(&clean);
}

void table_cell(struct table *t, size_t column, const char *text)
{
    char **cell = &t->row[t->rows - 1].cell[column];
    free(*cell);
    *cell = text && *text ? cleaned(text) : NULL;
}

void table_loose(struct table *t, size_t column, const char *text)
{
    struct table_row *r = &t->row[t->rows - 1];
    free(r->loose);
    r->loose = text && *text ? cleaned(text) : NULL;
    r->loose_at = column;
}

void table_cellf(struct table *t, size_t column, const char *fmt, ...)
{
    own_text struct text text = {0};
    va_list ap;
    va_start(ap, fmt);
    text_addv(&text, fmt, ap);
    va_end(ap);
    table_cell(t, column, text_str(&text));
}

static void print_row(const struct table *t, const struct table_row *r,
                      const size_t width[TABLE_COLUMNS], struct text *out)
{
    size_t blank = 0; /* owed before the next cell */
    for (size_t c = 0; c < t->columns; c++) {
        const struct column *col = &t->column[c];
        if (r->loose && r->loose_at == c) {
            columns_pad(blank, out);
            text_add(out, col->before);
            text_add(out, r->loose);
            return;
        }
        if (width[c] == 0)
            continue;
        if (!r->cell[c]) {
            blank += columns_width(col->before) + width[c];
            continue;
        }
        size_t pad = width[c] - columns_width(r->cell[c]);
        columns_pad(blank, out);
        text_add(out, col->before);
        columns_pad(col->right ? pad : 0, out);
        text_add(out, r->cell[c]);
        blank = col->right ? 0 : pad;
    }
}

static void widen(const struct table *t, size_t c, size_t *width)
{
    for (size_t i = 0; i < t->rows; i++) {
        size_t w = t->row[i].cell[c] ? columns_width(t->row[i].cell[c]) : 0;
        if (w > *width)
            *width = w;
    }
}

size_t table_first(const struct table *t)
{
    size_t width = t->least;
    widen(t, 0, &width);
    return width;
}

void table_print(const struct table *t, const struct style *s, struct text *out)
{
    size_t width[TABLE_COLUMNS] = {table_first(t)};
    for (size_t c = 1; c < t->columns; c++)
        widen(t, c, &width[c]);
    for (size_t i = 0; i < t->rows; i++) {
        own_text struct text line = {0};
        print_row(t, &t->row[i], width, &line);
        if (t->row[i].paint == PAINT_NONE)
            text_add(out, text_str(&line));
        else
            paint(s, (enum paint)t->row[i].paint, text_str(&line), out);
        text_addc(out, '\n');
    }
}
