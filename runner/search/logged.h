#ifndef FR_SEARCH_LOGGED_H
#define FR_SEARCH_LOGGED_H
/* A source before another one: what the log knows is answered from it, what is run is appended to
 * it. All draws follow from the master seed, so a search that was killed asks the same questions
 * again, and goes on where the answers end: the clock it sees is the one it saw then. */
#include "model/trial_log.h"
#include "search/source.h"

struct logged {
    struct source base;    /* first */
    struct source_ops ops; /* of it */
    struct source *inner;
    struct trial_log *log; /* borrowed */
    const char *nodeid;    /* borrowed */
    int64_t virtual_ns;    /* the clock while the log answers; when it ended then */
    int64_t inner_ns;      /* the inner clock where it takes over */
    bool live;             /* something was run */
};

/* `log` may have entries (a diagnosis is resumed) or none. */
void logged_init(struct logged *l, struct source *inner, struct trial_log *log, const char *nodeid);

/* What the log holds of this test: the user's own run, and how long the search took. False: there
 * is nothing. */
bool logged_first(const struct trial_log *log, const char *nodeid, struct outcome *ret_first,
                  int64_t *ret_used_ns);

#endif
