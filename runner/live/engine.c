#include "live/engine.h"

#include "axes/axis.h"
#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "exec/compiled.h"
#include "exec/judge.h"
#include "exec/page.h"
#include "live/effects.h"
#include "live/log.h"
#include "model/before.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_MOST_NS  (120 * NS_PER_S)
#define FIRST_LEAST_NS (5 * NS_PER_S) /* pytest itself may need some seconds to start */
#define LATER_LEAST_NS (10 * NS_PER_S)

volatile int live_stop;

void live_interrupt(void)
{
    live_stop = 1;
}

/* The one test of a program is its command line. */
static void take_program(struct target *t, const struct argv *words)
{
    own_text struct text line = {0};
    argv_copy(&t->program, words);
    argv_copy(&t->say, words);
    for (size_t i = 0; i < words->n; i++) {
        text_add(&line, i ? " " : "");
        text_add_quoted(&line, words->at[i]);
    }
    argv_add(&t->ids, text_str(&line));
    free(t->nodeid);
    t->nodeid = str_or_die(text_str(&line));
    t->rootdir = t->rootdir ? t->rootdir : str_or_die(t->cwd);
}

int engine_open(struct engine *g, struct request *q, struct target *t, struct err *e)
{
    *g = ENGINE_NONE;
    g->target = t;
    g->budget_ns = q->budget_ns;
    g->allow_effects = q->allow_side_effects;
    g->wall_ns = clock_wall_ns();
    g->began_ns = clock_mono_ns();
    if (!t->cwd && !(t->cwd = getcwd(NULL, 0)))
        return err_sys(e, "finding the current folder");
    if (log_prepare(g, q, e) < 0)
        return -1;
    if (!t->spec)
        t->spec = str_or_die(q->spec);
    if (locate_parts(&g->place, e) < 0 || locate_agree(&g->place, e) < 0 ||
        (!q->program && (q->script ? locate_started(q->python, q->script, &g->place, e)
                                   : locate_pytest(q->python, &g->place, e)) < 0))
        return -1;
    g->site = (struct site){.lib = g->place.lib, .plugin = g->place.plugin};
    if (q->program)
        take_program(t, q->program);
    argv_copy(&t->command, &g->place.command);
    argv_copy(&t->say, &g->place.say);
    if (q->args && !q->program)
        argv_copy(&t->args, q->args);
    if (q->before)
        argv_copy(&t->ran, q->before);
    if (rundir_open(&g->dir, e) < 0)
        return -1;
    pool_init(&g->pool, t, &g->site, &g->dir);
    if (t->program.n)
        text_copy(g->pool.no_warm, sizeof g->pool.no_warm, "a command has no warm runs");
    g->pool.stop = &live_stop;
    return 0;
}

void engine_done(struct engine *g)
{
    page_done(&g->first_page);
    pool_done(&g->pool);
    layers_done(&g->layers);
    trial_log_done(&g->log);
    rundir_done(&g->dir);
    place_done(&g->place);
}

