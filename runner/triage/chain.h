#ifndef FR_TRIAGE_CHAIN_H
#define FR_TRIAGE_CHAIN_H
/* What stands before a provider, from the outside in: the cache (identical failures are asked about
 * once; a hit costs nothing), the breaker (one call that is too late, or two errors in a row, and
 * nobody is asked any more), the budget, the timeout. Whatever happens there is a verdict: what
 * could not be had is unknown/low, with the reason for a hypothesis. */
#include <stdint.h>

#include "triage/provider.h"
#include "triage/redact.h"

struct chain {
    struct provider *provider;
    struct redactor *redactor; /* for the words of errors and of the model; NULL: none */
    int64_t budget;            /* calls that are left */
    int64_t timeout_ns;        /* of one call */
    size_t calls, cached;      /* so far */
    unsigned errors;           /* in a row */
    bool open;                 /* the breaker: nobody is asked any more */
    char *trouble;             /* the last error, or NULL */
    struct remembered *known;
    size_t n, room;
};

void chain_done(struct chain *c); /* the provider and the redactor are the caller's */
#define own_chain __attribute__((cleanup(chain_done)))

/* `nodeid`: without secrets, as is the failure. */
void chain_ask(struct chain *c, const struct failure *f, const char *nodeid, struct opinion *ret);

#endif
