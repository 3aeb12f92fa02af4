#ifndef FR_SAMPLE_CONFIG_H
#define FR_SAMPLE_CONFIG_H
/* What a sampling session was asked for (--prob-…, prob_… in the ini file): texts in, checked
 * values out. Pure; thread-safe. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum method { METHOD_EXACT, METHOD_WILSON, METHOD_BAYES };
enum adjustment { ADJUST_NONE, ADJUST_HOLM, ADJUST_BONFERRONI, ADJUST_BH };
enum stopping { STOP_OFF, STOP_CURTAIL, STOP_SEQUENTIAL };

/* pass^k (hat) or pass@k. */
struct metric {
    bool hat;
    int64_t k;
};

struct prior { /* Beta(a, b) */
    double a, b;
};

#define METRICS_MOST 16
#define FLAKES_MOST  16

struct sample_config {
    int64_t runs;    /* of every case, unless its mark says otherwise */
    bool runs_typed; /* on the command line, where it wins over marks */
    double delay;    /* seconds between runs */
    bool transpose;
    enum method method;
    double confidence; /* two-sided, in (0, 1) */
    struct prior prior;
    bool intervals;  /* show their column */
    double min_rate; /* NaN: no gate for every case */
    bool undecided_passes;
    bool errors_excluded; /* from what a gate counts */
    bool explain;
    int64_t resamples;
    uint64_t seed;
    int64_t min_inputs;
    const char *compare; /* an argument of parametrize, or NULL. Borrowed, as all texts here */
    enum adjustment adjust;
    struct metric metric[METRICS_MOST];
    size_t metrics;
    bool plan;
    double plan_assume;
    double plan_flake[FLAKES_MOST];
    size_t plan_flakes;
    const char *plan_report, *baseline, *json; /* paths, or NULL */
    double margin;                             /* NaN: report only */
    bool latency;
    double latency_quantile;
    enum stopping stop;
    bool gate_items;
    bool isolate;       /* each run in a forked child: asked for, or for tests, or for timeout */
    bool isolate_bench; /* the same for benchmark files alone, where tests are no reason */
    bool tests;         /* ordinary test_* functions too */
    double timeout;     /* seconds for one run; NaN: none */
    bool diagnose;      /* run the diagnosis of each FLAKY row */
};

/* One option as it was given: `name` without "prob-" ("min-rate"), `from` as the user wrote it
 * ("--prob-min-rate", "prob_min_rate"), for what is said about it. */
struct sample_option {
    const char *name, *value, *from;
};

/* Starts from the defaults, then applies each, in order. -1 with ERR_USAGE, the option named and
 * what it takes as a hint. The texts in `option` must outlive *ret. */
int sample_config_read(const struct sample_option *option, size_t n, struct sample_config *ret,
                       struct err *e);

const char *method_name(enum method m);                           /* "exact" … */
const char *adjustment_name(enum adjustment a);                   /* "none" … */
const char *stopping_name(enum stopping s);                       /* "off" … */
void metric_name(const struct metric *m, char *buf, size_t size); /* "pass^3" */

#endif
