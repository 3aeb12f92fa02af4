#ifndef FR_TRIAGE_TRIAGE_H
#define FR_TRIAGE_TRIAGE_H
/* A run's failures, from what a runner of tests told to a report: secrets out, texts cut, verdicts
 * asked for, each identical failure once. */
#include "triage/config.h"
#include "triage/failed.h"
#include "triage/failure.h"
#include "triage/provider.h"

struct triage {
    struct triage_config config;
    struct provider_setup setup; /* name: that of config */
    struct failures failures;
    struct failed_counts counts;
    bool evidenced; /* they were run again before triage_run(), as far as the budget went */
    /* Results of triage_run(). */
    bool asked; /* there was a provider */
    double seconds;
    size_t calls, cached;
    char *model;   /* NULL: none */
    char *trouble; /* what kept the provider from answering, NULL: nothing */
};

void triage_done(struct triage *t);
#define own_triage __attribute__((cleanup(triage_done)))

/* What is wrong with the options that does not stop the run: adds a sentence each. Where the
 * provider is unknown, triage is off afterwards. -1 with ERR_USAGE where a variable is missing that
 * the provider needs. */
int triage_check(struct triage *t, struct argv *warnings, struct err *e);

/* -1 only where redaction cannot be had: nothing may be told then. */
int triage_run(struct triage *t, struct err *e);

/* The summary for the end of a run: "" where there was no triage or no failure. */
void triage_summary(const struct triage *t, struct text *out);

#endif
