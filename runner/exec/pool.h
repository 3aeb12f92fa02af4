#ifndef FR_EXEC_POOL_H
#define FR_EXEC_POOL_H
/* Runs trials, as many at once as there are slots, fresh and warm behind one door. Single-threaded:
 * one poll loop over all that is under way. Nothing it started outlives pool_done(). */
#include "exec/rundir.h"
#include "exec/spawn.h"
#include "exec/warm.h"
#include "model/trial.h"

#define POOL_SLOTS 2

struct order { /* one run that is wanted */
    struct recipe *recipe;
    const char *key; /* of what is fixed at process start: equal keys may share a warm process */
    enum tier tier;
    unsigned spare;   /* process ids to use up first */
    int64_t limit_ns; /* a run that takes longer is a hang */
};

struct slot;
struct pool {
    const struct target *target;
    const struct site *site;
    struct rundir *dir;
    struct slot *slot;   /* POOL_SLOTS of them */
    unsigned jobs;       /* slots in use: 1 or 2 */
    char no_warm[160];   /* why there is no warm tier, "" while there is one */
    bool no_warm_scope;  /* none with other tests before it */
    int64_t warming_ns;  /* what starting a warm process took the last time; 0: none was */
    int64_t warm_ns;     /* what the last warm run took */
    struct text stack;   /* Python stacks of the last hang or crash */
    struct text tail;    /* last output of the last fresh run */
    int64_t deadline_ns; /* no run is started after it: it comes back as not run; 0: none */
    void (*ended)(void *ctx, size_t i, const struct outcome *); /* of each order; or NULL */
    void *ended_ctx;
    volatile int *stop; /* set by a signal handler: give up with ERR_INTERRUPT */
};

void pool_init(struct pool *p, const struct target *t, const struct site *s, struct rundir *d);
int pool_run(struct pool *p, const struct order *orders, size_t n, struct outcome *ret,
             struct err *e);

/* Fresh runs of whatever each `select` selects, side by side, with nothing judged: the events stay
 * in the folders, which are the caller's to remove. n: at most jobs of them. ret_status[i] as
 * waitpid gives it; -1 there: ended by the limit. */
int pool_run_raw(struct pool *p, const struct launch *l, size_t n, int64_t limit_ns,
                 int *ret_status, struct err *e);

void pool_cool(struct pool *p); /* ends the warm processes */
void pool_done(struct pool *p);

#endif
