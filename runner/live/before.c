/* Which tests may run before the one under diagnosis: those that did, the rest of its file, the
 * rest of its folder. pytest is asked, by a run that collects and goes. */
#include "live/engine.h"

#include "base/clock.h"
#include "base/own.h"
#include "exec/judge.h"

#include <string.h>

/* Path of the file a node id lies in, or of the folder. */
static void path_of(const char *nodeid, bool folder, struct text *out)
{
    const char *colons = strstr(nodeid, "::");
    size_t n = colons ? (size_t)(colons - nodeid) : strlen(nodeid);
    while (folder && n > 0 && nodeid[n - 1] != '/')
        n--;
    text_addn(out, nodeid, n);
    if (folder && n == 0)
        text_addc(out, '.');
}

static int take_ids(void *ctx, struct event *ev)
{
    struct argv *ids = ctx;
    if (ev->kind != EVENT_COLLECTED)
        return 0;
    argv_copy(ids, &ev->ids);
    return 1;
}

/* What pytest collects there; nothing if it takes too long or fails. */
static int collect(struct engine *g, const char *select, struct argv *ids, struct err *e)
{
    own_observed struct observed o = {0};
    int64_t limit = 4 * g->first_ns > 20 * NS_PER_S ? 4 * g->first_ns : 20 * NS_PER_S;
    if (limit > g->budget_ns / 4)
        limit = g->budget_ns / 4;
    const struct observing how = {.collect = select, .limit_ns = limit};
    if (engine_observe(g, &how, &o, e) < 0)
        return -1;
    return judge_events(o.folder, take_ids, ids, e);
}

/* Adds those that are not known yet: what stands before the test first, then what follows it. */
static void add_new(struct target *t, const struct argv *ids)
{
    for (size_t i = 0; i < ids->n; i++)
        if (strcmp(ids->at[i], t->nodeid) != 0 && !argv_has(&t->before, ids->at[i]))
            argv_add(&t->before, ids->at[i]);
}

static void add_scope(struct target *t, const char *nodeid)
{
    own_text struct text path = {0}, select = {0};
    path_of(nodeid, false, &path);
    target_argument_of(t, text_str(&path), &select);
    if (!argv_has(&t->scope, text_str(&select)))
        argv_add(&t->scope, text_str(&select));
}

void engine_scope(struct target *t)
{
    for (size_t i = 0; i < t->before.n; i++)
        add_scope(t, t->before.at[i]);
}

/* Of the run that the user asked for, or tells of: the tests up to the one under diagnosis. */
static void add_ran(struct target *t)
{
    const struct argv *ran = t->ran.n ? &t->ran : &t->ids;
    for (size_t i = 0; i < ran->n && strcmp(ran->at[i], t->nodeid) != 0; i++)
        argv_add(&t->before, ran->at[i]);
    engine_scope(t);
}

int engine_before(struct source *s, enum before_level level, size_t *ret_n, struct err *e)
{
    struct engine *g = (struct engine *)s;
    struct target *t = g->target;
    if (level == BEFORE_RAN) {
        argv_done(&t->before);
        argv_done(&t->scope);
        add_ran(t);
        *ret_n = t->before.n;
        return 0;
    }
    own_text struct text path = {0}, select = {0};
    own_argv struct argv ids = {0};
    size_t known = t->before.n;
    path_of(t->nodeid, level == BEFORE_FOLDER, &path);
    target_argument_of(t, text_str(&path), &select);
    if (collect(g, text_str(&select), &ids, e) < 0)
        return -1;
    add_new(t, &ids);
    if (t->before.n > known)
        argv_add(&t->scope, text_str(&select));
    *ret_n = t->before.n;
    return 0;
}
