#include "cli/evidence.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "cli/progress.h"
#include "cli/reports.h"
#include "cli/say.h"
#include "report/human.h"
#include "triage/gate.h"
#include "triage/weigh.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST_NS   (2 * NS_PER_S) /* of one failure: less is no use */
#define DEPTH_MAX  8              /* folders below rootdir */
#define LOOKED_MAX 100000         /* names in them */

/* Whether a folder holds Python of its own. */
static bool is_package(const char *path)
{
    DIR *d = opendir(path);
    bool found = false;
    for (struct dirent *e; d && !found && (e = readdir(d));)
        found = text_ends(e->d_name, ".py") || text_ends(e->d_name, ".so");
    if (d)
        closedir(d);
    return found;
}

static bool is_others(const char *name, size_t n) /* not of the project itself */
{
    static const char *const names[] = {
        "node_modules", "site-packages", "__pycache__", ".git",        ".hg",
        ".svn",         ".tox",          ".nox",        ".venv",       ".mypy_cache",
        ".ruff_cache",  ".hypothesis",   ".pytest_cache"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && memcmp(name, names[i], n) == 0)
            return true;
    return (n == 1 && name[0] == '.') || (n == 2 && memcmp(name, "..", 2) == 0);
}

/* What is looked for among the project's own files and folders. */
struct sought {
    bool (*is_it)(struct sought *w, const char *path, const char *name, const struct stat *st);
    const char *module;      /* is_module() */
    const struct failure *f; /* is_left_behind(), as the next two; hidden ones are looked at, too */
    int64_t since_ns;
    const struct argv *streams;
    struct text found;
    unsigned looked;
};

