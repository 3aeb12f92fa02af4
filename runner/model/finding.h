#ifndef FR_MODEL_FINDING_H
#define FR_MODEL_FINDING_H
/* The conclusion of a diagnosis and everything it rests on: what search/ writes and report/ reads.
 * Words and fields are those of the JSON report (docs/report.md, docs/report.schema.json). */
#include "model/concurrency.h"
#include "model/evidence.h"
#include "model/target.h"

enum verdict {
    VERDICT_NONE,
    VERDICT_FLAKY,        /* "flaky-<axis>" */
    VERDICT_UNATTRIBUTED, /* "flaky-unattributed" */
    VERDICT_DETERMINISTIC,
    VERDICT_HANG,
    VERDICT_NOT_FLAKY,
    VERDICT_SKIPPED,
    VERDICT_USAGE,
    VERDICT_NO_TESTS,
    VERDICT_HELD,
    VERDICT_INCOMPLETE,
};

enum claim { CLAIM_NONE, CLAIM_OBSERVED, CLAIM_LATENT };
enum strength { STRENGTH_NONE, STRENGTH_ALWAYS, STRENGTH_ELEVATES, STRENGTH_UNCONFIRMED };

#define CAUSES_MAX  4
#define WITNESS_MAX 8

struct cause {
    enum fd_axis axis;
    char value[SETTING_VALUE_MAX];  /* with it the test fails */
    char benign[SETTING_VALUE_MAX]; /* with it the test passes */
    struct argv tests;              /* of `order`: those that run before it in the one or other */
    size_t witnesses;
    struct witness witness[WITNESS_MAX];
};

struct seen_print { /* one kind of failure and how often it was seen */
    struct fingerprint print;
    char message[224];
    unsigned count;
};
#define PRINTS_MAX 8

struct baseline {
    unsigned runs, failed;
    double rate, low, high;       /* two-sided 95 % */
    unsigned units, units_failed; /* what the rate counts: runs, or processes */
    bool by_process;              /* the unit: outcomes were constant within each process */
    unsigned processes;           /* processes that contributed (draws of what is fixed at start) */
    size_t prints;
    struct seen_print print[PRINTS_MAX]; /* most frequent first */
    int64_t median_ns;
};

struct skipped_axis {
    enum fd_axis axis;
    char reason[96];
};

struct requirement { /* what the test needs of its machine: not a flake */
    enum fd_axis axis;
    char value[SETTING_VALUE_MAX];
    char exception[96];
    char site[224];
};
#define REQUIREMENTS_MAX 8

struct effect {     /* of the first run, on the world outside */
    char kind[12];  /* "outside", "program", "written", "removed" */
    char what[200]; /* address, command, path */
};
#define EFFECTS_MAX 16

struct repro {
    char *command; /* pasteable; NULL: there is none */
    struct setting setting;
    struct argv order; /* tests that run in this order, the one under diagnosis last; or none */
    char *blob;        /* "fd1:…" */
    char *marker;      /* "@pytest.mark.flakedoctor_repro(…)", or NULL: the test takes none */
};

struct finding {
    enum verdict verdict;
    enum claim claim;
    enum strength strength;
    struct text headline, explanation;
    size_t causes;
    struct cause cause[CAUSES_MAX];
    struct baseline baseline;
    struct evidence evidence;
    size_t skipped;
    struct skipped_axis axis_skipped[FD_AXIS_COUNT];
    size_t requirements;
    struct requirement requirement[REQUIREMENTS_MAX];
    size_t effects; /* for which the test is held */
    struct effect effect[EFFECTS_MAX];
    struct {
        unsigned runs, failed;
        double low;
    } verify; /* low: one-sided 95 % */
    struct {
        char value[SETTING_VALUE_MAX];
        unsigned runs, failed;
    } counterfactual;
    struct fingerprint print; /* of the failure that the cause provokes */
    char message[224];
    struct text stack; /* where a hang stood */
    struct repro repro;
    struct argv warnings;
    struct argv layers; /* "preload", … */
    struct {
        unsigned trials, warm, fresh;
        double seconds;
    } stats;
    bool interrupted;
    bool unfinished;                 /* the budget ended before all was tried that may decide it */
    struct concurrency *concurrency; /* of --profile concurrency; owned; NULL: another search */
    uint64_t seed;                   /* master seed of the draws */
};

void finding_done(struct finding *f);
#define own_finding __attribute__((cleanup(finding_done)))

void finding_warn(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void finding_skip(struct finding *f, enum fd_axis a, const char *reason);

/* "flaky-hashseed", "flaky-rng+time", "not-flaky" … */
void finding_verdict(const struct finding *f, struct text *out);

/* Adds a failure to the kinds seen; keeps the most frequent first. */
void baseline_note(struct baseline *b, const struct outcome *o);

#endif
