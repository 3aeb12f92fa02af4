#include "live/engine.h"

#include "axes/axis.h"
#include "base/clock.h"
#include "base/own.h"
#include "exec/judge.h"
#include "exec/page.h"

#include <stdlib.h>
#include <string.h>

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
    if (locate_parts(&g->place, e) < 0 || locate_pytest(q->python, &g->place, e) < 0)
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

/* What is fixed at process start, as text: equal keys may share a warm process. */
static void process_key(const struct setting *at, uint32_t at_start, char *key)
{
    struct setting fixed = *at;
    fixed.held &= at_start;
    own_text struct text t = {0};
    setting_text(&fixed, &t);
    text_copy(key, SETTING_VALUE_MAX, text_str(&t));
}

static int run(struct source *s, const struct trial *batch, size_t n, struct outcome *ret,
               struct err *e)
{
    struct engine *g = (struct engine *)s;
    own_mem struct order *orders = mem_or_die(n * sizeof *orders);
    own_mem struct recipe *recipes = mem_or_die(n * sizeof *recipes);
    own_mem char(*keys)[SETTING_VALUE_MAX] = mem_or_die(n * sizeof *keys);
    int did = 0;
    for (size_t i = 0; i < n && did == 0; i++) {
        did = engine_recipe(g, &batch[i].at, &recipes[i], e);
        process_key(&batch[i].at, s->at_start, keys[i]);
        orders[i] = (struct order){.recipe = &recipes[i], .key = keys[i], .tier = batch[i].tier,
                                   .spare = batch[i].spare, .limit_ns = g->limit_ns};
    }
    if (did == 0)
        did = pool_run(&g->pool, orders, n, ret, e);
    for (size_t i = 0; i < n; i++)
        recipe_done(&recipes[i]);
    return did;
}

static int64_t now_ns(struct source *s)
{
    (void)s;
    return clock_mono_ns();
}

static struct axis_view view_of(struct source *s, const struct outcome *seen)
{
    return (struct axis_view){.seen = seen, .now_ns = ((struct engine *)s)->wall_ns};
}

static bool draw(struct source *s, enum fd_axis a, uint64_t seed, char *ret_value)
{
    (void)s;
    if (!axes[a]->draw)
        return false;
    axes[a]->draw(seed, ret_value);
    return true;
}

static bool recorded(struct source *s, enum fd_axis a, const struct outcome *o, char *ret_value)
{
    (void)s;
    return axes[a]->recorded && axes[a]->recorded(o, ret_value);
}

static bool provoke(struct source *s, enum fd_axis a, const struct outcome *seen, size_t nth,
                    char *ret_value)
{
    struct axis_view v = view_of(s, seen);
    return axes[a]->provoke(&v, nth, ret_value);
}

static bool benign(struct source *s, enum fd_axis a, const struct outcome *seen,
                   const char *failing, size_t nth, char *ret_value)
{
    struct axis_view v = view_of(s, seen);
    return axes[a]->benign(&v, failing, nth, ret_value);
}

static bool plainer(struct source *s, enum fd_axis a, const struct outcome *seen,
                    const char *failing, size_t nth, char *ret_value)
{
    struct axis_view v = view_of(s, seen);
    return axes[a]->plainer && axes[a]->plainer(&v, failing, nth, ret_value);
}

static bool requirement(struct source *s, enum fd_axis a, const char *value)
{
    struct axis_view v = view_of(s, NULL);
    return axes[a]->requirement && axes[a]->requirement(&v, value);
}

static const struct source_ops ops = {
    .run = run, .now_ns = now_ns, .draw = draw, .recorded = recorded, .provoke = provoke,
    .benign = benign, .plainer = plainer, .requirement = requirement, .witness = engine_witness,
};

static int64_t later_limit(int64_t took_ns)
{
    int64_t ten = 10 * took_ns;
    return ten > 10 * NS_PER_S ? ten : 10 * NS_PER_S;
}

void engine_source(struct engine *g, const struct outcome *first, uint32_t allowed,
                   int64_t budget_ns)
{
    g->pool.deadline_ns = clock_mono_ns() + budget_ns;
    g->limit_ns = later_limit(first->kind == OUTCOME_HANG ? 0 : first->took_ns);
    g->base = (struct source){.ops = &ops, .axes = allowed & AXES_ALL, .jobs = g->pool.jobs,
                              .warm_ns = 8 * NS_PER_MS, .fresh_ns = first->took_ns};
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        if (!(g->base.axes & axis_bit(a)))
            continue;
        g->base.at_start |= axes[a]->at_start ? axis_bit(a) : 0;
        g->base.hooked |= axes[a]->has_hook ? axis_bit(a) : 0;
    }
}

static int take_first(void *ctx, struct event *ev)
{
    struct target *t = ctx;
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

int engine_first(struct engine *g, const char *select, struct err *e)
{
    own_recipe struct recipe recipe = {0};
    const struct setting nothing = {0};
    if (engine_recipe(g, &nothing, &recipe, e) < 0 ||
        rundir_trial(&g->dir, g->first_folder, e) < 0 ||
        page_create(g->first_folder, &recipe.page, &g->first_page, e) < 0)
        return -1;
    const struct launch l = {.target = g->target, .site = &g->site, .recipe = &recipe,
                             .folder = g->first_folder, .rundir = g->dir.path, .channel = -1,
                             .select = select};
    int64_t quarter = g->budget_ns / 4, most = 120 * NS_PER_S, began = clock_mono_ns();
    if (pool_run_raw(&g->pool, &l, quarter < most ? quarter : most, &g->first_status, e) < 0)
        return -1;
    g->first_ns = clock_mono_ns() - began;
    return judge_events(g->first_folder, take_first, g->target, e);
}

int engine_first_outcome(struct engine *g, const char *nodeid, struct outcome *ret, struct err *e)
{
    const struct ending how = {.status = g->first_status == -1 ? 0 : g->first_status,
                               .by_deadline = g->first_status == -1,
                               .stack = text_str(&g->pool.stack), .rootdir = g->target->rootdir};
    *ret = (struct outcome){.tier = TIER_FRESH};
    page_read(&g->first_page, ret);
    ret->took_ns = g->first_ns;
    return judge_trial(g->first_folder, nodeid, &how, ret, e);
}
