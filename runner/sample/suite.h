#ifndef FR_SAMPLE_SUITE_H
#define FR_SAMPLE_SUITE_H
/* The cases of a sampling session and what their runs came to. One thread at a time.
 *
 * Bounded: of a run only its class, its time and its costs are kept; whole records go to the
 * journal (journal.h) as they come. All texts in here are owned. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample/config.h"
#include "sample/mark.h"

enum run_class { RUN_PASS, RUN_FAIL, RUN_ERROR };

struct usage { /* of one model */
    char *model;
    int64_t input, output, cached; /* tokens */
    double cost;
};
struct usages {
    struct usage *of;
    size_t n;
};
/* Adds to the model's entry, or makes one: in order of first appearance. */
void usages_add(struct usages *u, const char *model, int64_t input, int64_t output, int64_t cached,
                double cost);
void usages_done(struct usages *u);

struct parameter { /* of parametrize: the argument's name, and its part of the id */
    char *name, *value;
};

struct sample_case {
    char *name;     /* "classify::identify_pii", unique in the session */
    char *function; /* "classify", unique too */
    char *input;    /* the case's id within its function; "" for one without parameters */
    char *nodeid;   /* of its runs, without [runN]: what a diagnosis is asked about */
    char *file;     /* relative to the root */
    struct parameter *parameter;
    size_t parameters;
    int64_t index; /* in the order of collection; all 0: in the order in which they came */
    struct rule rule;

    int64_t pass, fail, error;
    int64_t cut;         /* runs that were left out because the verdict was certain */
    double *elapsed;     /* seconds, of all runs that were timed, in the order they ended */
    bool *elapsed_error; /* that run errored */
    size_t timed, timed_room;
    double cost;
    bool costs; /* one that is not 0 was recorded */
    struct usages usages;
};

struct sample_function {
    char *name;
    struct compare_rule compare;
    size_t *of; /* indices of its cases, in the order of collection */
    size_t n, room;
};

struct suite {
    struct sample_config config;
    const char *cwd, *rootdir; /* where pytest stands, what node ids start from. Borrowed; NULL:
                                * the same */
    struct sample_case *of;    /* in the order of collection, or of first appearance */
    size_t n, room;
    struct sample_function *function; /* the same */
    size_t functions, functions_room;
    struct suite_index { /* by name: suite.c */
        size_t *slot;    /* 1 + index, or 0 for an empty one */
        size_t slots;    /* a power of two, at least twice as many as are taken */
    } cases_by_name, functions_by_name;
};

void suite_done(struct suite *s);
#define own_suite __attribute__((cleanup(suite_done)))

/* The case of that name, or NULL; the time does not grow with the number of cases. Pointers to
 * cases and functions are good until the next suite_add(). */
struct sample_case *suite_find(const struct suite *s, const char *name);
/* Takes *c over; one of the same name is there already: that one stays (its counts too), with the
 * rule of the new one. Returns the case within the suite. */
struct sample_case *suite_add(struct suite *s, struct sample_case *c);
/* Puts cases, and functions by their first ones, into the order of their `index`; those that have
 * the same stay as they came. On the controller of xdist they come in any order. */
void suite_sort(struct suite *s);
/* The function of that name, or NULL. */
struct sample_function *suite_function(const struct suite *s, const char *name);
void case_done(struct sample_case *c);

struct sample_run {
    enum run_class what;
    double elapsed; /* seconds; NaN: nobody knows, it took its process with it */
    double cost;    /* record_cost alone, NaN: none; what usages cost comes on top */
    const struct usage *usage;
    size_t usages;
};
void case_run(struct sample_case *c, const struct sample_run *r);

static inline int64_t case_total(const struct sample_case *c)
{
    return c->pass + c->fail + c->error;
}
/* Stopped early. */
static inline bool case_cut(const struct sample_case *c)
{
    return c->cut > 0;
}

#endif
