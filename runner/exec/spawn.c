#include "exec/spawn.h"

#include "base/fdio.h"
#include "base/own.h"
#include "exec/page.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As arguments as long as they are few; of very many the scope is quicker to collect, and the
 * plugin picks them out. */
#define ARGUMENTS_MOST 300

static void add_before(const struct launch *l, struct argv *out)
{
    const struct argv *before = &l->recipe->before;
    if (l->scoped || before->n > ARGUMENTS_MOST) {
        argv_copy(out, &l->target->scope);
        argv_add(out, "--continue-on-collection-errors"); /* what fails in others is not ours */
        return;
    }
    for (size_t i = 0; i < before->n; i++) {
        own_text struct text one = {0};
        target_argument_of(l->target, before->at[i], &one);
        argv_add(out, text_str(&one));
    }
}

/* `folder`: the copy's own. */
static void command_line(const struct launch *l, const char *folder, struct argv *out)
{
    if (l->target->program.n) {
        argv_copy(out, &l->target->program);
        return;
    }
    argv_copy(out, &l->target->command);
    argv_add(out, "-p");
    argv_add(out, "flaky_repro._trial");
    argv_copy(out, &l->target->args);
    /* The project's own cache and temporary folders are not ours to touch. */
    argv_add(out, "-o");
    argv_addf(out, "cache_dir=%s/cache", l->rundir);
    argv_addf(out, "--basetemp=%s/t", folder);
    if (l->recipe->spread == 0) {
        add_before(l, out);
        argv_add(out, l->select);
        return;
    }
    argv_add(out, "-n");
    argv_addf(out, "%u", l->recipe->spread);
    own_text struct text file = {0};
    text_add(&file, l->select);
    target_cut_to_file(&file);
    argv_add(out, text_str(&file));
}

/* What it lives in: site->box, its changes where they go. Returns that one, or a copy in *buf that
 * borrows *upper. */
static const struct sandbox *box_of(const struct launch *l, struct sandbox *buf, struct text *upper)
{
    if (!l->site->box || !l->site->upper_on_disk || l->site->box->upper)
        return l->site->box;
    *buf = *l->site->box;
    text_addf(upper, "%s/u", l->folder);
    if (mkdir(text_str(upper), 0755) == 0)
        buf->upper = text_str(upper);
    return buf;
}

static void extend(struct argv *env, const char *name, const char *more, const char *colon)
{
    const char *had = argv_env_get(env, name);
    own_text struct text t = {0};
    text_addf(&t, "%s%s%s", had ? had : "", had && *had ? colon : "", more);
    argv_env_set(env, name, text_str(&t));
}

/* A libfd.so that somebody preloads by hand would stand before ours and answer in its place. */
static void drop_other_lib(struct argv *env)
{
    const char *had = argv_env_get(env, "LD_PRELOAD");
    own_text struct text kept = {0};
    for (const char *at = had; at && *at; at += strspn(at, ": ")) {
        size_t n = strcspn(at, ": ");
        own_text struct text word = {0};
        text_addn(&word, at, n);
        if (strcmp(text_str(&word), "libfd.so") != 0 && !text_ends(text_str(&word), "/libfd.so"))
            text_addf(&kept, "%s%s", kept.len ? ":" : "", text_str(&word));
        at += n;
    }
    if (had)
        argv_env_set(env, "LD_PRELOAD", text_str(&kept));
}

