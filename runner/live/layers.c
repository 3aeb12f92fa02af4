#include "live/layers_impl.h"

#include "base/fdio.h"
#include "base/own.h"

#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool layers_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return n > 0 && text_starts(path, folder) && (path[n] == '/' || path[n] == 0);
}

bool layers_in_tmp(const char *path)
{
    return layers_below(path, "/tmp") || layers_below(path, "/var/tmp");
}

bool layers_is_tmp(const char *folder)
{
    return strcmp(folder, "/tmp") == 0 || strcmp(folder, "/var/tmp") == 0;
}

/* Adds a folder once; what it is shown as is the list's affair. */
void layers_add_folder(struct layers *l, const char *list[], size_t *n, const char *folder)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i], folder) == 0)
            return;
    if (*n == SANDBOX_DIRS || folder[0] != '/' || !folder[1])
        return;
    argv_add(&l->folders, folder);
    list[(*n)++] = l->folders.at[l->folders.n - 1];
}

static bool is_project(const char *folder)
{
    static const char *const signs[] = {".git",      "pyproject.toml", "pytest.ini", ".pytest.ini",
                                        "setup.cfg", "setup.py",       "tox.ini",    "conftest.py"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        own_text struct text path = {0};
        text_addf(&path, "%s/%s", folder, signs[i]);
        if (access(text_str(&path), F_OK) == 0)
            return true;
    }
    return false;
}

/* The topmost folder, from here on upwards, that looks like a project's; else this one. */
static void find_project(const char *from, struct text *out)
{
    own_mem char *at = str_or_die(from);
    text_add(out, from);
    for (char *slash; (slash = strrchr(at, '/')) && slash != at;) {
        if (is_project(at)) {
            text_clear(out);
            text_add(out, at);
        }
        *slash = 0;
    }
}

/* Where the target lies, if the user named it by a path: it need not be below the current folder.
 */
static void target_folder(const struct target *t, struct text *out)
{
    const char *colons = strstr(t->spec, "::");
    own_text struct text path = {0};
    char real[PATH_MAX];
    text_addn(&path, t->spec, colons ? (size_t)(colons - t->spec) : strlen(t->spec));
    if (!realpath(text_str(&path), real))
        return;
    char *slash = strrchr(real, '/');
    if (!fdio_is_dir(real) && slash)
        *slash = 0;
    text_add(out, real);
}

static char *find_home(void)
{
    const char *home = getenv("HOME");
    const struct passwd *pw = home && *home ? NULL : getpwuid(getuid());
    home = home && *home ? home : pw ? pw->pw_dir : NULL;
    return home && home[0] == '/' ? str_or_die(home) : NULL;
}

static void add_cow(struct layers *l, struct sandbox *box, const char *folder)
{
    if (layers_is_tmp(folder)) {
        l->lives_in_tmp = true; /* that one is shown copy-on-write as it is */
        return;
    }
    layers_add_folder(l, box->cow, &box->cows, folder);
}

void layers_relax(struct layers *l, const char *fmt, ...)
{
    own_text struct text t = {0};
    va_list args;
    va_start(args, fmt);
    text_addv(&t, fmt, args);
    va_end(args);
    for (size_t i = 0; i < l->relaxed.n; i++)
        if (strcmp(l->relaxed.at[i], text_str(&t)) == 0)
            return;
    argv_add(&l->relaxed, text_str(&t));
}

/* A checkout with files of another user's cannot be changed through layers as it can be without.
 * Whether there is a user namespace is known after the first probe. */
static void add_project(struct layers *l, struct sandbox *box, const char *folder)
{
    if (!l->can.user_namespace || layers_is_tmp(folder) || !sandbox_foreign(folder)) {
        add_cow(l, box, folder);
        return;
    }
    layers_relax(l, "the project as it is (some of %s is another user's)", folder);
    layers_add_folder(l, box->keep, &box->keeps, folder);
}

