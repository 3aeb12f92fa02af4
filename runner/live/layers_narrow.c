/* What the watched run was seen to need is let go, each with its reason. */
#include "live/layers_impl.h"

#include "base/own.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool needs(const struct fd_seen *s, enum fd_need n)
{
    return s->needs >> n & 1;
}

/* A socket of a process outside is not found through layers: its folder stays the real one. */
static bool keep_socket(struct layers *l, const char *path)
{
    own_mem char *folder = str_or_die(path);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder)
        return false;
    *slash = 0;
    char real[PATH_MAX];
    if (realpath(folder, real) && strcmp(real, folder) != 0) { /* shown by the other name */
        free(folder);
        folder = str_or_die(real);
    }
    bool layered = layers_covered(&l->watch, path) || layers_covered(&l->watch, folder);
    if (!layered && (!layers_in_tmp(folder) || l->watch.tmp == SANDBOX_TMP_REAL))
        return false;
    layers_relax(l, "%s as it is (it connects to %s)", folder, path);
    if (layers_is_tmp(folder)) {
        l->watch.tmp = l->trial.tmp = SANDBOX_TMP_REAL;
    } else {
        layers_add_folder(l, l->watch.keep, &l->watch.keeps, folder);
        layers_add_folder(l, l->trial.keep, &l->trial.keeps, folder);
    }
    layers_without(&l->watch, folder);
    layers_without(&l->trial, folder);
    return true;
}

static void let_network_go(struct layers *l, const char *why, const char *what)
{
    if (l->trial.network)
        layers_relax(l, "the network as it is (%s %s)", why, what);
    l->trial.network = false;
}

static void narrow_network(struct layers *l, const struct fd_seen *s)
{
    static const struct {
        enum fd_need need;
        const char *why;
    } of[] = {{FD_NEED_OUTSIDE, "it reaches for"},
              {FD_NEED_LOOPBACK, "it uses"},
              {FD_NEED_ABSTRACT, "it uses the socket"},
              {FD_NEED_UNWATCHED, "nobody sees what is done by"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (needs(s, of[i].need))
            let_network_go(l, of[i].why, s->what[of[i].need]);
}

static void narrow_rights(struct layers *l, const struct fd_seen *s)
{
    static const enum fd_need of[] = {FD_NEED_PRIVILEGED, FD_NEED_FOREIGN};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (!needs(s, of[i]) || !l->trial.lock)
            continue;
        layers_relax(l, "rights and system calls as they are (it starts %s)", s->what[of[i]]);
        l->trial.lock = false;
    }
}

/* The project's own, or on the way to it. */
static bool own_path(const char *path, const char *project)
{
    return project && (layers_below(path, project) || layers_below(project, path));
}

/* Paths that belong to the project or to the interpreter are no need of the test's. */
static const char *first_path(const struct layers *l, const struct fd_seen *s,
                              const struct target *t, bool tmp)
{
    uint32_t n = s->paths < FD_PATHS ? s->paths : FD_PATHS;
    for (uint32_t i = 0; i < n; i++) {
        const char *path = s->path[i];
        bool wanted = tmp ? layers_in_tmp(path) : l->home && layers_below(path, l->home);
        if (wanted && !own_path(path, t->cwd) && !own_path(path, t->rootdir) &&
            !(tmp && own_path(path, l->home)) && !(tmp && own_path(path, getenv("TMPDIR"))))
            return path;
    }
    return NULL;
}

static bool narrow_files(struct layers *l, const struct fd_seen *s, const struct target *t)
{
    const char *home = needs(s, FD_NEED_HOME) ? first_path(l, s, t, false) : NULL;
    const char *tmp = needs(s, FD_NEED_TMP) ? first_path(l, s, t, true) : NULL;
    bool again = false;
    if (home && l->own_home) {
        layers_relax(l, "HOME as it is (it reads %s)", home);
        l->own_home = false;
        again = true;
    } else if (home && l->trial.mounts) {
        layers_relax(l, "what HOME holds can be read (it reads %s)", home);
    }
    if (l->trial.tmp == SANDBOX_TMP_PRIVATE && (tmp || needs(s, FD_NEED_UNWATCHED))) {
        layers_relax(l, "what /tmp holds can be read (%s %s)",
                     tmp ? "it reads" : "nobody sees what is done by",
                     tmp ? tmp : s->what[FD_NEED_UNWATCHED]);
        l->trial.tmp = SANDBOX_TMP_COW;
    }
    if (tmp && l->own_tmp) {
        layers_relax(l, "TMPDIR as it is (it reads %s)", tmp);
        l->own_tmp = false;
        again = true;
    }
    return again;
}

/* Errors that layers make of what works on plain folders: a rename between two of them (EXDEV), a
 * change to another user's file (EOVERFLOW), a disk that is the memory's (ENOSPC). */
static bool made_by_layers(const char *message)
{
    static const char *const of[] = {"[Errno 18]", "[Errno 75]", "[Errno 28]"};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (text_starts(message, of[i]))
            return true;
    return false;
}

bool layers_suspect(struct layers *l, const struct fd_seen *s, const char *message)
{
    static const enum fd_need others[] = {FD_NEED_LOOPBACK, FD_NEED_SOCKET, FD_NEED_ABSTRACT};
    const char *other = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others && !other; i++)
        other = needs(s, others[i]) ? s->what[others[i]] : NULL;
    if (!l->watch.mounts || !(made_by_layers(message) || other))
        return false;
    if (made_by_layers(message))
        layers_relax(l, "files as they are (in a copy it fails: %.*s)", (int)strcspn(message, ":"),
                     message);
    else
        layers_relax(l, "files as they are (it failed, and %s would see the real ones)", other);
    struct sandbox *const of[] = {&l->watch, &l->trial};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        of[i]->mounts = false;
        of[i]->tmp = SANDBOX_TMP_REAL;
        of[i]->cows = of[i]->keeps = 0;
        of[i]->upper = of[i]->seed = NULL;
    }
    return true;
}