/* What would hold an axis, or change what pytest does, behind our back. */
static void drop_inherited(struct argv *env)
{
    static const char *const names[] = {
#define VARIABLE(name, holds, values) name,
#define FOREIGN(name, holds, values)  /* the user's, like the rest of the environment */
#include "shim/variables.def"
#undef VARIABLE
#undef FOREIGN
        FD_ENV_PAGE,
        FD_ENV_CTL,
        FD_ENV_SINCE,
        FD_ENV_ORDINAL,
        FD_ENV_HOME,
        FD_ENV_STAY,
        FD_ENV_CURRENT_TEST,
        "PYTEST_ADDOPTS",
        "PYTEST_XDIST_WORKER",
        "PYTEST_XDIST_WORKER_COUNT",
        "FR_TRIAL",
        "FR_CHANNEL",
        "FR_WITNESS",
        "FR_REPLAY",
        "FR_REPORTS",
        "FR_INERT",
        "FR_PAD",
        "FR_ORDER",
        "FR_COLLECT",
        "FR_WATCH",
        "FR_SPREAD",
        "FR_GATE",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        argv_env_drop(env, names[i]);
}

static void own_folder(const struct launch *l, const char *variable, const char *name,
                       struct argv *env)
{
    own_text struct text path = {0};
    text_addf(&path, "%s/%s", l->folder, name);
    (void)mkdir(text_str(&path), 0700);
    argv_env_set(env, variable, text_str(&path));
}

/* What programs find by HOME and tests need to be found as ever: where it is is told otherwise. */
static void pin(struct argv *env, const char *variable, const char *below_home)
{
    const char *home = argv_env_get(env, "HOME");
    own_text struct text path = {0};
    text_addf(&path, "%s/%s", home ? home : "", below_home);
    if (home && !argv_env_get(env, variable) && fdio_is_dir(text_str(&path)))
        argv_env_set(env, variable, text_str(&path));
}

static void set_apart(const struct launch *l, struct argv *env)
{
    if (l->site->own_home) {
        pin(env, "PYTHONUSERBASE", ".local");
        pin(env, "PYENV_ROOT", ".pyenv");
        own_folder(l, "HOME", "home", env);
    }
    if (l->site->own_tmp)
        own_folder(l, "TMPDIR", "tmp", env);
}

static void apply_recipe(struct argv *env, const struct recipe *r)
{
    for (size_t i = 0; i < r->env.n; i++) {
        const char *word = r->env.at[i], *eq = strchr(word, '=');
        if (!eq) {
            argv_env_drop(env, word);
            continue;
        }
        own_text struct text name = {0};
        text_addn(&name, word, (size_t)(eq - word));
        argv_env_set(env, text_str(&name), eq + 1);
    }
}

static void environment(const struct launch *l, struct argv *out)
{
    for (char **v = environ; *v; v++)
        argv_add(out, *v);
    drop_inherited(out);
    drop_other_lib(out);
    /* Appended, never put first: the project's own modules must shadow ours, not the reverse. */
    if (!l->target->program.n)
        extend(out, "PYTHONPATH", l->site->plugin, ":");
    extend(out, "LD_PRELOAD", l->site->lib, ":");
    own_text struct text t = {0};
    text_addf(&t, "%s/p", l->folder);
    argv_env_set(out, FD_ENV_PAGE, text_str(&t));
    text_clear(&t);
    text_addf(&t, "%s/coverage", l->rundir);
    argv_env_set(out, "COVERAGE_FILE", text_str(&t));
    text_clear(&t);
    if (l->channel >= 0) {
        text_addf(&t, "%d", l->channel);
        argv_env_set(out, "FR_CHANNEL", text_str(&t));
    } else if (!l->target->program.n) {
        argv_env_set(out, "FR_TRIAL", l->folder);
    }
    set_apart(l, out);
    apply_recipe(out, l->recipe);
}

/* Which tests run, in which order: the file `o` in the trial's folder, ids with a NUL after each.
 */
static int write_order(const struct launch *l, struct argv *env, struct err *e)
{
    own_text struct text path = {0}, ids = {0};
    const struct argv *before = &l->recipe->before;
    for (size_t i = 0; i < before->n; i++)
        text_addn(&ids, before->at[i], strlen(before->at[i]) + 1);
    text_addn(&ids, l->target->nodeid, strlen(l->target->nodeid) + 1);
    text_addf(&path, "%s/o", l->folder);
    argv_env_set(env, "FR_ORDER", text_str(&path));
    return fdio_write_atomic(text_str(&path), text_str(&ids), ids.len, e);
}

/* The run before, in a folder of its own inside the trial's. */
static int earlier_run(const struct launch *l, struct argv *argv, struct argv *env, struct err *e)
{
    own_text struct text folder = {0};
    own_page struct page page = {0};
    struct launch first = *l;
    text_addf(&folder, "%s/b", l->folder);
    first.folder = text_str(&folder);
    if (mkdir(first.folder, 0700) < 0)
        return err_sys(e, "creating %s", first.folder);
    if (page_create(first.folder, &l->recipe->page, &page, e) < 0)
        return -1;
    command_line(&first, first.folder, argv);
    environment(&first, env);
    return 0;
}

/* What nature draws for each process is another draw in each copy: or names that never meet in a
 * real run would meet here, and all copies would share one fate. */
#define COPY_STEP UINT64_C(0x9e3779b97f4a7c15)

static void draw_anew(struct fd_settings *s, unsigned i)
{
    s->rng_seed += i * COPY_STEP;
    s->address_seed += i * COPY_STEP;
    s->listing_seed += i * COPY_STEP;
    s->hash_seed = (s->hash_seed + i) % UINT32_MAX;
}

static void hash_anew(struct argv *env, const struct fd_settings *s, unsigned i)
{
    own_text struct text seed = {0};
    struct fd_settings its = *s;
    if (!(s->held & axis_bit(FD_AXIS_HASHSEED)))
        return;
    draw_anew(&its, i);
    text_addf(&seed, "%llu", (unsigned long long)its.hash_seed);
    argv_env_set(env, "PYTHONHASHSEED", text_str(&seed));
}

static int page_for(const struct launch *l, unsigned i, const char *folder, struct err *e)
{
    own_page struct page page = {0};
    struct fd_settings s = l->recipe->page;
    draw_anew(&s, i);
    if (mkdir(folder, 0700) < 0)
        return err_sys(e, "creating %s", folder);
    return page_create(folder, &s, &page, e);
}

/* Fills one command line and one environment for each. */
static int make_copies(const struct launch *l, const struct argv *env, struct copies *ret,
                       struct err *e)
{
    char folder[TRIAL_PATH_MAX + 8];
    for (unsigned i = 0; i < ret->n; i++) {
        own_text struct text page = {0};
        copies_folder(l->folder, i, folder, sizeof folder);
        if (i > 0 && page_for(l, i, folder, e) < 0)
            return -1;
        command_line(l, folder, &ret->argv[i]);
        argv_copy(&ret->env[i], env);
        text_addf(&page, "%s/p", folder);
        argv_env_set(&ret->env[i], FD_ENV_PAGE, text_str(&page));
        argv_env_set(&ret->env[i], "FR_TRIAL", folder);
        hash_anew(&ret->env[i], &l->recipe->page, i);
    }
    return copies_ends_create(ret->ends, ret->n, e);
}

static int start_copies(const struct launch *l, struct spawn *how, struct child *ret_child,
                        struct err *e)
{
    struct argv argv[COPIES_MAX] = {0}, env[COPIES_MAX] = {0};
    own_text struct text ends = {0};
    text_addf(&ends, "%s/e", l->folder);
    struct copies c = {.n = l->recipe->copies,
                       .stagger_ns = l->recipe->stagger_ns,
                       .argv = argv,
                       .env = env,
                       .ends = text_str(&ends)};
    how->copies = &c;
    int did = make_copies(l, how->env, &c, e);
    if (did == 0)
        did = child_spawn(how, ret_child, e);
    for (unsigned i = 0; i < c.n; i++) {
        argv_done(&argv[i]);
        argv_done(&env[i]);
    }
    return did;
}

/* Judged by its folder alone (judge.c), which therefore says that a whole file runs. */
static int mark_spread(const struct launch *l, struct argv *env, struct err *e)
{
    own_text struct text path = {0};
    text_addf(&path, "%s/x", l->folder);
    argv_env_set(env, "FR_SPREAD", "1");
    own_fd int fd = open(text_str(&path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? err_sys(e, "creating %s", text_str(&path)) : 0;
}

int spawn_start(const struct launch *l, bool terminal, struct child *ret_child, struct err *e)
{
    own_argv struct argv argv = {0}, env = {0}, first_argv = {0}, first_env = {0};
    own_text struct text upper = {0}, errors = {0};
    struct sandbox box;
    const struct command before = {.argv = &first_argv, .env = &first_env};
    text_addf(&errors, "%s/err", l->folder);
    command_line(l, l->folder, &argv);
    environment(l, &env);
    if (l->recipe->spread && mark_spread(l, &env, e) < 0)
        return -1;
    if (l->channel < 0 && l->recipe->before.n && write_order(l, &env, e) < 0)
        return -1;
    if (l->recipe->twice && earlier_run(l, &first_argv, &first_env, e) < 0)
        return -1;
    struct spawn how = {.before = l->recipe->twice ? &before : NULL,
                        .argv = &argv,
                        .env = &env,
                        .cwd = l->target->cwd,
                        .keep_fd = l->channel,
                        .no_aslr = l->recipe->no_aslr,
                        .stack_limit = l->recipe->stack_limit,
                        .box = box_of(l, &box, &upper),
                        .errors = l->target->program.n && !terminal ? text_str(&errors) : NULL,
                        .terminal = terminal};
    return l->recipe->copies > 1 && l->channel < 0 ? start_copies(l, &how, ret_child, e)
                                                   : child_spawn(&how, ret_child, e);
}
