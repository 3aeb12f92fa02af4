/* The source of trials that really runs them. */
#include "live/engine.h"

#include "axes/axis.h"
#include "base/clock.h"
#include "base/own.h"

#include <stdlib.h>

/* What is fixed at process start, as text: equal keys may share a warm process. */
static void process_key(const struct engine *g, const struct recipe *r, const struct setting *at,
                        char *key)
{
    struct setting fixed = *at;
    fixed.held &= g->base.at_start;
    own_text struct text t = {0};
    setting_text(&fixed, &t);
    if (r->before.n) /* it has collected the others as well */
        text_addf(&t, " after %zu", g->target->before.n);
    text_copy(key, WARM_KEY_MAX, text_str(&t));
}

static bool one_at_a_time(const struct trial *batch, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
            if (axes[a]->alone && setting_holds(&batch[i].at, a))
                return true;
    return false;
}

/* Time for the tests before it: a second each, of what there is. */
static int64_t for_others(const struct engine *g, const struct recipe *r)
{
    int64_t left = (g->pool.deadline_ns - clock_mono_ns()) / 3;
    int64_t need = (int64_t)r->before.n * NS_PER_S;
    return need < left ? need : left > 0 ? left : 0;
}

static int run(struct source *s, const struct trial *batch, size_t n, struct outcome *ret,
               struct err *e)
{
    struct engine *g = (struct engine *)s;
    own_mem struct order *orders = mem_or_die(n * sizeof *orders);
    own_mem struct recipe *recipes = mem_or_die(n * sizeof *recipes);
    own_mem char(*keys)[WARM_KEY_MAX] = mem_or_die(n * sizeof *keys);
    int did = 0;
    for (size_t i = 0; i < n && did == 0; i++) {
        did = engine_recipe(g, &batch[i].at, &recipes[i], e);
        process_key(g, &recipes[i], &batch[i].at, keys[i]);
        orders[i] = (struct order){.recipe = &recipes[i],
                                   .key = keys[i],
                                   .tier = batch[i].tier,
                                   .spare = batch[i].spare,
                                   .limit_ns = g->limit_ns + for_others(g, &recipes[i])};
    }
    unsigned jobs = g->pool.jobs;
    g->pool.jobs = one_at_a_time(batch, n) ? 1 : jobs;
    g->pool.ended = s->ended;
    g->pool.ended_ctx = s->ended_ctx;
    if (did == 0)
        did = pool_run(&g->pool, orders, n, ret, e);
    g->pool.jobs = jobs;
    g->pool.ended = NULL;
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
    struct engine *g = (struct engine *)s;
    return (struct axis_view){
        .seen = seen, .now_ns = g->wall_ns, .watched = page_seen(&g->first_page)};
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
    .run = run,
    .now_ns = now_ns,
    .draw = draw,
    .recorded = recorded,
    .provoke = provoke,
    .benign = benign,
    .plainer = plainer,
    .requirement = requirement,
    .before = engine_before,
    .touches = engine_touches,
    .witness = engine_witness,
};

void engine_source(struct engine *g, const struct outcome *first, uint32_t allowed,
                   int64_t budget_ns)
{
    if (!layers_own_files(&g->layers))
        g->pool.jobs = 1;
    g->pool.deadline_ns = clock_mono_ns() + budget_ns;
    g->limit_ns = engine_limit(first->kind == OUTCOME_HANG ? 0 : first->took_ns);
    g->base = (struct source){.ops = &ops,
                              .axes = allowed & AXES_ALL,
                              .jobs = g->pool.jobs,
                              .warm_ns = 8 * NS_PER_MS,
                              .fresh_ns = first->took_ns};
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        if (!(g->base.axes & axis_bit(a)))
            continue;
        g->base.at_start |= axes[a]->at_start ? axis_bit(a) : 0;
        g->base.plain |= axes[a]->plain_benign ? axis_bit(a) : 0;
        g->base.hooked |= axes[a]->has_hook ? axis_bit(a) : 0;
    }
}
