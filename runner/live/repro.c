/* The command that fails every time, in the shortest form that works: checked by running it as it
 * is printed. */
#include "live/engine.h"

#include "axes/axis.h"
#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "live/loader.h"
#include "model/before.h"
#include "model/blob.h"

#include <ctype.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has_plugin(const struct target *t, const char *name)
{
    for (size_t i = 0; i < t->plugins.n; i++)
        if (text_starts(t->plugins.at[i], name))
            return true;
    return false;
}

static void add_words(const struct argv *words, struct text *line)
{
    for (size_t i = 0; i < words->n; i++) {
        text_add_quoted(line, words->at[i]);
        text_addc(line, ' ');
    }
}

static void add_argument(const struct target *t, const char *nodeid, struct text *line)
{
    own_text struct text argument = {0};
    target_argument_of(t, nodeid, &argument);
    text_add_quoted(line, text_str(&argument));
}

static bool by_second_run(const struct setting *s, enum fd_axis a)
{
    return setting_holds(s, a) && axes[a]->by_second_run && axes[a]->by_second_run(s->value[a]);
}

/* `how`: what the setting comes to. */
static void one_run(const struct engine *g, const struct setting *s, const struct recipe *how,
                    struct text *line)
{
    bool shim = false;
    own_text struct text first = {0};
    uint32_t words = s->held;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if (setting_holds(s, a) && axes[a]->shell && axes[a]->shell(s->value[a], &first))
            words &= ~axis_bit(a);
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        shim |= (words & axis_bit(a)) && axes[a]->needs_shim && !by_second_run(s, a);
    if (first.len)
        text_addf(line, "(%s", text_str(&first));
    if (shim) {
        text_add(line, "LD_PRELOAD=");
        text_add_quoted(line, loader_finds("libfd.so", g->site.lib) ? "libfd.so" : g->site.lib);
        text_addc(line, ' ');
    }
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if ((words & axis_bit(a)) && axes[a]->command)
            axes[a]->command(s->value[a], line);
    add_words(&g->target->say, line);
    /* It seeds the generators anew before each test, and reorders. */
    if (has_plugin(g->target, "pytest-randomly"))
        text_add(line, "-p no:randomly ");
    add_words(&g->target->args, line);
    own_text struct text argument = {0};
    for (size_t i = 0; i < how->before.n; i++) {
        add_argument(g->target, how->before.at[i], line);
        text_addc(line, ' ');
    }
    target_argument(g->target, &argument);
    if (how->spread) {
        text_addf(line, "-n %u ", how->spread);
        target_cut_to_file(&argument);
    }
    if (argument.len)
        text_add_quoted(line, text_str(&argument));
    else if (line->len && line->at[line->len - 1] == ' ')
        text_cut(line, line->len - 1);
    if (first.len)
        text_addc(line, ')');
}

static void by_hand(const struct engine *g, const struct setting *s, const struct recipe *how,
                    struct text *line)
{
    bool twice = false;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        twice |= by_second_run(s, a);
    one_run(g, s, how, line);
    if (!twice)
        return;
    text_add(line, " >/dev/null 2>&1; ");
    one_run(g, s, how, line);
}

static void by_replay(const char *blob, const struct request *q, struct text *line)
{
    own_text struct text found = {0};
    char exe[PATH_MAX];
    struct err ignored = {0};
    if (fdio_on_path("flaky-repro", &found) || release_program(exe, &ignored) < 0)
        text_add(line, "flaky-repro");
    else
        text_add_quoted(line, exe);
    text_addf(line, " replay %s", blob);
    if (q->python && *q->python) {
        text_add(line, " --python ");
        text_add_quoted(line, q->python);
    }
    if (q->program) {
        text_add(line, " --command -- ");
        add_words(q->program, line);
        text_cut(line, line->len - 1);
    } else if (q->args && q->args->n) {
        text_add(line, " --");
        for (size_t i = 0; i < q->args->n; i++) {
            text_addc(line, ' ');
            text_add_quoted(line, q->args->at[i]);
        }
    }
}

/* A mark stands above a function: what has another kind of name (a doctest, a file of steps) takes
 * none. */
static bool takes_marker(const char *nodeid)
{
    const char *colons = strstr(nodeid, "::");
    if (!colons || colons - nodeid < 3 || strncmp(colons - 3, ".py", 3) != 0)
        return false;
    for (const char *c = colons; *c && *c != '['; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != ':' && (unsigned char)*c < 0x80)
            return false;
    return true;
}

/* Where the project is not shown copy-on-write it is ours to clean up after: what pytest writes of
 * its own accord stays out of it. */
