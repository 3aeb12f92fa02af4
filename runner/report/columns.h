#ifndef FR_REPORT_COLUMNS_H
#define FR_REPORT_COLUMNS_H
/* Text laid out in terminal columns. Node ids, messages and stacks come from the test, so nothing
 * of theirs is copied raw: what is not printable UTF-8 is shown as '?', and no escape sequence of
 * a test can reach the reader's terminal.
 *
 * Widths: 0 for combining marks, 2 for East Asian wide characters and emoji, 1 for the rest. */
#include <stddef.h>

#include "base/text.h"

#define COLUMNS 72

/* Adds s with every unprintable byte or code point as '?'; newlines stay, tabs become blanks. */
void columns_clean(const char *s, struct text *out);

size_t columns_width(const char *s); /* of text that is clean */

/* Adds s, clean and on one line, in at most `width` columns; what is cut ends in "…". */
void columns_cut(const char *s, size_t width, struct text *out);

void columns_pad(size_t n, struct text *out); /* n blanks */

/* Adds s broken into lines of at most COLUMNS. The pen stands in column `at` already; further
 * lines start in column `indent`. Words wider than a line are broken. Ends with a newline. */
void columns_wrap(const char *s, size_t at, size_t indent, struct text *out);

/* The same for one narrower column of a table: the first `width` columns of s are added, and the
 * number of bytes taken is returned. s must be clean. */
size_t columns_take(const char *s, size_t width, struct text *out);

#endif
