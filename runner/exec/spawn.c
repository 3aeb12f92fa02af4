#include "exec/spawn.h"

#include "base/fdio.h"
#include "base/own.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void command_line(const struct launch *l, struct argv *out)
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
    argv_addf(out, "--basetemp=%s/t", l->folder);
    argv_add(out, l->select);
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
        "FR_PAD",
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

int spawn_start(const struct launch *l, bool terminal, struct child *ret_child, struct err *e)
{
    own_argv struct argv argv = {0}, env = {0};
    own_text struct text upper = {0}, errors = {0};
    struct sandbox box;
    text_addf(&errors, "%s/e", l->folder);
    command_line(l, &argv);
    environment(l, &env);
    const struct spawn how = {.argv = &argv,
                              .env = &env,
                              .cwd = l->target->cwd,
                              .keep_fd = l->channel,
                              .no_aslr = l->recipe->no_aslr,
                              .stack_limit = l->recipe->stack_limit,
                              .box = box_of(l, &box, &upper),
                              .errors =
                                  l->target->program.n && !terminal ? text_str(&errors) : NULL,
                              .terminal = terminal};
    return child_spawn(&how, ret_child, e);
}
