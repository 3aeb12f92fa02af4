/* Playing a recorded repro again, with pytest's own output for the user to see. */
#include "live/engine.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "exec/judge.h"
#include "model/blob.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* Node ids are relative to pytest's rootdir: the nearest folder, upwards, that has the file. */
static int find_root(const char *nodeid, struct target *t, struct err *e)
{
    const char *colons = strstr(nodeid, "::");
    size_t path = colons ? (size_t)(colons - nodeid) : strlen(nodeid);
    own_text struct text root = {0};
    text_add(&root, t->cwd);
    for (;;) {
        own_text struct text file = {0};
        text_addf(&file, "%s/%.*s", text_str(&root), (int)path, nodeid);
        if (fdio_is_file(text_str(&file)))
            break;
        char *slash = strrchr(root.at, '/');
        if (!slash) {
            err_set(e, ERR_STALE, "the recorded test is %s, and there is no such file here",
                    nodeid);
            return err_hint(e, "run it from the project the repro was recorded in");
        }
        text_cut(&root, (size_t)(slash - root.at));
    }
    t->rootdir = str_or_die(root.len ? text_str(&root) : "/");
    return 0;
}

static int play(struct engine *g, const struct blob *b, struct replay_result *ret, struct err *e)
{
    char folder[TRIAL_PATH_MAX];
    own_page struct page page = {0};
    own_recipe struct recipe recipe = {0};
    own_argv struct argv argv = {0}, env = {0};
    own_text struct text select = {0};
    struct child c = CHILD_NONE;
    int status = 0;
    if (engine_recipe(g, &b->setting, &recipe, e) < 0 || rundir_trial(&g->dir, folder, e) < 0 ||
        page_create(folder, &recipe.page, &page, e) < 0)
        return -1;
    argv_add(&recipe.env, "FR_REPLAY=1");
    target_argument(g->target, &select);
    const struct launch l = engine_launch(g, &recipe, folder, text_str(&select));
    spawn_argv(&l, &argv);
    spawn_env(&l, &env);
    const struct spawn how = {
        .argv = &argv, .env = &env, .cwd = g->target->cwd, .keep_fd = -1, .terminal = true};
    if (child_spawn(&how, &c, e) < 0)
        return -1;
    while (!live_stop && !child_ended(&c, &status)) {
        struct pollfd p = {.fd = c.pidfd, .events = POLLIN};
        (void)poll(&p, 1, 1000);
    }
    child_done(&c);
    if (live_stop)
        return err_set(e, ERR_INTERRUPT, "interrupted");
    const struct ending how_it_went = {
        .status = status, .stack = "", .rootdir = g->target->rootdir};
    ret->outcome = (struct outcome){.tier = TIER_FRESH};
    if (judge_trial(folder, b->nodeid, &how_it_went, &ret->outcome, e) < 0)
        return -1;
    ret->reproduced =
        outcome_failed(&ret->outcome) && fingerprint_same(&ret->outcome.print, &b->print);
    return 0;
}

int live_replay(const char *word, const struct request *q, struct replay_result *ret, struct err *e)
{
    struct engine g = ENGINE_NONE;
    own_target struct target t = {0};
    struct blob b;
    if (blob_decode(word, &b, e) < 0)
        return -1;
    *ret = (struct replay_result){.wanted = b.print};
    text_copy(ret->nodeid, sizeof ret->nodeid, b.nodeid);
    t.nodeid = str_or_die(b.nodeid);
    t.spec = str_or_die(b.nodeid);
    int did = engine_open(&g, q, &t, e);
    if (did == 0)
        did = find_root(b.nodeid, &t, e);
    if (did == 0)
        did = play(&g, &b, ret, e);
    engine_done(&g);
    return did;
}
