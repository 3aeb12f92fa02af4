#ifndef FR_SAMPLE_AGGREGATE_H
#define FR_SAMPLE_AGGREGATE_H
/* Many cases as one number: the mean of their fractions, for each function and overall, with an
 * interval from drawing whole cases anew (stats/bootstrap.h), because runs of one input resemble
 * each other. Cases enter in the order of their names, so that the order in which they ran, or the
 * worker that ran them, changes nothing.
 *
 * An interval from fewer than AGGREGATE_FEW inputs covers less often than its level says: about
 * 90 % instead of 95 % from ten. It is printed with that label. */
#include "sample/suite.h"
#include "stats/interval.h"

#define AGGREGATE_FEW 20

/* Why a mean stands without an interval. */
enum suppressed {
    SUPPRESSED_NOT,
    SUPPRESSED_FEW,     /* fewer inputs than --prob-min-inputs */
    SUPPRESSED_STOPPED, /* fractions of cases that stopped lean towards their verdicts */
    SUPPRESSED_ALIKE,   /* all inputs have one value: drawing them anew shows no spread */
    SUPPRESSED_NOTHING, /* no input has a value */
};

struct mean_of { /* NaN where there is none */
    size_t inputs;
    double estimate;
    struct interval ends, normal; /* the normal one for comparison, in the report alone */
    bool bca;                     /* else the plain percentiles */
    enum suppressed why;
    size_t stopped; /* cases among the inputs */
};

struct aggregate {
    const char *name; /* of the function, or "Overall". Borrowed from the suite */
    bool overall;
    struct mean_of mean;
    int64_t runs_least, runs_most;
    double runs_mean;
    double icc;                    /* of runs within inputs, as it comes; NaN: not defined */
    double rho;                    /* the same within [0, 1] */
    double width_factor;           /* of the interval, against one run of each input */
    double more_runs, more_inputs; /* change of the interval's width by doubling: -0.29; NaN */
    double cost;                   /* of doubling either; NaN: no cost was recorded */
    struct mean_of *metric;        /* by config.metric */
    size_t *left_out;              /* inputs with fewer than its k runs */
};

struct aggregates {
    struct aggregate *of; /* functions by name, then overall */
    size_t n, metrics;
};

/* Of the cases that have run. */
void aggregates_of(const struct suite *s, struct aggregates *ret);
void aggregates_done(struct aggregates *a);
#define own_aggregates __attribute__((cleanup(aggregates_done)))

/* Of one case; NaN with fewer than k runs. */
double case_metric(const struct sample_case *c, const struct metric *m);

/* "fewer than 10 inputs" …; NULL where the interval stands. The caller frees it. */
char *suppressed_words(const struct mean_of *m, const struct sample_config *config);

#endif
