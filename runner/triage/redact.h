#ifndef FR_TRIAGE_REDACT_H
#define FR_TRIAGE_REDACT_H
/* Takes secrets out of text before it is written or sent: "[REDACTED]" stands where one was. In
 * this order: values of the environment (redact_env.h) and secrets within them, private keys (PEM),
 * JWT and JWE, passwords within URLs, Authorization headers, bearer and basic tokens, cookies,
 * signed URLs, values of names that speak of a secret, passwords on command lines, keys whose
 * issuer marks them (AWS, Stripe, Slack, GitHub, GitLab, Google and others), long runs that look
 * drawn at random (redact_rules.c).
 *
 * Best effort: what looks like nothing is not found. It rather takes too much than too little, but
 * paths, hashes of git, ordinary long words and code survive. Takes time in proportion to the text,
 * whatever the text: every pattern is bounded or possessive, and pcre2 has a match limit besides;
 * where that is reached, the rest of the text is taken out. */
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

#define REDACTED "[REDACTED]"

struct redactor; /* not shared between threads */

/* env: as environ; its values are copied. NULL: none. -1 only if pcre2 is unfit. */
int redactor_new(char *const *env, struct redactor **ret, struct err *e);
struct redactor *redactor_free(struct redactor *r); /* NULL */
static inline void own_redactor_free(struct redactor **r)
{
    redactor_free(*r);
}
#define own_redactor __attribute__((cleanup(own_redactor_free)))

/* Adds s without its secrets; r NULL adds it as it is. */
void redact_text(struct redactor *r, const char *s, struct text *out);

/* Adds a node id in which only the part in brackets, where values of arguments live, is looked
 * through. */
void redact_nodeid(struct redactor *r, const char *nodeid, struct text *out);

/* For tests: matching gives up after so many steps. */
void redactor_limit(struct redactor *r, unsigned steps);

#endif
