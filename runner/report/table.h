#ifndef FR_REPORT_TABLE_H
#define FR_REPORT_TABLE_H
/* Rows laid out in columns that are as wide as their widest cell. What stands between a column and
 * the one before it belongs to the column ("[", ", "), and is blank where the cell is missing; a
 * column without any cell is not there at all. No line ends in blanks. Cells are copied, clean. */
#include "report/style.h"

struct column {
    const char *before;
    bool right; /* cells stand to the right */
};

#define TABLE_COLUMNS 10

struct table {
    const struct column *column; /* borrowed */
    size_t columns;
    size_t least; /* columns of the terminal that the first one takes at least */
    struct table_row {
        char *cell[TABLE_COLUMNS];
        char *loose;
        size_t loose_at;
        int paint; /* enum paint, or -1 */
    } *row;
    size_t rows, room;
};

void table_done(struct table *t);
#define own_table __attribute__((cleanup(table_done)))

void table_row(struct table *t, int paint); /* begins one; PAINT_NONE */
#define PAINT_NONE (-1)
/* Sets a cell of the last row; NULL and "" leave it missing. */
void table_cell(struct table *t, size_t column, const char *text);
void table_cellf(struct table *t, size_t column, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The last row ends with this text, which begins where that column does and widens none. */
void table_loose(struct table *t, size_t column, const char *text);

/* What the first column takes. */
size_t table_first(const struct table *t);

void table_print(const struct table *t, const struct style *s, struct text *out);

#endif
