#ifndef FR_TRIAGE_OPINION_H
#define FR_TRIAGE_OPINION_H
/* What a failure is taken for. The words are the machine's: they stay English whatever language the
 * sentences are in. Texts are written by a model that read a traceback, so they are never trusted:
 * opinion_say() lets through printable UTF-8 on one line, and no more than so many bytes of it. */
#include <stdbool.h>

#include "base/text.h"

enum category {
    CATEGORY_REGRESSION,
    CATEGORY_FLAKY,
    CATEGORY_ENV,
    CATEGORY_TEST_BUG,
    CATEGORY_UNKNOWN,
    CATEGORY_COUNT
};
enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH, CONFIDENCE_COUNT };

struct opinion {
    enum category category;
    enum confidence confidence;
    char *hypothesis; /* owned; never NULL once it was said */
    char *fix;        /* owned; NULL: none is suggested */
};

#define OPINION_HYPOTHESIS_MAX 500 /* bytes */
#define OPINION_FIX_MAX        1000

extern const char *const category_words[CATEGORY_COUNT];
extern const char *const confidence_words[CONFIDENCE_COUNT];

void opinion_done(struct opinion *v);
#define own_opinion __attribute__((cleanup(opinion_done)))

/* What is not among the words: unknown, low. NULL is no word. */
enum category category_of(const char *word);
enum confidence confidence_of(const char *word);

/* Sets both texts, cleaned and cut; `fix` may be NULL. */
void opinion_say(struct opinion *v, const char *hypothesis, const char *fix);

/* unknown/low, with the reason for a hypothesis. */
void opinion_unknown(struct opinion *v, const char *reason);

void opinion_copy(struct opinion *to, const struct opinion *from);

/* Adds s without escape sequences, control and invisible direction characters; newlines and tabs
 * become blanks, bytes that are no UTF-8 U+FFFD. What is beyond `max` bytes is cut at a character's
 * border and ends in "...". Pure. */
void opinion_clean(const char *s, size_t max, struct text *out);

#endif