static bool look_below(struct sought *w, const char *folder, unsigned depth)
{
    DIR *d = opendir(folder);
    bool found = false;
    for (struct dirent *e; d && !found && w->looked < LOOKED_MAX && (e = readdir(d));) {
        own_text struct text path = {0};
        struct stat st;
        w->looked++;
        if (is_others(e->d_name, strlen(e->d_name)) || (e->d_name[0] == '.' && !w->f))
            continue;
        text_addf(&path, "%s/%s", folder, e->d_name);
        if (lstat(text_str(&path), &st) < 0)
            continue;
        found = w->is_it(w, text_str(&path), e->d_name, &st);
        if (!found && S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
            found = look_below(w, text_str(&path), depth + 1);
    }
    if (d)
        closedir(d);
    return found;
}

/* NAME, NAME.py or NAME.cpython-….so. */
static bool is_module(struct sought *w, const char *path, const char *name, const struct stat *st)
{
    size_t n = strlen(w->module);
    (void)st;
    if (strncmp(name, w->module, n) != 0)
        return false;
    if (name[n] == '.')
        return text_ends(name, ".py") || text_ends(name, ".so");
    return !name[n] && is_package(path);
}

/* Below the project, or where tests write what they want to read again. */
static bool is_own_file(const char *path, const char *rootdir)
{
    own_mem char *real = realpath(rootdir, NULL);
    if (fdio_is_below(path, rootdir) || fdio_is_below(path, real) ||
        fdio_is_below(path, getenv("TMPDIR")))
        return true;
    return !fdio_is_below(path, getenv("HOME")) &&
           (fdio_is_below(path, "/tmp") || fdio_is_below(path, "/var/tmp") ||
            fdio_is_below(path, "/dev/shm"));
}

static bool is_ours(const struct failure *f, const char *rootdir)
{
    own_text struct text module = {0}, top = {0}, file = {0};
    if (weigh_missing_file(f, &file))
        return is_own_file(text_str(&file), rootdir);
    if (!weigh_missing_module(f, &module))
        return false;
    text_addn(&top, text_str(&module), strcspn(text_str(&module), "."));
    struct sought of_it = {.is_it = is_module, .module = text_str(&top)};
    return top.len == 0 || look_below(&of_it, rootdir, 0);
}

/* What pytest itself writes to: "flaky-ci … > out". */
static bool is_stream(const struct argv *streams, const struct stat *st)
{
    own_text struct text id = {0};
    text_addf(&id, "%ju:%ju", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino);
    return streams && argv_has(streams, text_str(&id));
}

static int64_t ns_of(const struct timespec *t)
{
    return t->tv_sec * NS_PER_S + t->tv_nsec;
}

/* A copy may have the time of what it was copied from; when it was made stands beside that. */
static bool is_of_the_run(const struct sought *w, const struct stat *st)
{
    return (S_ISREG(st->st_mode) || S_ISLNK(st->st_mode)) &&
           (ns_of(&st->st_mtim) >= w->since_ns || ns_of(&st->st_ctim) >= w->since_ns) &&
           !is_stream(w->streams, st);
}

/* It came or changed since the run began, and the failure names it: a rerun finds it as that run
 * has left it. */
static bool is_left_behind(struct sought *w, const char *path, const char *name,
                           const struct stat *st)
{
    (void)path;
    if (!is_of_the_run(w, st) || !failure_names(w->f, name))
        return false;
    text_add(&w->found, name);
    return true;
}

/* Each run has folders of its own there (tmp_path), and what the system tells is always new. */
static bool is_fleeting(const char *path)
{
    const char *const folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev", "/proc", "/sys"};
    for (size_t i = 0; *path == '/' && i < sizeof folders / sizeof *folders; i++)
        if (fdio_is_below(path, folders[i]))
            return true;
    for (const char *s = path; *s; s += strcspn(s, "/"), s += *s == '/') {
        size_t n = strcspn(s, "/");
        if (!(n <= 2 && s[0] == '.') && is_others(s, n))
            return true;
    }
    return false;
}

static bool is_path_left(struct sought *w, const char *path, const char *rootdir)
{
    own_text struct text below = {0};
    struct stat st;
    if (!strchr(path, '/') || is_fleeting(path))
        return false;
    text_addf(&below, "%s/%s", rootdir, path);
    if ((lstat(path, &st) < 0 || !is_of_the_run(w, &st)) &&
        (*path == '/' || lstat(text_str(&below), &st) < 0 || !is_of_the_run(w, &st)))
        return false;
    text_add(&w->found, path);
    return true;
}

/* Wherever it is: the failure says its path. */
static bool look_where_told(struct sought *w, const char *rootdir)
{
    static const char ends[] = " \t\n\r'\"`,;:()[]{}<>=|";
    const struct failure *f = w->f;
    const char *const told[] = {f->exc_message, f->traceback, f->out, f->err};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        for (const char *s = told[i]; s && *s; s += strcspn(s, ends), s += *s != 0) {
            own_text struct text path = {0};
            text_addn(&path, s, strcspn(s, ends));
            if (is_path_left(w, text_str(&path), rootdir))
                return true;
        }
    return false;
}

/* Below rootdir, and where pytest was started if that is above it. */
static bool look_for_left(struct sought *w, const char *rootdir)
{
    own_mem char *here = realpath(".", NULL), *root = realpath(rootdir, NULL);
    bool above = here && root && strcmp(here, root) != 0 && fdio_is_below(root, here);
    return look_below(w, above ? "." : rootdir, 0) || look_where_told(w, rootdir);
}

/* What passes now may do so for what the run in which it failed has left. */
static bool passes_by_what_is_left(struct failure *f, const struct evidence_plan *p,
                                   const char *rootdir)
{
    own_text struct text why = {0};
    struct sought left = {
        .is_it = is_left_behind, .f = f, .since_ns = p->began_ns, .streams = p->streams};
    if (!p->began_ns || !f->rerun.runs || f->rerun.failed || f->rerun.causes ||
        !look_for_left(&left, rootdir))
        return false;
    text_addf(&why,
              "it passes now, but \"%s\", which the failure names, came or changed during the run: "
              "without it the test may fail every time",
              text_str(&left.found));
    text_done(&left.found);
    free(f->rerun.reason);
    f->rerun.reason = text_take(&why);
    return true;
}

static void decide(struct failure *f, const struct evidence_plan *p, const char *rootdir)
{
    struct opinion v = {0};
    f->looked_into = true;
    if (f->phase && strcmp(f->phase, "collect") == 0)
        rerun_count_collection(&f->rerun, f->exc_type);
    if (passes_by_what_is_left(f, p, rootdir))
        return;
    if (weigh(f, is_ours(f, rootdir), &v)) {
        opinion_done(&f->verdict);
        f->verdict = v;
        f->judged = f->by_evidence = true;
    }
}

static int diagnose(struct request *r, const struct evidence_plan *p, struct reports *ret,
                    struct err *e)
{
    if (!p->term)
        return live_diagnose(r, ret, e);
    struct progress_view view = {.fd = STDERR_FILENO,
                                 .live = p->term->live,
                                 .width = p->term->width,
                                 .now = clock_mono_ns};
    say_note("running %s again (at most %.0f s)", r->spec, (double)r->budget_ns / (double)NS_PER_S);
    r->watch = &view.watch;
    progress_start(&view);
    int did = live_diagnose(r, ret, e);
    progress_end(&view);
    return did;
}

static int run_again(struct failure *f, size_t i, const struct evidence_plan *p, int64_t budget_ns,
                     struct err *e)
{
    own_argv struct argv before = {0};
    struct reports found = {0};
    struct err why = {0};
    struct request r = {.spec = f->select.n ? f->select.at[0] : f->nodeid,
                        .args = p->args,
                        .python = p->python,
                        .script = p->script,
                        .axes = AXES_ALL,
                        .budget_ns = budget_ns,
                        .seed = reports_seed(),
                        .log = "none",
                        .before = p->before ? &before : NULL,
                        .brief = true,
                        .allow_side_effects = p->allow_side_effects};
    if (p->before && p->before(p->of, i, &before, e) < 0)
        return -1;
    int did = diagnose(&r, p, &found, &why);
    if (found.n > 0) {
        own_text struct text advice = {0};
        report_advice(&found.at[0].finding, &advice);
        rerun_fill(&found.at[0].finding, text_str(&advice), &f->rerun);
    } else {
        rerun_none(why.what, &f->rerun);
    }
    reports_done(&found);
    if (did == 0 || why.kind != ERR_INTERRUPT)
        return 0; /* what went wrong with one test says nothing of the next */
    *e = why;
    return -1;
}

/* One failure of the test was looked into already, in another phase. */
static const struct failure *same_test(const struct failures *all, const struct failure *f)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct failure *other = &all->at[i];
        if (other->looked_into && other != f && strcmp(other->nodeid, f->nodeid) == 0)
            return other;
    }
    return NULL;
}

