#ifndef FR_TRIAGE_REDACT_RULES_H
#define FR_TRIAGE_REDACT_RULES_H
/* What secrets look like where no variable names them, in the order in which they are looked for.
 * Every pattern is bounded or possessive, so that none takes longer than its text is long. */
#include <stdbool.h>
#include <stddef.h>

struct redact_rule {
    const char *pattern;                   /* of pcre2, caseless; the secret is group 1, or all */
    bool (*keep)(const char *s, size_t n); /* finds it harmless; NULL: it never is */
};

#define REDACT_RULES 36
extern const struct redact_rule redact_rules[REDACT_RULES];

#endif
