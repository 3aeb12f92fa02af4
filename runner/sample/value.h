#ifndef FR_SAMPLE_VALUE_H
#define FR_SAMPLE_VALUE_H
/* What the value of an option or of a mark's argument may be. `from` is its name as the user wrote
 * it, for the error: -1 with ERR_USAGE and, where one can be guessed, what was meant as a hint.
 * Pure; thread-safe. */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sample/config.h"

bool value_is_whole(const char *text, int64_t *ret);
/* An enum's word: its place in the NULL-terminated list. */
int value_word(const char *text, const char *from, const char *const *words, struct err *e);
int value_flag(const char *text, const char *from, bool *ret, struct err *e);
int value_whole(const char *text, const char *from, int64_t least, int64_t *ret, struct err *e);
int value_number(const char *text, const char *from, const char *what, double *ret, struct err *e);
int value_rate(const char *text, const char *from, double *ret, struct err *e); /* in (0, 1) */
int value_prior(const char *text, const char *from, struct prior *ret, struct err *e);

/* The checks alone, of a number that is read already; `shown` is how it was written. */
int value_check_rate(double rate, const char *shown, const char *from, struct err *e);
int value_check_prior(const struct prior *p, const char *shown, const char *from, struct err *e);

/* Adds `did you mean "WORD"?` for the nearest of the NULL-terminated words, if any is near, else
 * all of them. */
void value_hint_word(const char *text, const char *const *words, struct err *e);

#endif
