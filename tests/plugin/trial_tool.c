/* Runs trials through exec/pool.h and prints what each came to, so that Python test programs can
 * look at single outcomes in both tiers without a whole diagnosis around them.
 *
 * usage: trial_tool LIB PLUGIN PYTHON (warm|fresh) RUNS LIMIT_MS SETTING NODEID...
 * SETTING is canonical text, "" for none. One line per trial, fields parted by tabs:
 *   nodeid tier kind phase type site message changed took_us no_warm */
#include "axes/axis.h"
#include "base/clock.h"
#include "base/own.h"
#include "exec/pool.h"
#include "model/before.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS_MAX 2000

struct wish {
    enum tier tier;
    size_t runs;
    int64_t limit_ns;
    const char *setting;
};

static void field(const char *s, char stop)
{
    for (; *s; s++)
        putchar((unsigned char)*s < ' ' ? ' ' : *s);
    putchar(stop);
}

static void show(const char *nodeid, const struct outcome *o, const char *no_warm)
{
    field(nodeid, '\t');
    field(o->tier == TIER_WARM ? "warm" : "fresh", '\t');
    field(outcome_word(o->kind), '\t');
    field(o->print.phase, '\t');
    field(o->print.type, '\t');
    field(o->print.site, '\t');
    field(o->message, '\t');
    printf("%u\t%lld\t", o->changed, (long long)(o->took_ns / 1000));
    field(no_warm, '\n');
}

/* There is no other test here than the one under trial: the values are alone and self. */
static int put_before(const struct target *t, struct recipe *recipe, struct err *e)
{
    struct before before;
    if (!recipe->order[0])
        return 0;
    return before_parse(recipe->order, &before, e) < 0
               ? -1
               : before_list(&before, &t->before, t->nodeid, &recipe->before, e);
}

static int run(struct pool *p, const struct wish *w, struct err *e)
{
    static struct order orders[RUNS_MAX];
    static struct outcome got[RUNS_MAX];
    struct setting at = {0};
    own_recipe struct recipe recipe = {0};
    recipe.page =
        (struct fd_settings){.pytest = 1, .newer_ns = clock_wall_ns(), .die_with_parent = 1};
    if ((w->setting[0] && setting_parse(w->setting, &at, e) < 0) ||
        axes_apply(&at, &recipe, e) < 0 || put_before(p->target, &recipe, e) < 0)
        return -1;
    for (size_t i = 0; i < w->runs; i++)
        orders[i] =
            (struct order){.recipe = &recipe, .key = "", .tier = w->tier, .limit_ns = w->limit_ns};
    if (pool_run(p, orders, w->runs, got, e) < 0)
        return -1;
    for (size_t i = 0; i < w->runs; i++)
        show(p->target->nodeid, &got[i], p->no_warm);
    return 0;
}

static int run_one(char **argv, const char *nodeid, const struct wish *w, struct err *e)
{
    const struct site site = {.lib = argv[1], .plugin = argv[2]};
    own_target struct target t = {.nodeid = str_or_die(nodeid)};
    struct rundir dir = RUNDIR_NONE;
    struct pool pool;
    t.cwd = getcwd(NULL, 0);
    t.rootdir = getcwd(NULL, 0);
    argv_add(&t.command, argv[3]);
    argv_add(&t.command, "-m");
    argv_add(&t.command, "pytest");
    if (rundir_open(&dir, e) < 0)
        return -1;
    pool_init(&pool, &t, &site, &dir);
    pool.jobs = 1;
    int did = run(&pool, w, e);
    pool_done(&pool);
    rundir_done(&dir);
    return did;
}

int main(int argc, char **argv)
{
    if (argc < 9 || strtoul(argv[5], NULL, 10) > RUNS_MAX) {
        fprintf(stderr, "usage: trial_tool LIB PLUGIN PYTHON (warm|fresh) RUNS LIMIT_MS SETTING "
                        "NODEID...\n");
        return 2;
    }
    const struct wish w = {.tier = strcmp(argv[4], "warm") == 0 ? TIER_WARM : TIER_FRESH,
                           .runs = strtoul(argv[5], NULL, 10),
                           .limit_ns = strtol(argv[6], NULL, 10) * NS_PER_MS,
                           .setting = argv[7]};
    for (int i = 8; i < argc; i++) {
        struct err e = {0};
        if (run_one(argv, argv[i], &w, &e) < 0) {
            printf("%s\terror: %s\n", argv[i], e.what);
            return 1;
        }
    }
    return 0;
}