static size_t count_distinct(const struct failure_place *order, size_t n)
{
    size_t distinct = 0;
    for (size_t i = 0; i < n; i++)
        distinct += order[i].at == order[i].first;
    return distinct;
}

/* Whether the verdict of the first of several identical failures is that of all: not where it
 * clears it, for what else is wrong with another test has not run yet. */
static bool is_shared(const struct failure *first, const struct failure *f)
{
    return !failure_is_flake(first) || strcmp(first->nodeid, f->nodeid) == 0;
}

/* Identical failures share what the first of them has shown. */
static void share(struct failures *all, const struct failure_place *order)
{
    for (size_t i = 0; i < all->n; i++) {
        struct failure *f = &all->at[order[i].at];
        const struct failure *first = &all->at[order[i].first];
        f->count = order[i].shared;
        if (f == first || !is_shared(first, f))
            continue;
        rerun_copy(&f->rerun, &first->rerun);
        f->looked_into = true;
        if (!first->judged || !first->by_evidence)
            continue;
        opinion_copy(&f->verdict, &first->verdict);
        f->judged = f->by_evidence = true;
    }
}

struct gathering {
    struct triage *t;
    const struct evidence_plan *p;
    const char *rootdir;
    int64_t deadline_ns;
    size_t left; /* failures that are not looked into yet */
    int did;     /* -1: interrupted */
};

static int64_t share_of(int64_t left_ns, size_t many)
{
    int64_t one = left_ns / (int64_t)many;
    return left_ns < LEAST_NS ? 0 : one < LEAST_NS ? LEAST_NS : one;
}

static int look_into(struct gathering *g, size_t i, struct err *e)
{
    struct failures *all = &g->t->failures;
    struct failure *f = &all->at[i];
    const struct failure *known = same_test(all, f);
    int64_t budget = share_of(g->deadline_ns - clock_mono_ns(), g->left--);
    if (known)
        rerun_copy(&f->rerun, &known->rerun);
    else if (g->did < 0)
        rerun_none("interrupted", &f->rerun);
    else if (budget == 0)
        rerun_none("the budget for evidence was used up", &f->rerun);
    else
        g->did = run_again(f, i, g->p, budget, e);
    if (g->did < 0 && e->kind != ERR_INTERRUPT)
        return -1;
    decide(f, g->p, g->rootdir);
    return 0;
}

static void forget(struct failures *all) /* what a report of an earlier run may hold */
{
    for (size_t i = 0; i < all->n; i++) {
        rerun_done(&all->at[i].rerun);
        all->at[i].looked_into = false;
        all->at[i].judged &= !all->at[i].by_evidence;
    }
}

int evidence_gather(struct triage *t, const struct evidence_plan *p, struct err *e)
{
    struct failures *all = &t->failures;
    own_mem struct failure_place *order = failures_by_weight(all);
    struct gathering g = {.t = t,
                          .p = p,
                          .rootdir = p->rootdir ? p->rootdir : ".",
                          .deadline_ns = clock_mono_ns() + p->budget_ns,
                          .left = count_distinct(order, all->n)};
    t->evidenced = true;
    forget(all);
    for (size_t i = 0; i < all->n; i++)
        if (order[i].at == order[i].first && look_into(&g, order[i].at, e) < 0)
            return -1;
    for (size_t i = 0; i < all->n; i++)
        g.left += order[i].at != order[i].first &&
                  !is_shared(&all->at[order[i].first], &all->at[order[i].at]);
    for (size_t i = 0; i < all->n; i++)
        if (order[i].at != order[i].first &&
            !is_shared(&all->at[order[i].first], &all->at[order[i].at]) &&
            look_into(&g, order[i].at, e) < 0)
            return -1;
    share(all, order);
    return g.did;
}
