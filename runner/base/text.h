#ifndef FR_BASE_TEXT_H
#define FR_BASE_TEXT_H
/* A growing string. Zeroed is empty and valid; text_done() releases it and leaves it empty. When
 * memory is gone the program ends with one line: the runner can do nothing sensible without it. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *at; /* NUL-terminated once anything was added, else NULL: read it with text_str() */
    size_t len, room;
};

void text_done(struct text *t);
#define own_text __attribute__((cleanup(text_done)))

const char *text_str(const struct text *t); /* never NULL */
char *text_take(struct text *t);            /* the caller owns and frees it; *t is empty after */
void text_clear(struct text *t);
void text_add(struct text *t, const char *s);
void text_addn(struct text *t, const char *s, size_t n);
void text_addc(struct text *t, char c);
void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text *t, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void text_cut(struct text *t, size_t len); /* shortens to len bytes if longer */

/* Adds s quoted for a POSIX shell as a reader would type it: bare where that is safe, else in
 * double quotes (the usual form for a node id), else in single quotes. */
void text_add_quoted(struct text *t, const char *s);

/* Copies s into buf, cut to size - 1 bytes at a UTF-8 border. */
void text_copy(char *buf, size_t size, const char *s);

void *mem_or_die(size_t n); /* zeroed */
void *mem_grow_or_die(void *p, size_t n);
char *str_or_die(const char *s);

/* How alike two words are: the number of single-letter edits (Levenshtein 1966, with the
 * transposition of neighbours counted once); for "did you mean". */
unsigned text_distance(const char *a, const char *b);

bool text_ends(const char *s, const char *tail);
bool text_starts(const char *s, const char *head);

#endif
