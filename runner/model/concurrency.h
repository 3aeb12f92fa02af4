#ifndef FR_MODEL_CONCURRENCY_H
#define FR_MODEL_CONCURRENCY_H
/* What the experiment over worker counts came to: conditions, candidates, and what became of them.
 * Written by search/, read by report/. Plain data; percentages are 0 to 100, p and rates 0 to 1. */
#include <stdbool.h>
#include <stddef.h>

#define CONDITIONS_MAX 8
#define CANDIDATES_TOP 3
#define REPETITIONS    3

struct counts { /* of runs; one that hangs or does not come to the test is unknown */
    unsigned passed, failed, unknown;
    unsigned trials, trials_failed; /* of so many at once: one that fails, and all of it failed */
};

enum condition_type { CONDITION_WORKER, CONDITION_TIMING, CONDITION_MODE };
enum signal_word { SIGNAL_NONE, SIGNAL_WEAK, SIGNAL_STRONG };
enum standing { STANDING_OPEN, STANDING_REJECTED, STANDING_WEAK, STANDING_CONFIRMED };

struct condition {
    enum condition_type type;
    unsigned workers, delay_ms; /* delay: from one start to the next */
    bool xdist;                 /* the workers of pytest-xdist */
    int same_as;                /* the condition whose runs these are; -1: its own */
    int reference;              /* the condition it is compared with; -1: it is the baseline */
    struct counts n;
    double rate_low, rate_high;       /* 95 %, two-sided */
    double delta_pp, low_pp, high_pp; /* against the reference, with a 95 % interval */
    double p, p_adjusted;             /* Fisher's, one-sided, and by Holm; negative: not asked */
    enum signal_word signal;
};

struct stage { /* a candidate put to the test with new runs, several times over */
    bool ran;
    struct counts n, reference;
    double delta_pp[REPETITIONS];
    double mean_pp;
    double consistency;   /* percent of the repetitions in which it failed more often */
    double p, p_adjusted; /* exact permutation of blocks of runs, one-sided, and by Holm */
    enum standing standing;
};

struct ranked {
    int condition;
    double score;
    struct stage confirmation, reproduction;
};

struct concurrency {
    size_t conditions;
    struct condition condition[CONDITIONS_MAX]; /* the first is the baseline: one worker */
    size_t candidates;
    struct ranked candidate[CANDIDATES_TOP]; /* best first */
    double trend_p;  /* exact, increasing with the number of workers; negative: not asked */
    unsigned block;  /* runs in a block */
    bool unfinished; /* the budget or the user ended it */
    bool flaky;      /* the status: FLAKY or STABLE */
};

unsigned counts_judged(const struct counts *n); /* passed and failed */
unsigned counts_total(const struct counts *n);  /* passed, failed and unknown */
double counts_rate(const struct counts *n);     /* of those judged; 0 where there are none */
void counts_add(struct counts *to, const struct counts *more);

/* "8 workers", "10 ms", "Parallel / 4"; and the type: "Worker". */
void condition_name(const struct condition *c, char *buf, size_t size);
const char *condition_type_word(enum condition_type t);
const char *signal_word(enum signal_word s);          /* "STRONG" */
const char *confirmation_word(enum standing s);       /* "REPEATEDLY OBSERVED" */
const char *reproduction_word(const struct stage *s); /* "REPRODUCED" */
const char *rate_word(double percent);                /* "Low Flakiness" */

#endif