static void may_write(struct fd_seen *s, const char *folder)
{
    char real[PATH_MAX];
    size_t i = 0;
    while (i < FD_FOLDERS && s->may_write[i][0] && folder && strcmp(s->may_write[i], folder) != 0)
        i++;
    if (!folder || folder[0] != '/' || strlen(folder) >= FD_PATH_MAX || i == FD_FOLDERS ||
        s->may_write[i][0])
        return;
    text_copy(s->may_write[i], sizeof s->may_write[i], folder);
    if (realpath(folder, real) && strcmp(real, folder) != 0)
        may_write(s, real);
}

void layers_may_write(const struct layers *l, const struct target *t, const char *rundir,
                      struct fd_seen *ret)
{
    own_text struct text cache = {0};
    may_write(ret, l->project ? l->project : t->cwd);
    may_write(ret, rundir);
    may_write(ret, getenv("TMPDIR"));
    for (size_t i = 0; i < l->watch.cows; i++)
        may_write(ret, l->watch.cow[i]);
    if (l->home && l->home[1]) {
        text_addf(&cache, "%s/.cache", l->home);
        may_write(ret, text_str(&cache));
    }
}

bool layers_narrow(struct layers *l, const struct fd_seen *s, const struct target *t)
{
    if (l->off)
        return false;
    if (needs(s, FD_NEED_PRIVILEGED) && l->can.user_namespace && l->trial.mounts) {
        /* Nobody gains rights inside a user namespace. */
        layers_relax(l, "no namespaces (it starts %s)", s->what[FD_NEED_PRIVILEGED]);
        layers_degrade(l);
        l->own_home = l->own_tmp = false;
        return true;
    }
    bool again = needs(s, FD_NEED_SOCKET) && keep_socket(l, s->what[FD_NEED_SOCKET]);
    narrow_network(l, s);
    narrow_rights(l, s);
    again |= narrow_files(l, s, t);
    if (l->trial.mounts && t->rootdir && !layers_in_tmp(t->rootdir) &&
        !layers_covered(&l->trial, t->rootdir) && !layers_kept(&l->trial, t->rootdir))
        layers_relax(l, "%s as it is (it was not known before the first run)", t->rootdir);
    return again;
}
