/* Playing a recorded repro again, with pytest's own output for the user to see. */
#include "live/engine.h"

#include "axes/axis.h"
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

struct playing {
    struct engine *g;
    const struct blob *b;
    char missing[1024];  /* a test that ran before it and is not there any more, or "" */
    const char *reports; /* where pytest's reports go, or NULL: nobody sees what it prints then */
};

/* A blob of a command is played with that command alone, as the user writes it: none is run by what
 * a blob says. */
static int check_program(const struct blob *b, const struct target *t, struct err *e)
{
    bool recorded = strcmp(b->print.phase, "run") == 0;
    if (recorded != (t->program.n > 0)) {
        err_set(e, ERR_STALE,
                recorded ? "what is recorded is a command: %s"
                         : "what is recorded is a test, not a command: %s",
                b->nodeid);
        return err_hint(e, recorded ? "replay it with --command -- and the command itself"
                                    : "replay it without --command");
    }
    if (recorded && strcmp(b->nodeid, t->ids.at[0]) != 0) {
        err_set(e, ERR_STALE, "the recorded command is %s, not %s", b->nodeid, t->ids.at[0]);
        return err_hint(e, "replay it with the command it was recorded with");
    }
    return 0;
}

struct missing {
    const struct argv *before;
    char *name;
    size_t size;
};

/* The first of the tests before it that was not collected: it is gone, or has another name. */
static int take_missing(void *ctx, struct event *ev)
{
    struct missing *m = ctx;
    if (ev->kind != EVENT_COLLECTED)
        return 0;
    for (size_t i = 0; i < m->before->n; i++) {
        if (event_has(ev, m->before->at[i]))
            continue;
        text_copy(m->name, m->size, m->before->at[i]);
        break;
    }
    return 1;
}

/* One run at the setting; `seen`: by the user. */
static int play(struct playing *s, const struct setting *at, bool seen, struct outcome *ret,
                struct err *e)
{
    struct engine *g = s->g;
    char folder[TRIAL_PATH_MAX];
    own_page struct page page = {0};
    own_recipe struct recipe recipe = {0};
    own_text struct text select = {0};
    struct child c = CHILD_NONE;
    int status = 0;
    if (engine_recipe(g, at, &recipe, e) < 0 || rundir_trial(&g->dir, folder, e) < 0 ||
        page_create(folder, &recipe.page, &page, e) < 0)
        return -1;
    seen = seen && !s->reports;
    argv_addf(&recipe.env, "FR_REPLAY=%s", seen ? "seen" : "unseen");
    if (s->reports) {
        argv_addf(&recipe.env, "FR_REPORTS=%s", s->reports);
        (void)unlink(s->reports); /* of an earlier try */
    }
    target_argument(g->target, &select);
    struct launch l = engine_launch(g, &recipe, folder, text_str(&select));
    l.scoped = recipe.before.n > 0; /* one that is gone is told of, and keeps none of the others */
    own_text struct text unseen = {0};
    if (spawn_start(&l, seen, &c, e) < 0)
        return -1;
    while (!live_stop && !child_ended(&c, &status)) {
        struct pollfd p[2] = {{.fd = c.pidfd, .events = POLLIN}, {.fd = c.out, .events = POLLIN}};
        (void)poll(p, 2, 1000);
        child_read(&c, &unseen);
    }
    child_done(&c);
    if (seen)
        child_terminal_back();
    if (live_stop)
        return err_set(e, ERR_INTERRUPT, "interrupted");
    int did = engine_judge(g, folder, status, ret, e);
    struct missing m = {&recipe.before, s->missing, sizeof s->missing};
    if (did == 0 && recipe.before.n)
        did = judge_events(folder, take_missing, &m, e);
    page_done(&page);
    fdio_remove_tree(folder);
    return did;
}

static size_t file_length(const char *site)
{
    const char *colon = strrchr(site, ':');
    return colon ? (size_t)(colon - site) : strlen(site);
}

