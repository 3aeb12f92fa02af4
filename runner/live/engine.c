#include "live/engine.h"

#include "axes/axis.h"
#include "base/clock.h"
#include "base/own.h"
#include "exec/judge.h"
#include "exec/page.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_MOST_NS  (120 * NS_PER_S)
#define FIRST_LEAST_NS (5 * NS_PER_S) /* pytest itself may need some seconds to start */

volatile int live_stop;

void live_interrupt(void)
{
    live_stop = 1;
}

int engine_open(struct engine *g, const struct request *q, struct target *t, struct err *e)
{
    *g = ENGINE_NONE;
    g->target = t;
    g->budget_ns = q->budget_ns;
    g->wall_ns = clock_wall_ns();
    if (locate_parts(&g->place, e) < 0 || locate_agree(&g->place, e) < 0 ||
        locate_pytest(q->python, &g->place, e) < 0)
        return -1;
    g->site = (struct site){.lib = g->place.lib, .plugin = g->place.plugin};
    argv_copy(&t->command, &g->place.command);
    argv_copy(&t->say, &g->place.say);
    if (q->args)
        argv_copy(&t->args, q->args);
    t->cwd = getcwd(NULL, 0);
    if (!t->cwd)
        return err_sys(e, "finding the current folder");
    if (rundir_open(&g->dir, e) < 0)
        return -1;
    pool_init(&g->pool, t, &g->site, &g->dir);
    g->pool.stop = &live_stop;
    return 0;
}

void engine_done(struct engine *g)
{
    page_done(&g->first_page);
    pool_done(&g->pool);
    rundir_done(&g->dir);
    place_done(&g->place);
}

int engine_recipe(struct engine *g, const struct setting *at, struct recipe *ret, struct err *e)
{
    *ret = (struct recipe){.page = {.pytest = 1, .newer_ns = g->wall_ns, .die_with_parent = 1}};
    return axes_apply(at, ret, e);
}

static int take_first(void *ctx, struct event *ev)
{
    struct engine *g = ctx;
    struct target *t = g->target;
    g->first_spoke = true;
    g->first_skipped |= ev->kind == EVENT_COLLECT_SKIP;
    if (ev->kind != EVENT_COLLECTED)
        return 0;
    t->ids = ev->ids;
    t->plugins = ev->plugins;
    t->rootdir = ev->rootdir;
    t->python = ev->python;
    t->pytest = ev->pytest;
    ev->ids = ev->plugins = (struct argv){0}; /* moved */
    ev->rootdir = ev->python = ev->pytest = NULL;
    return 1;
}

struct launch engine_launch(const struct engine *g, const struct recipe *recipe,
                            const char *folder, const char *select)
{
    return (struct launch){.target = g->target,
                           .site = &g->site,
                           .recipe = recipe,
                           .folder = folder,
                           .rundir = g->dir.path,
                           .channel = -1,
                           .select = select};
}

int engine_first(struct engine *g, const char *select, struct err *e)
{
    own_recipe struct recipe recipe = {0};
    const struct setting nothing = {0};
    if (engine_recipe(g, &nothing, &recipe, e) < 0 ||
        rundir_trial(&g->dir, g->first_folder, e) < 0 ||
        page_create(g->first_folder, &recipe.page, &g->first_page, e) < 0)
        return -1;
    const struct launch l = engine_launch(g, &recipe, g->first_folder, select);
    int64_t limit = g->budget_ns / 4, began = clock_mono_ns();
    if (limit > FIRST_MOST_NS)
        limit = FIRST_MOST_NS;
    if (limit < FIRST_LEAST_NS)
        limit = FIRST_LEAST_NS;
    if (pool_run_raw(&g->pool, &l, limit, &g->first_status, e) < 0)
        return -1;
    g->first_ns = clock_mono_ns() - began;
    return judge_events(g->first_folder, take_first, g, e);
}

int engine_first_outcome(struct engine *g, const char *nodeid, struct outcome *ret, struct err *e)
{
    const struct ending how = {.status = g->first_status == -1 ? 0 : g->first_status,
                               .by_deadline = g->first_status == -1,
                               .stack = text_str(&g->pool.stack),
                               .rootdir = g->target->rootdir};
    *ret = (struct outcome){.tier = TIER_FRESH};
    page_read(&g->first_page, ret);
    ret->took_ns = g->first_ns;
    return judge_trial(g->first_folder, nodeid, &how, ret, e);
}