static void wish(struct layers *l, const struct target *t, const char *rundir)
{
    own_text struct text project = {0}, named = {0}, theirs = {0};
    struct sandbox *box = &l->watch;
    const char *tmp = getenv("TMPDIR");
    *box = (struct sandbox){.mounts = true, .network = true, .lock = true};
    box->tmp = SANDBOX_TMP_COW;
    if (l->home)
        add_cow(l, box, l->home);
    if (l->home && !l->home[1])
        layers_relax(l, "HOME as it is (it is /)");
    find_project(t->cwd, &project);
    free(l->project);
    l->project = str_or_die(text_str(&project));
    add_project(l, box, text_str(&project));
    target_folder(t, &named);
    if (named.len && !layers_below(text_str(&named), text_str(&project))) {
        find_project(text_str(&named), &theirs);
        add_project(l, box, text_str(&theirs));
    }
    if (tmp && tmp[0] == '/' && !layers_in_tmp(tmp))
        add_cow(l, box, tmp);
    layers_add_folder(l, box->keep, &box->keeps, rundir);
}

void layers_without(struct sandbox *box, const char *folder)
{
    for (size_t i = 0; i < box->cows; i++) {
        if (strcmp(box->cow[i], folder) != 0)
            continue;
        memmove(&box->cow[i], &box->cow[i + 1], (box->cows - i - 1) * sizeof *box->cow);
        box->cows--;
        i--;
    }
}

bool layers_kept(const struct sandbox *box, const char *path)
{
    for (size_t i = 0; i < box->keeps; i++)
        if (layers_below(path, box->keep[i]))
            return true;
    return false;
}

bool layers_covered(const struct sandbox *box, const char *path)
{
    for (size_t i = 0; i < box->cows; i++) {
        char real[PATH_MAX];
        if (layers_below(path, box->cow[i]) ||
            (realpath(box->cow[i], real) && layers_below(path, real)))
            return true;
    }
    return false;
}

/* Leaves what the probe found to work. */
static void take_allowed(struct layers *l)
{
    struct sandbox *box = &l->watch;
    const struct sandbox_can *can = &l->can;
    for (size_t i = SANDBOX_DIRS; i-- > 0;) {
        if (i >= box->cows || can->cow[i])
            continue;
        const char *folder = box->cow[i];
        layers_relax(l, "%s as it is (no layers there)", folder);
        layers_without(box, folder);
        layers_add_folder(l, box->keep, &box->keeps, folder); /* an outer one's would serve it */
    }
    if (!can->tmp && box->tmp != SANDBOX_TMP_REAL) {
        layers_relax(l, "/tmp as it is (%s)", can->why);
        box->tmp = SANDBOX_TMP_REAL;
    }
    if (!can->network)
        layers_relax(l, "the network as it is (%s)", can->why);
    if (!can->lock)
        layers_relax(l, "rights and system calls as they are (%s)", can->why);
    box->mounts = can->mounts;
    box->network = can->network;
    box->lock = can->lock;
}

/* Without namespaces the rest of the sandbox would promise what it cannot keep. */
void layers_degrade(struct layers *l)
{
    l->watch = l->trial = (struct sandbox){.mounts = false};
    l->own_home = l->home != NULL;
    l->own_tmp = true;
}

static int probe(struct layers *l, const char *upper, struct err *e)
{
    l->watch.upper = upper;
    int did = sandbox_probe(&l->watch, &l->can, e);
    l->watch.upper = NULL;
    return did;
}

/* Before Linux 6.6 layers in memory miss something in a user namespace. */
static int needs_disk(const struct layers *l, bool *ret, struct err *e)
{
    struct sandbox_can can;
    struct sandbox box = l->watch;
    if (sandbox_probe(&box, &can, e) < 0)
        return -1;
    *ret = !can.mounts;
    for (size_t i = 0; i < box.cows; i++)
        *ret |= l->can.upper && !can.cow[i];
    return 0;
}

int layers_open(struct layers *ret, const struct target *t, const char *rundir, bool off,
                struct err *e)
{
    *ret = (struct layers){.off = off, .home = find_home()};
    if (off)
        return 0;
    own_text struct text upper = {0};
    text_addf(&upper, "%s/u", rundir);
    if (mkdir(text_str(&upper), 0755) < 0)
        return err_sys(e, "creating %s", text_str(&upper));
    wish(ret, t, rundir);
    if (probe(ret, text_str(&upper), e) < 0)
        return -1;
    if (!ret->can.mounts) {
        layers_degrade(ret);
        return 0;
    }
    if (ret->can.user_namespace)
        wish(ret, t, rundir); /* the same, less what is foreign */
    if (ret->can.user_namespace && probe(ret, text_str(&upper), e) < 0)
        return -1;
    take_allowed(ret);
    if (ret->watch.cows == 0 && ret->watch.tmp == SANDBOX_TMP_REAL) { /* nothing would be held */
        ret->can.mounts = false;
        while (ret->relaxed.n)
            argv_pop(&ret->relaxed);
        layers_degrade(ret);
        return 0;
    }
    if (ret->can.user_namespace && needs_disk(ret, &ret->on_disk, e) < 0)
        return -1;
    ret->trial = ret->watch;
    if (ret->watch.tmp == SANDBOX_TMP_COW && !ret->lives_in_tmp)
        ret->trial.tmp = SANDBOX_TMP_PRIVATE;
    ret->watch.network = ret->watch.lock = false; /* or nobody would see what the test needs */
    return 0;
}