int engine_recipe(struct engine *g, const struct setting *at, struct recipe *ret, struct err *e)
{
    *ret = (struct recipe){
        .page = {.pytest = !g->target->program.n, .newer_ns = g->wall_ns, .die_with_parent = 1}};
    if (axes_apply(at, ret, e) < 0)
        return -1;
    struct before before;
    const struct target *t = g->target;
    if (!ret->order[0])
        return 0;
    return before_parse(ret->order, &before, e) < 0
               ? -1
               : before_list(&before, &t->before, t->nodeid, &ret->before, e);
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

struct launch engine_launch(const struct engine *g, const struct recipe *recipe, const char *folder,
                            const char *select)
{
    return (struct launch){.target = g->target,
                           .site = &g->site,
                           .recipe = recipe,
                           .folder = folder,
                           .rundir = g->dir.path,
                           .channel = -1,
                           .select = select};
}

static void live_in(struct engine *g, const struct sandbox *box)
{
    g->site.box = box->mounts || box->network || box->lock ? box : NULL;
    g->site.upper_on_disk = g->layers.on_disk;
    g->site.own_home = g->layers.own_home;
    g->site.own_tmp = g->layers.own_tmp;
}

/* The watched run's changes are kept for as long as it takes to find what Python compiled. */
static void keep_changes(struct engine *g)
{
    struct layers *l = &g->layers;
    snprintf(g->upper, sizeof g->upper, "%s/u%u", g->dir.path, g->dir.next++);
    bool kept = l->watch.mounts && l->can.upper && mkdir(g->upper, 0755) == 0;
    l->watch.upper = kept ? g->upper : NULL;
    live_in(g, &l->watch);
}

static void use_compiled(struct engine *g)
{
    struct layers *l = &g->layers;
    if (l->watch.upper) {
        compiled_keep(l->watch.upper);
        l->trial.seed = l->watch.upper;
    }
    live_in(g, &l->trial);
}

static void forget_first(struct engine *g)
{
    struct target *t = g->target;
    page_done(&g->first_page);
    if (t->program.n) {
        fdio_remove_tree(g->first_folder);
        return;
    }
    argv_done(&t->ids);
    argv_done(&t->plugins);
    free(take_ptr(&t->rootdir));
    free(take_ptr(&t->python));
    free(take_ptr(&t->pytest));
    g->first_spoke = g->first_skipped = false;
    fdio_remove_tree(g->first_folder);
    if (g->layers.watch.upper)
        fdio_remove_tree(g->layers.watch.upper);
}

static int first_once(struct engine *g, const char *select, struct err *e)
{
    own_recipe struct recipe recipe = {0};
    const struct setting nothing = {0};
    if (engine_recipe(g, &nothing, &recipe, e) < 0)
        return -1;
    recipe.page.watch = 1;
    argv_add(&recipe.env, "FR_WATCH=1");
    if (g->layers.own_home) /* where the real one is: what is missed there is needed */
        text_copy(recipe.page.private_home, sizeof recipe.page.private_home, g->layers.home);
    keep_changes(g);
    if (rundir_trial(&g->dir, g->first_folder, e) < 0 ||
        page_create(g->first_folder, &recipe.page, &g->first_page, e) < 0)
        return -1;
    layers_may_write(&g->layers, g->target, g->dir.path, &g->first_page.at->seen);
    const struct launch l = engine_launch(g, &recipe, g->first_folder, select);
    int64_t limit = g->budget_ns / 4, began = clock_mono_ns();
    if (limit > FIRST_MOST_NS)
        limit = FIRST_MOST_NS;
    if (limit < FIRST_LEAST_NS)
        limit = FIRST_LEAST_NS;
    if (pool_run_raw(&g->pool, &l, 1, limit, &g->first_status, e) < 0)
        return -1;
    g->first_ns = clock_mono_ns() - began;
    return judge_events(g->first_folder, take_first, g, e);
}

static int take_message(void *ctx, struct event *ev)
{
    struct text *message = ctx;
    if (ev->kind != EVENT_PHASE || !ev->outcome || strcmp(ev->outcome, "failed") != 0)
        return 0;
    text_add(message, ev->message ? ev->message : "?");
    return 1;
}

/* Whether the watched run has to be made once more, with less around it. */
static int first_missed(struct engine *g, bool *ret, struct err *e)
{
    own_text struct text message = {0};
    const struct fd_seen *seen = page_seen(&g->first_page);
    *ret = layers_narrow(&g->layers, seen, g->target);
    if (*ret)
        return 0;
    if (judge_events(g->first_folder, take_message, &message, e) < 0)
        return -1;
    *ret = message.len && layers_suspect(&g->layers, seen, text_str(&message));
    return 0;
}

int engine_first(struct engine *g, const char *select, struct err *e)
{
    enum { TIMES = 3 }; /* one need may hide another */
    for (int time = 0; time < TIMES; time++) {
        bool missed;
        if (first_once(g, select, e) < 0)
            return -1;
        if (!g->allow_effects) /* then it may not be made once more */
            g->effects =
                effects_find(page_seen(&g->first_page), g->target->program.n > 0, g->effect);
        if (g->effects)
            break;
        if (first_missed(g, &missed, e) < 0)
            return -1;
        if (!missed || time == TIMES - 1)
            break;
        forget_first(g);
    }
    use_compiled(g);
    return 0;
}

int64_t engine_limit(int64_t took_ns)
{
    int64_t ten = 10 * took_ns;
    return ten > LATER_LEAST_NS ? ten : LATER_LEAST_NS;
}

void observed_done(struct observed *o)
{
    page_done(&o->page);
    if (o->folder[0])
        fdio_remove_tree(o->folder);
}

/* What one run needs from its preparation to its end. */
struct prepared {
    struct recipe recipe;
    struct text select;
};

static void prepared_done(struct prepared *p)
{
    recipe_done(&p->recipe);
    text_done(&p->select);
}

static int prepare(struct engine *g, const struct observing *how, struct prepared *p,
                   struct observed *ret, struct launch *ret_launch, struct err *e)
{
    const struct setting nothing = {0};
    if (engine_recipe(g, how->at ? how->at : &nothing, &p->recipe, e) < 0)
        return -1;
    p->recipe.page.witness = how->witness && strcmp(how->witness, "draws") == 0;
    if (how->witness)
        argv_addf(&p->recipe.env, "FR_WITNESS=%s", how->witness);
    if (how->collect)
        argv_add(&p->recipe.env, "FR_COLLECT=1");
    if (rundir_trial(&g->dir, ret->folder, e) < 0 ||
        page_create(ret->folder, &p->recipe.page, &ret->page, e) < 0)
        return -1;
    if (how->collect)
        text_add(&p->select, how->collect);
    else
        target_argument(g->target, &p->select);
    *ret_launch = engine_launch(g, &p->recipe, ret->folder, text_str(&p->select));
    return 0;
}

static int observe_some(struct engine *g, const struct observing *how, size_t n, int64_t limit_ns,
                        struct observed *ret, struct err *e)
{
    struct prepared p[POOL_SLOTS] = {0};
    struct launch l[POOL_SLOTS];
    int status[POOL_SLOTS], did = 0;
    for (size_t i = 0; did == 0 && i < n; i++)
        did = prepare(g, &how[i], &p[i], &ret[i], &l[i], e);
    if (did == 0)
        did = pool_run_raw(&g->pool, l, n, limit_ns, status, e);
    for (size_t i = 0; i < n; i++) {
        ret[i].status = did == 0 ? status[i] : -1;
        prepared_done(&p[i]);
    }
    return did;
}

int engine_observe_all(struct engine *g, const struct observing *how, size_t n,
                       struct observed *ret, struct err *e)
{
    for (size_t i = 0; i < n;) {
        size_t some = n - i < g->pool.jobs ? n - i : g->pool.jobs;
        if (observe_some(g, how + i, some, how[i].limit_ns, ret + i, e) < 0)
            return -1;
        i += some;
    }
    return 0;
}

int engine_observe(struct engine *g, const struct observing *how, struct observed *ret,
                   struct err *e)
{
    return engine_observe_all(g, how, 1, ret, e);
}

int engine_judge(const struct engine *g, const char *folder, int status, struct outcome *ret,
                 struct err *e)
{
    const struct ending how = {.status = status == -1 ? 0 : status,
                               .by_deadline = status == -1,
                               .program = g->target->program.n > 0,
                               .stack = text_str(&g->pool.stack),
                               .rootdir = g->target->rootdir};
    *ret = (struct outcome){.tier = TIER_FRESH};
    return judge_trial(folder, g->target->nodeid, &how, ret, e);
}

/* One run with nothing held, in what trials live in now. */
static int plain_run(struct engine *g, struct outcome *ret, struct err *e)
{
    own_observed struct observed o = {0};
    const struct observing how = {.limit_ns = engine_limit(g->first_ns)};
    if (engine_observe(g, &how, &o, e) < 0)
        return -1;
    return engine_judge(g, o.folder, o.status, ret, e);
}

static bool came_out_alike(const struct outcome *a, const struct outcome *b)
{
    return a->kind == b->kind && (!outcome_failed(a) || fingerprint_same(&a->print, &b->print));
}

/* Whether CALIBRATION runs come out alike all of them, and not as the watched run did: *ret then
 * says how. */
#define CALIBRATION 4
static int all_differ(struct engine *g, const struct outcome *first, bool *ret_differ,
                      struct outcome *ret, struct err *e)
{
    *ret_differ = true;
    for (int i = 0; i < CALIBRATION && *ret_differ; i++) {
        struct outcome o;
        if (plain_run(g, &o, e) < 0)
            return -1;
        *ret_differ = !came_out_alike(&o, first) && (i == 0 || came_out_alike(&o, ret));
        *ret = o;
    }
    return 0;
}

/* Whether none of as many runs comes out so. */
static int none_alike(struct engine *g, const struct outcome *like, bool *ret, struct err *e)
{
    *ret = true;
    for (int i = 0; i < CALIBRATION && *ret; i++) {
        struct outcome o;
        if (plain_run(g, &o, e) < 0)
            return -1;
        *ret = !came_out_alike(&o, like);
    }
    return 0;
}

/* The layers as they were; what was noted since is forgotten. */
static void take_back(struct engine *g, const struct layers *before)
{
    struct argv relaxed = g->layers.relaxed; /* grew, and may have moved */
    g->layers = *before;
    g->layers.relaxed = relaxed;
    while (g->layers.relaxed.n > before->relaxed.n)
        argv_pop(&g->layers.relaxed);
    live_in(g, &g->layers.trial);
}

int engine_calibrate(struct engine *g, const struct outcome *first, struct err *e)
{
    struct outcome inside;
    bool differ, gone;
    if (!g->site.box && !g->site.own_home && !g->site.own_tmp)
        return 0;
    /* It costs a run, some more in doubt: not where the budget is for a few of them only. */
    if (first->kind == OUTCOME_HANG || 8 * g->first_ns > g->budget_ns)
        return 0;
    if (all_differ(g, first, &differ, &inside, e) < 0)
        return -1;
    if (!differ)
        return 0;
    /* A flaky test may do that too, but then it does so as well with less around it. One part is
     * tried at a time, then all of them. */
    for (int part = 0; part <= LAYERS_PARTS; part++) {
        const struct layers before = g->layers;
        bool dropped = false;
        for (int p = 0; p < LAYERS_PARTS; p++)
            if (part == p || part == LAYERS_PARTS)
                dropped |= layers_drop(&g->layers, (enum layers_part)p);
        if (!dropped)
            continue;
        live_in(g, &g->layers.trial);
        if (none_alike(g, &inside, &gone, e) < 0)
            return -1;
        if (gone)
            return 0;
        take_back(g, &before);
    }
    return 0;
}

/* What the watched run was seen to do stands for touches that no trial counts. */
static void add_touches(const struct engine *g, struct outcome *o)
{
    const struct fd_seen *w = page_seen(&g->first_page);
    for (enum fd_axis a = 0; w && a < FD_AXIS_COUNT; a++)
        if (axes[a]->matters && axes[a]->matters(w))
            o->changed |= axis_bit(a);
}

int engine_first_outcome(struct engine *g, struct outcome *ret, struct err *e)
{
    int did = engine_judge(g, g->first_folder, g->first_status, ret, e);
    page_read(&g->first_page, ret);
    add_touches(g, ret);
    ret->took_ns = g->first_ns;
    return did;
}
