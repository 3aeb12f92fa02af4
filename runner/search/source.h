#ifndef FR_SEARCH_SOURCE_H
#define FR_SEARCH_SOURCE_H
/* Where trials come from, and all the search knows of the world. Two implementations: live/ runs
 * processes; the tests' scripted source answers from a rule, so that every algorithm here, and its
 * rate of false blame, is tested in microseconds without a Python.
 *
 * The caller of run() fills a batch; outcome i belongs to trial i. Trials start in the order given,
 * several may be under way at once. A warm wish may be run fresh (the outcome says which tier it
 * was). run() returns 0, or -1 when the engine itself failed: a test that fails, hangs or crashes
 * is an outcome, never an error. Single-threaded. */
#include "base/err.h"
#include "model/trial.h"

struct source;

enum before_level { BEFORE_RAN, BEFORE_FILE, BEFORE_FOLDER, BEFORE_LEVELS };

struct source_ops {
    int (*run)(struct source *, const struct trial *batch, size_t n, struct outcome *ret,
               struct err *);
    int64_t (*now_ns)(struct source *); /* monotonic; the budget is counted on it */

    /* The values of an axis, as axes/axis.h has them; `seen` is an ordinary run of the target. */
    bool (*draw)(struct source *, enum fd_axis, uint64_t seed, char *ret_value);
    bool (*recorded)(struct source *, enum fd_axis, const struct outcome *, char *ret_value);
    bool (*provoke)(struct source *, enum fd_axis, const struct outcome *seen, size_t nth,
                    char *ret_value);
    bool (*benign)(struct source *, enum fd_axis, const struct outcome *seen, const char *failing,
                   size_t nth, char *ret_value);
    bool (*plainer)(struct source *, enum fd_axis, const struct outcome *seen, const char *failing,
                    size_t nth, char *ret_value);
    bool (*requirement)(struct source *, enum fd_axis, const char *value);

    /* Tests that may run before the target's, by number (model/before.h): those that ran before it
     * or, level by level, stand near it. *ret_n: how many are known now; a level that has no more
     * leaves it as it was. May be NULL: there are none. */
    int (*before)(struct source *, enum before_level, size_t *ret_n, struct err *);

    /* Of the axes that are hooked: those that the test itself touches, pytest's own clock reads
     * left aside. Costs a run. May be NULL: what the tallies say stands. */
    int (*touches)(struct source *, uint32_t *ret_axes, struct err *);

    /* The lines by which the axis gets into the test: one run that fails, one that passes. May
     * be NULL: nobody is asked. Returns how many lines were found. */
    size_t (*witness)(struct source *, enum fd_axis, const struct setting *failing,
                      const struct setting *passing, struct witness *ret, size_t room);
};

struct source {
    const struct source_ops *ops;
    uint32_t axes;             /* that may be held */
    uint32_t at_start;         /* of these: fixed at process start, the process is the unit */
    uint32_t hooked;           /* of these: touches are counted */
    uint32_t plain;            /* of these: the first benign value says how to mend it ("sorted") */
    uint32_t faces;            /* of these: one cause shows as several failures */
    uint32_t unfit;            /* none of these: asked for, and not to be had for this target */
    unsigned jobs;             /* trials under way at once */
    int64_t warm_ns, fresh_ns; /* what a run costs, roughly: for planning within the budget */
    const char *phase;         /* what trials are run for, told by the search */
    /* run() tells of each trial of a batch as it ends, if somebody wants to know. */
    void (*ended)(void *ctx, size_t i, const struct outcome *);
    void *ended_ctx;
};

#endif
