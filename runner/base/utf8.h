#ifndef FR_BASE_UTF8_H
#define FR_BASE_UTF8_H
/* UTF-8 read strictly: no overlong forms, no surrogates, nothing above U+10FFFF. */
#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the code point at the front of the n bytes at s; 0 when they are not UTF-8
 * (or n is 0), and then *ret_point is left alone. */
size_t utf8_next(const char *s, size_t n, uint32_t *ret_point);

#endif
