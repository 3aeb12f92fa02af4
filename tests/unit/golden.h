#ifndef GOLDEN_H
#define GOLDEN_H
/* What test_golden.c and its tables of functions share: one case, its inputs by key, and the
 * comparisons with its outputs.  A key that is not there is a failure, and so is an output that was
 * not compared. */
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/gate.h"
#include "stats/interval.h"

struct golden {
    const char *function;
    size_t index;
    double rel, abs;
    struct json_object *in, *out;
    int checked;
    bool failed;
};

struct golden_function {
    const char *name;
    void (*run)(struct golden *g);
};

/* Each ends with a name of NULL. */
extern const struct golden_function golden_rates[], golden_gates[], golden_compare[],
    golden_samples[];

struct json_object *input(struct golden *g, const char *key);
double real(struct golden *g, const char *key);
int64_t count(struct golden *g, const char *key);
const char *word(struct golden *g, const char *key);

double number(struct json_object *value);
size_t length(struct json_object *array);
int64_t count_at(struct json_object *array, size_t i);

/* The list of numbers as an array, which the caller frees. */
double *reals(struct golden *g, const char *key, size_t *ret_n);

/* Memory, zeroed, or the end. */
void *memory(size_t n, size_t size);

/* Compare if the case has such an output. NaN says null; so does -1 of a count. */
void expect(struct golden *g, const char *key, double have);
void expect_count(struct golden *g, const char *key, int64_t have);
void expect_interval(struct golden *g, struct interval have);
void expect_list(struct golden *g, const char *key, const double *have, size_t n);
void expect_word(struct golden *g, const char *key, const char *have); /* NULL: null */

/* A property that the documentation of a function asks for besides its outputs. */
void require(struct golden *g, const char *what, bool holds);

#endif
