#ifndef SAMPLE_WORLD_H
#define SAMPLE_WORLD_H
/* Sampling sessions for tests: cases by name, runs as letters. */
#include "base/text.h"
#include "sample/suite.h"

#include <math.h>
#include <string.h>

static inline struct suite world(void)
{
    struct suite s = {0};
    struct err e;
    sample_config_read(NULL, 0, &s.config, &e);
    return s;
}

static inline struct rule no_rule(const struct suite *s, int64_t runs)
{
    return (struct rule){.bar = BAR_NONE,
                         .min_rate = NAN,
                         .confidence = s->config.confidence,
                         .method = s->config.method,
                         .prior = s->config.prior,
                         .runs = runs,
                         .latency_quantile = s->config.latency_quantile,
                         .max_latency = NAN};
}

static inline struct rule rate_rule(const struct suite *s, int64_t runs, double rate)
{
    struct rule r = no_rule(s, runs);
    r.bar = BAR_RATE;
    r.min_rate = rate;
    return r;
}

static inline struct rule count_rule(const struct suite *s, int64_t runs, int64_t passes)
{
    struct rule r = no_rule(s, runs);
    r.bar = BAR_COUNT;
    r.min_passes = passes;
    return r;
}

static inline struct sample_case *add_case(struct suite *s, const char *name, struct rule rule)
{
    const char *end = strstr(name, "::");
    own_text struct text function = {0}, nodeid = {0};
    text_addn(&function, name, end ? (size_t)(end - name) : strlen(name));
    text_addf(&nodeid, "bench_x.py::bench_%s", name);
    struct sample_case c = {
        .name = str_or_die(name),
        .function = text_take(&function),
        .input = str_or_die(end ? end + 2 : ""),
        .nodeid = text_take(&nodeid),
        .file = str_or_die("bench_x.py"),
        .rule = rule,
    };
    return suite_add(s, &c);
}

/* n runs of one kind: 'P', 'F' or 'E'; each takes `elapsed` and costs `cost` (NaN: nothing). */
static inline void runs(struct sample_case *c, char kind, int64_t n, double elapsed, double cost)
{
    struct sample_run r = {.what = kind == 'P'   ? RUN_PASS
                                   : kind == 'F' ? RUN_FAIL
                                                 : RUN_ERROR,
                           .elapsed = elapsed,
                           .cost = cost};
    for (int64_t i = 0; i < n; i++)
        case_run(c, &r);
}

/* A case that has come to so many passes, failures and errors. */
static inline struct sample_case *counted(struct suite *s, const char *name, struct rule rule,
                                          int64_t pass, int64_t fail, int64_t error)
{
    struct sample_case *c = add_case(s, name, rule);
    runs(c, 'P', pass, .01, NAN);
    runs(c, 'F', fail, .01, NAN);
    runs(c, 'E', error, .01, NAN);
    return c;
}

#endif