static void keep_out_of_project(const struct engine *g, struct argv *env)
{
    own_text struct text coverage = {0}, opts = {0};
    const char *had = argv_env_get(env, "PYTEST_ADDOPTS");
    text_addf(&coverage, "%s/coverage", g->dir.path);
    text_addf(&opts, "%s -o cache_dir=%s/cache --basetemp=%s/check --junitxml=%s/check.xml",
              had ? had : "", g->dir.path, g->dir.path, g->dir.path);
    argv_env_set(env, "PYTHONDONTWRITEBYTECODE", "1");
    argv_env_set(env, "COVERAGE_FILE", text_str(&coverage));
    argv_env_set(env, "PYTEST_ADDOPTS", text_str(&opts));
}

/* Runs the command line as a user's shell would; true: it failed as a failing test does. */
static int check(struct engine *g, const char *line, bool *ret_fails, struct err *e)
{
    own_argv struct argv argv = {0}, env = {0};
    own_text struct text tail = {0};
    struct child c = CHILD_NONE;
    argv_add(&argv, "/bin/sh");
    argv_add(&argv, "-c");
    argv_add(&argv, line);
    for (char **v = environ; *v; v++)
        argv_add(&env, *v);
    argv_env_set(&env, "FR_INERT", "1"); /* a marker of an earlier diagnosis must not answer */
    if (!g->site.box || !g->site.box->mounts)
        keep_out_of_project(g, &env);
    const struct spawn how = {
        .argv = &argv, .env = &env, .cwd = g->target->cwd, .keep_fd = -1, .box = g->site.box};
    if (child_spawn(&how, &c, e) < 0)
        return -1;
    int status = 0;
    int64_t deadline = clock_mono_ns() + 2 * g->limit_ns;
    bool ended = false;
    while (!ended && clock_mono_ns() < deadline && !live_stop) {
        struct pollfd p[2] = {{.fd = c.pidfd, .events = POLLIN}, {.fd = c.out, .events = POLLIN}};
        (void)poll(p, 2, clock_poll_ms(deadline) < 500 ? clock_poll_ms(deadline) : 500);
        child_read(&c, &tail);
        ended = child_ended(&c, &status);
    }
    child_done(&c);
    *ret_fails = ended && WIFEXITED(status) &&
                 (g->target->program.n ? WEXITSTATUS(status) != 0 : WEXITSTATUS(status) == 1);
    return 0;
}

/* How often it is tried. A layout by hand is part of one only: what is left to chance may make the
 * test fail as often as it does unprovoked, and must not pass for certain by that. */
static unsigned checks(const struct finding *f)
{
    enum { LEAST = 3, MOST = 12 };
    bool layout = false;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        layout |= setting_holds(&f->repro.setting, a) && axes[a]->replay_tries > 0;
    unsigned n = layout ? LEAST : 1;
    double luck = 1;
    for (unsigned i = 0; i < n; i++)
        luck *= f->baseline.rate;
    for (; layout && luck > 0.01 && n < MOST; n++)
        luck *= f->baseline.rate;
    return n;
}

int engine_repro(struct engine *g, const struct request *q, struct finding *f, struct err *e)
{
    struct before all = {0};
    own_blob struct blob b = {.setting = f->repro.setting, .print = f->print};
    own_recipe struct recipe recipe = {0};
    if (engine_recipe(g, &f->repro.setting, &recipe, e) < 0)
        return -1;
    if (recipe.before.n) { /* numbered as they are listed, from now on */
        argv_copy(&f->repro.order, &recipe.before);
        argv_add(&f->repro.order, g->target->nodeid);
        before_add(&all, 0, recipe.before.n - 1);
        if (strcmp(f->repro.setting.value[FD_AXIS_ORDER], "self") != 0) {
            before_text(&all, f->repro.setting.value[FD_AXIS_ORDER], SETTING_VALUE_MAX);
            argv_copy(&b.order, &recipe.before);
        }
        b.setting = f->repro.setting;
    }
    own_text struct text blob = {0}, hand = {0}, replay = {0}, marker = {0};
    bool fails = recipe.copies < 2; /* several at once are no one command */
    text_copy(b.nodeid, sizeof b.nodeid, g->target->nodeid);
    text_copy(b.python, sizeof b.python, g->target->python ? g->target->python : "");
    char *patch = strchr(b.python, '.') ? strchr(strchr(b.python, '.') + 1, '.') : NULL;
    if (patch)
        *patch = 0;
    blob_encode(&b, &blob);
    by_hand(g, &f->repro.setting, &recipe, &hand);
    by_replay(text_str(&blob), q, &replay);
    /* What fails only more often cannot be checked by one run. */
    unsigned times = f->strength == STRENGTH_ALWAYS ? checks(f) : 0;
    while (fails && times-- > 0)
        if (check(g, text_str(&hand), &fails, e) < 0)
            return -1;
    if (f->strength == STRENGTH_ALWAYS && takes_marker(b.nodeid)) {
        text_addf(&marker, "@pytest.mark.flakedoctor_repro(\"%s\")", text_str(&blob));
        f->repro.marker = text_take(&marker);
    }
    f->repro.blob = text_take(&blob);
    f->repro.command = fails ? text_take(&hand) : text_take(&replay);
    return 0;
}
