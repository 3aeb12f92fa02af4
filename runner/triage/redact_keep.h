#ifndef FR_TRIAGE_REDACT_KEEP_H
#define FR_TRIAGE_REDACT_KEEP_H
/* What a pattern found and is no secret all the same: n bytes at s. Pure. */
#include <stdbool.h>
#include <stddef.h>

bool keep_none(const char *s, size_t n);     /* lower case, where a key is upper */
bool keep_scheme(const char *s, size_t n);   /* behind "bearer" or "basic": a word of a sentence */
bool keep_value(const char *s, size_t n);    /* assigned: a constant, a type, a call */
bool keep_sentence(const char *s, size_t n); /* several words: the first of them is such a value */
bool keep_option(const char *s, size_t n);   /* behind "--token": the same */
bool keep_header(const char *s, size_t n);   /* behind "authorization": a scheme alone */
bool keep_name(const char *s, size_t n);     /* behind "signature=": a name in code */
bool keep_number(const char *s, size_t n);   /* behind "-u 1000:" */
bool keep_ordinary(const char *s, size_t n); /* a long run: a hash, a path, words; not random */

#endif