static bool is_standard(const char *site)
{
    return strstr(site, "/lib/python3") && !strstr(site, "-packages/");
}

/* Whether that is the failure that was recorded. Older recordings name a line of the standard
 * library where the one that called it is named now: it is not compared. A mark above the test has
 * moved its lines. What a program says on stderr goes to the user's terminal where nobody reads it:
 * its status, "exit 3: …", has to do. */
static bool is_it(struct playing *s, const struct outcome *o)
{
    const struct fingerprint *want = &s->b->print, *got = &o->print;
    if (!outcome_failed(o))
        return false;
    size_t words = strcspn(want->type, ":");
    if (strcmp(want->phase, "run") == 0)
        return words == strcspn(got->type, ":") && strncmp(want->type, got->type, words) == 0;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if (setting_holds(&s->b->setting, a) && axes[a]->many_faces)
            return true;
    size_t n = file_length(want->site);
    if (is_standard(want->site) && !is_standard(got->site))
        return strcmp(got->phase, want->phase) == 0 && strcmp(got->type, want->type) == 0;
    return s->reports
               ? strcmp(got->phase, want->phase) == 0 && strcmp(got->type, want->type) == 0 &&
                     n == file_length(got->site) && strncmp(got->site, want->site, n) == 0
               : fingerprint_same(got, want);
}

/* The axis of the setting that may be searched, or FD_AXIS_COUNT. */
static enum fd_axis searchable(const struct setting *s)
{
    enum fd_axis a = 0;
    while (a < FD_AXIS_COUNT && !(setting_holds(s, a) && axes[a]->replay_tries))
        a++;
    return a;
}

/* The recorded value first; then others, unseen; then the one that fails so once more, seen. */
static int play_all(struct playing *s, struct replay_result *ret, struct err *e)
{
    struct setting at = s->b->setting;
    enum fd_axis a = searchable(&at);
    unsigned tries = a < FD_AXIS_COUNT ? axes[a]->replay_tries : 0;
    if (play(s, &at, true, &ret->outcome, e) < 0)
        return -1;
    ret->reproduced = is_it(s, &ret->outcome);
    ret->layouts = tries ? 1 : 0;
    while (!ret->reproduced && ret->layouts < tries) {
        char value[SETTING_VALUE_MAX];
        struct outcome o;
        axes[a]->draw(ret->layouts++, value);
        setting_hold(&at, a, value);
        if (play(s, &at, false, &o, e) < 0)
            return -1;
        if (!is_it(s, &o))
            continue;
        if (play(s, &at, true, &ret->outcome, e) < 0)
            return -1;
        ret->reproduced = is_it(s, &ret->outcome);
    }
    return 0;
}

int live_replay(const char *word, const struct request *asked, struct replay_result *ret,
                struct err *e)
{
    struct engine g = ENGINE_NONE;
    struct request q = *asked;
    own_target struct target t = {0};
    own_blob struct blob b = {0};
    if (blob_decode(word, &b, e) < 0)
        return -1;
    *ret = (struct replay_result){.wanted = b.print};
    text_copy(ret->nodeid, sizeof ret->nodeid, b.nodeid);
    t.nodeid = str_or_die(b.nodeid);
    t.spec = str_or_die(b.nodeid);
    if (b.order.n)
        argv_copy(&t.before, &b.order);
    int did = engine_open(&g, &q, &t, e);
    if (did == 0)
        did = check_program(&b, &t, e);
    if (did == 0 && q.rootdir)
        t.rootdir = str_or_die(q.rootdir);
    else if (did == 0 && !t.program.n)
        did = find_root(b.nodeid, &t, e);
    if (did == 0)
        engine_scope(&t);
    struct playing s = {.g = &g, .b = &b, .reports = q.reports};
    if (did == 0)
        did = play_all(&s, ret, e);
    text_copy(ret->missing, sizeof ret->missing, s.missing);
    engine_done(&g);
    return did;
}
