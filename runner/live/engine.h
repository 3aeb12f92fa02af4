#ifndef FR_LIVE_ENGINE_H
#define FR_LIVE_ENGINE_H
/* The source that really runs: settings become recipes (axes), recipes become outcomes (exec). */
#include "exec/page.h"
#include "exec/pool.h"
#include "live/layers.h"
#include "live/live.h"
#include "live/locate.h"
#include "search/logged.h"

struct engine {
    struct source base; /* first: a struct source * is a struct engine * */
    struct pool pool;
    struct rundir dir;
    struct place place;
    struct site site;
    struct target *target;
    int64_t wall_ns;  /* when the diagnosis began: what "now" means to the axes */
    int64_t began_ns; /* the same by the monotonic clock: the budget counts from here */
    int64_t first_ns; /* how long the first run took; limits follow from it */
    int64_t budget_ns;
    int64_t limit_ns; /* of the next run */
    struct page first_page;
    char first_folder[TRIAL_PATH_MAX];
    struct layers layers;       /* what processes live in */
    char upper[TRIAL_PATH_MAX]; /* where the watched run's changes go, "" if nowhere */
    bool first_spoke;           /* the plugin was loaded and said something */
    bool first_skipped;         /* a module skipped itself while it was collected */
    struct trial_log log;
    char log_path[512]; /* "" while there is none */
    size_t log_whole;   /* of a log that is gone on with: the bytes that are whole lines */
    bool allow_effects; /* the user knows and wants it so */
    size_t effects;     /* of the first run, for which the target is held */
    struct effect effect[EFFECTS_MAX];
    int first_status; /* as waitpid gives it; -1: ended by the limit */
};
#define ENGINE_NONE ((struct engine){.dir = RUNDIR_NONE, .log = TRIAL_LOG_NONE})

int engine_open(struct engine *g, struct request *q, struct target *t, struct err *e);
void engine_done(struct engine *g);

/* The user's own run, watched: nothing is held. Fills the target (ids, versions, plugins) and
 * first_status; pytest's words are in pool.tail. */
int engine_first(struct engine *g, const char *select, struct err *e);

/* Whether trials in their sandbox come out as the watched run did; where they never do, parts of it
 * are let go until they do. */
int engine_calibrate(struct engine *g, const struct outcome *first, struct err *e);

/* What that run came to for target->nodeid. */
int engine_first_outcome(struct engine *g, struct outcome *ret, struct err *e);

/* From then on trials are of target->nodeid, and none starts when the budget is used up. */
void engine_source(struct engine *g, const struct outcome *first, uint32_t axes, int64_t budget_ns);

/* Which tests may run before it (live/before.c). */
int engine_before(struct source *s, enum before_level level, size_t *ret_n, struct err *e);

/* target->scope for all that is in target->before. */
void engine_scope(struct target *t);

/* Lines by which an axis gets into the test (live/witness.c). */
size_t engine_witness(struct source *s, enum fd_axis a, const struct setting *failing,
                      const struct setting *passing, struct witness *ret, size_t room);

/* Which hooked axes the test's own code touches (live/witness.c); *ret_axes untouched if unknown.
 */
int engine_touches(struct source *s, uint32_t *ret_axes, struct err *e);

/* A recipe for the setting; newer_ns and window are filled in. */
int engine_recipe(struct engine *g, const struct setting *at, struct recipe *ret, struct err *e);

/* How long a run may take when an earlier one took so long. */
int64_t engine_limit(int64_t took_ns);

/* One fresh run of target->nodeid outside the search; its folder is removed with it. */
struct observed {
    char folder[TRIAL_PATH_MAX];
    struct page page;
    int status; /* as waitpid gives it; -1: ended by the limit */
};
void observed_done(struct observed *o);
#define own_observed __attribute__((cleanup(observed_done)))

/* What is asked of it; zeroed is a plain run with nothing held. */
struct observing {
    const struct setting *at; /* NULL: nothing held */
    const char *witness;      /* what the plugin is to note ("draws", "values"), or NULL */
    const char *collect;      /* select this, run nothing; NULL: run the test */
    int64_t limit_ns;
};
int engine_observe(struct engine *g, const struct observing *how, struct observed *ret,
                   struct err *e);

/* n of them, as many at once as the pool has slots in use; the limit is the first one's. */
int engine_observe_all(struct engine *g, const struct observing *how, size_t n,
                       struct observed *ret, struct err *e);

/* What a run's folder and its status (-1: ended by the limit) come to for target->nodeid. Sets
 * *ret, but for what the page holds and the time it took. */
int engine_judge(const struct engine *g, const char *folder, int status, struct outcome *ret,
                 struct err *e);

/* A fresh run of `select` in a trial's folder; borrows all it is given. */
struct launch engine_launch(const struct engine *g, const struct recipe *recipe, const char *folder,
                            const char *select);

/* The pasteable command for the finding, checked by running it; sets finding->repro. */
int engine_repro(struct engine *g, const struct request *q, struct finding *f, struct err *e);

extern volatile int live_stop; /* set by live_interrupt() */

#endif