void layers_keep(struct layers *l, const char *path)
{
    const char *slash = strrchr(path, '/');
    own_text struct text folder = {0};
    if (!layers_in_tmp(path) || !slash || !l->trial.mounts)
        return;
    text_addn(&folder, path, fdio_is_dir(path) ? strlen(path) : (size_t)(slash - path));
    layers_add_folder(l, l->watch.keep, &l->watch.keeps, text_str(&folder));
    layers_add_folder(l, l->trial.keep, &l->trial.keeps, text_str(&folder));
}

void layers_done(struct layers *l)
{
    argv_done(&l->folders);
    argv_done(&l->relaxed);
    free(l->home);
    free(l->project);
    *l = (struct layers){.off = true};
}

bool layers_drop(struct layers *l, enum layers_part part)
{
    static const char why[] = "trials differ from the first run otherwise";
    switch (part) {
    case LAYERS_RIGHTS:
        if (!l->trial.lock)
            return false;
        layers_relax(l, "rights and system calls as they are (%s)", why);
        l->trial.lock = false;
        return true;
    case LAYERS_NETWORK:
        if (!l->trial.network)
            return false;
        layers_relax(l, "the network as it is (%s)", why);
        l->trial.network = false;
        return true;
    case LAYERS_MEMORY:
        if (!l->trial.mounts || l->on_disk || !l->can.upper)
            return false;
        layers_relax(l, "copies on disk (%s)", why);
        l->on_disk = true;
        return true;
    case LAYERS_TMP:
        if (l->trial.tmp != SANDBOX_TMP_PRIVATE)
            return false;
        layers_relax(l, "what /tmp holds can be read (%s)", why);
        l->trial.tmp = SANDBOX_TMP_COW;
        return true;
    case LAYERS_FOLDERS:
        if (!l->own_home && !l->own_tmp)
            return false;
        layers_relax(l, "HOME and TMPDIR as they are (%s)", why);
        l->own_home = l->own_tmp = false;
        return true;
    case LAYERS_PARTS:
        break;
    }
    return false;
}

/* Whether changes there go to layers: an existing folder that is covered, and not kept. */
static bool shown_cow(const struct sandbox *b, const char *folder)
{
    if (!b->mounts || !folder || !fdio_is_dir(folder) || layers_kept(b, folder))
        return false;
    return layers_covered(b, folder) || (layers_in_tmp(folder) && b->tmp == SANDBOX_TMP_COW);
}

bool layers_own_files(const struct layers *l)
{
    return shown_cow(&l->trial, l->project);
}

void layers_say(const struct layers *l, struct argv *out)
{
    const struct sandbox *b = &l->trial;
    argv_add(out, "preload");
    if (l->off)
        argv_add(out, "no sandbox, as asked");
    else if (!l->can.mounts)
        argv_addf(out, "no namespaces (%s)", l->can.why);
    if (shown_cow(b, l->home))
        argv_add(out, "HOME copy-on-write");
    if (shown_cow(b, l->project))
        argv_add(out, "project copy-on-write");
    if (b->tmp == SANDBOX_TMP_PRIVATE)
        argv_add(out, "/tmp private");
    else if (b->tmp == SANDBOX_TMP_COW)
        argv_add(out, "/tmp copy-on-write");
    if (b->network)
        argv_add(out, "network cut off");
    if (b->lock)
        argv_add(out, "rights dropped");
    if (l->own_home)
        argv_add(out, "HOME empty");
    if (l->own_tmp)
        argv_add(out, "TMPDIR empty");
    argv_copy(out, &l->relaxed);
}
