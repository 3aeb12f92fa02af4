#ifndef FR_TRIAGE_FAILURE_H
#define FR_TRIAGE_FAILURE_H
/* One failure as a runner of tests tells it, and a run's worth of them. Texts are owned; those that
 * nobody told are NULL. */
#include <stdbool.h>
#include <stddef.h>

#include "base/argv.h"
#include "triage/opinion.h"
#include "triage/rerun.h"

/* Bytes that were left out of a text before we had it. */
struct lost {
    size_t exc_message, traceback, out, err, log;
};

struct failure {
    char *nodeid, *phase, *outcome;
    char *exc_type, *exc_message; /* NULL where there was no exception */
    char *traceback, *out, *err, *log;
    struct lost lost;
    double duration;    /* seconds */
    size_t count;       /* identical ones, this included */
    struct argv select; /* arguments of pytest that run again what it stands for */
    bool judged;        /* `verdict` holds */
    bool by_evidence;   /* it is from reruns, not from a model */
    struct opinion verdict;
    bool looked_into; /* `rerun` holds */
    struct rerun rerun;
};

struct failures {
    struct failure *at;
    size_t n, room;
};

void failure_done(struct failure *f);
void failures_done(struct failures *f);
#define own_failures __attribute__((cleanup(failures_done)))

struct failure *failures_add(struct failures *f); /* zeroed but for count, which is 1 */

/* How much of a text is kept, in bytes, and of which end. */
#define FAILURE_TYPE_MAX      200 /* the beginning, as of the next */
#define FAILURE_MESSAGE_MAX   1000
#define FAILURE_TRACEBACK_MAX 4000 /* the end, as of those below */
#define FAILURE_OUTPUT_MAX    2000

/* Adds at most `max` bytes of s, at the borders of characters; where some are left out,
 * "...[truncated N bytes]..." stands for them. `gone`: bytes that were left out before. Pure. */
struct clip {
    size_t max;
    bool tail; /* keep the end */
    size_t gone;
};
void failure_clip(const char *s, const struct clip *how, struct text *out);

/* What makes two failures the same one: the exception's type and the traceback, addresses and white
 * space aside; without a traceback the node id and the message. Adds the key to *out. */
void failure_key(const struct failure *f, struct text *out);

/* What most tests share first, so that a small budget goes to what explains most; else in the order
 * of the run. Identical ones stand together, `first` of them first. f->n of them; the caller frees.
 */
struct failure_place {
    size_t at, first;
    size_t shared; /* the sum of their counts */
};
struct failure_place *failures_by_weight(const struct failures *f);

/* Whether the traceback, the message or the output speaks of the file. */
bool failure_names(const struct failure *f, const char *file);

/* Leaves one failure of each kind and verdict, the first, which counts the others and selects their
 * tests. */
void failures_merge(struct failures *f);

#endif
