#ifndef FD_TEXT_H
#define FD_TEXT_H
/* The few text operations that hooks need: no allocation, no locale, no libc (a sanitizer's
 * interceptors of strlen and memcpy may not be ready when we are first called). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t fd_text_len(const char *s);
bool fd_text_equal(const char *a, const char *b);
bool fd_text_equal_n(const char *a, const char *b, size_t n); /* n bytes, "A" as "a" */
bool fd_text_starts(const char *s, const char *with);
bool fd_text_ends(const char *s, size_t len, const char *with);
const char *fd_text_find(const char *s, const char *what); /* NULL if absent */
const char *fd_text_base(const char *path);                /* after the last slash */
void fd_copy(void *to, const void *from, size_t n);
void fd_move(void *to, const void *from, size_t n); /* the two may overlap */
uint64_t fd_text_hash(const char *s, size_t n); /* FNV-1a: keys streams, so it must never change */

/* The value of NAME in an environment, or NULL. */
const char *fd_text_env(char *const *envp, const char *name);

/* A growing text in a caller's buffer; what does not fit is cut, always ends in NUL. */
struct fd_line {
    char *at;
    size_t size, len;
};
void fd_line_text(struct fd_line *l, const char *s);
void fd_line_number(struct fd_line *l, int64_t n);
void fd_line_hex(struct fd_line *l, uint64_t n);

/* A decimal or 0x number that fills the whole text. Returns 0, or -1 with *ret untouched. */
int fd_text_u64(const char *s, uint64_t *ret);

#endif
