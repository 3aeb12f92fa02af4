#include "live/log.h"

#include "base/fdio.h"
#include "base/own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FILE_MAX  ((size_t)16 << 20)
#define FILES_MAX 64

static bool is_log(const char *name)
{
    return text_starts(name, "log-") && text_ends(name, ".ndjson");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the logs here, the oldest first: they begin with their date. */
static void list_logs(const char *folder, struct argv *out)
{
    DIR *d = opendir(folder);
    for (struct dirent *one; d && (one = readdir(d));)
        if (is_log(one->d_name))
            argv_add(out, one->d_name);
    if (d)
        closedir(d);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_name);
}

static bool same_words(const struct argv *a, const struct argv *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = strcmp(a->at[i], b->at[i]) == 0;
    return same;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

#define OF_COMMAND "--command " /* before the target of a log that is a program's */

/* What a log calls the target; "" where none is named. */
static void target_word(const struct request *q, struct text *out)
{
    text_addf(out, "%s%s", q->program ? OF_COMMAND : "", q->spec ? q->spec : "");
}

static int read_log(struct engine *g, const char *path, struct err *e)
{
    trial_log_done(&g->log);
    if (trial_log_read(path, &g->log, &g->log_whole, e) < 0)
        return -1;
    text_copy(g->log_path, sizeof g->log_path, path);
    return 0;
}

/* The newest log of the target, or of anything where none is named. */
static int newest(struct engine *g, const char *spec, struct err *e)
{
    own_text struct text folder = {0};
    own_argv struct argv names = {0};
    text_addf(&folder, "%s/" LOG_FOLDER, g->target->cwd);
    list_logs(text_str(&folder), &names);
    for (size_t i = names.n; i-- > 0;) {
        own_text struct text path = {0};
        struct err ignored;
        text_addf(&path, "%s/%s", text_str(&folder), names.at[i]);
        if (read_log(g, text_str(&path), &ignored) == 0 &&
            (!*spec || same_text(g->log.head.target, spec)))
            return 0;
    }
    trial_log_done(&g->log);
    err_set(e, ERR_STALE, "there is no log%s%s in %s", *spec ? " of " : "", spec,
            text_str(&folder));
    return err_hint(e, "stand where the diagnosis was started, or name its log with --log FILE");
}

static int check_same(const struct engine *g, const struct request *q, struct err *e)
{
    const struct log_head *h = &g->log.head;
    static const char again[] = "start anew, without --resume";
    own_text struct text word = {0};
    target_word(q, &word);
    if (!same_text(h->tool, FR_VERSION))
        err_set(e, ERR_STALE, "%s was written by flaky-repro %s, this is " FR_VERSION, g->log_path,
                h->tool ? h->tool : "?");
    else if (q->spec ? !same_text(h->target, text_str(&word))
                     : h->target && text_starts(h->target, OF_COMMAND))
        err_set(e, ERR_STALE, "%s is the log of %s, not of %s", g->log_path,
                h->target ? h->target : "?", q->spec ? text_str(&word) : "a test");
    else if (q->program ? !same_words(&h->args, q->program)
                        : q->args && q->args->n && !same_words(&h->args, q->args))
        err_set(e, ERR_STALE, "%s is the log of a run with other arguments for pytest",
                g->log_path);
    else if (q->seed_given && h->seed != q->seed)
        err_set(e, ERR_STALE, "%s was drawn with --seed %llu", g->log_path,
                (unsigned long long)h->seed);
    else if (q->axes != AXES_ALL && h->axes != q->axes)
        err_set(e, ERR_STALE, "%s was made with other --axes", g->log_path);
    else
        return 0;
    return err_hint(e, again);
}

/* A log that somebody named is not written over: it may be all that is left of a diagnosis. */
static int check_new(const char *path, struct err *e)
{
    struct stat st;
    if (fdio_make_parents(path, e) < 0)
        return err_hint(e, "choose another --log FILE; nothing was run");
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        err_set(e, ERR_USAGE, "%s is there already", path);
        return err_hint(e, "--resume goes on with it; or choose another --log FILE");
    }
    own_fd int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        err_sys(e, "the log cannot be written to %s", path);
        return err_hint(e, "choose another --log FILE; nothing was run");
    }
    return 0;
}

int log_prepare(struct engine *g, struct request *q, struct err *e)
{
    bool named = q->log && strcmp(q->log, "none") != 0;
    if (!q->resume)
        return named ? check_new(q->log, e) : 0;
    own_text struct text word = {0};
    target_word(q, &word);
    if (named ? read_log(g, q->log, e) : newest(g, text_str(&word), e))
        return -1;
    if (check_same(g, q, e) < 0)
        return -1;
    const struct log_head *h = &g->log.head;
    q->seed = h->seed;
    q->axes = h->axes;
    if (!q->spec) {
        q->spec = h->target;
        q->args = &h->args;
    }
    g->wall_ns = h->wall_ns;
    return q->spec ? 0 : err_set(e, ERR_STALE, "%s names no target", g->log_path);
}

/* "HASH PATH" of the files that the tests are written in: by them a log knows its tests. FNV-1a. */
static void note_file(const struct target *t, const char *nodeid, struct argv *out)
{
    own_text struct text path = {0}, all = {0};
    struct err ignored;
    const char *colons = strstr(nodeid, "::");
    int n = (int)(colons ? (size_t)(colons - nodeid) : strlen(nodeid));
    text_addf(&path, "%s/%.*s", t->rootdir ? t->rootdir : t->cwd, n, nodeid);
    for (size_t i = 0; i < out->n; i++)
        if (strlen(out->at[i]) == 17 + (size_t)n &&
            strncmp(out->at[i] + 17, nodeid, (size_t)n) == 0)
            return;
    if (out->n == FILES_MAX || fdio_read_file(text_str(&path), FILE_MAX, &all, &ignored) < 0)
        return;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < all.len; i++)
        h = (h ^ (unsigned char)all.at[i]) * UINT64_C(0x100000001b3);
    argv_addf(out, "%016llx %.*s", (unsigned long long)h, n, nodeid);
}

static int go_on(struct engine *g, const struct argv *files, struct err *e)
{
    const struct log_head *h = &g->log.head;
    const struct target *t = g->target;
    if (!same_words(&h->files, files))
        err_set(e, ERR_STALE, "the tests have changed since %s was written", g->log_path);
    else if (!same_text(h->python, t->python) || !same_text(h->pytest, t->pytest))
        err_set(e, ERR_STALE, "%s was made with Python %s and pytest %s", g->log_path,
                h->python ? h->python : "?", h->pytest ? h->pytest : "?");
    else {
        if (truncate(g->log_path, (off_t)g->log_whole) < 0 ||
            (g->log.fd = open(g->log_path, O_WRONLY | O_APPEND | O_CLOEXEC)) < 0)
            return err_sys(e, "going on with %s", g->log_path);
        return 0;
    }
    return err_hint(e, "start anew, without --resume");
}

/* Our folder keeps itself out of version control, and the oldest logs go. */
static void make_folder(const char *folder)
{
    own_argv struct argv names = {0};
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return;
    fdio_ignore_folder(folder);
    list_logs(folder, &names);
    for (size_t i = 0; i + LOG_KEPT <= names.n; i++) {
        own_text struct text old = {0};
        text_addf(&old, "%s/%s", folder, names.at[i]);
        (void)unlink(text_str(&old));
    }
}

static void own_path(struct engine *g)
{
    own_text struct text folder = {0};
    struct tm tm;
    char date[24];
    time_t now = time(NULL);
    text_addf(&folder, "%s/" LOG_FOLDER, g->target->cwd);
    make_folder(text_str(&folder));
    strftime(date, sizeof date, "%Y%m%d-%H%M%S", gmtime_r(&now, &tm));
    snprintf(g->log_path, sizeof g->log_path, "%.400s/log-%s-%d.ndjson", text_str(&folder), date,
             (int)getpid());
}

static char *copy(const char *text)
{
    return text ? str_or_die(text) : NULL;
}

int log_open(struct engine *g, const struct request *q, struct err *e)
{
    own_argv struct argv files = {0};
    const struct target *t = g->target;
    for (size_t i = 0; i < t->ids.n && !t->program.n; i++)
        note_file(t, t->ids.at[i], &files);
    if (t->program.n && strchr(t->program.at[0], '/'))
        note_file(t, t->program.at[0], &files);
    if (q->resume)
        return go_on(g, &files, e);
    if (q->log && strcmp(q->log, "none") == 0)
        return 0;
    if (q->log)
        text_copy(g->log_path, sizeof g->log_path, q->log);
    else
        own_path(g);
    g->log.fd = open(g->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (g->log.fd < 0)
        return q->log ? err_sys(e, "writing %s", g->log_path) : 0;
    struct log_head *h = &g->log.head;
    h->tool = copy(FR_VERSION);
    own_text struct text word = {0};
    target_word(q, &word);
    h->target = copy(text_str(&word));
    h->python = copy(t->python);
    h->pytest = copy(t->pytest);
    argv_copy(&h->args, t->program.n ? &t->program : &t->args);
    argv_copy(&h->files, &files);
    h->seed = q->seed;
    h->axes = q->axes;
    h->wall_ns = g->wall_ns;
    trial_log_begin(&g->log);
    return 0;
}

int64_t log_first(struct engine *g, struct outcome *first)
{
    int64_t used_ns;
    if (logged_first(&g->log, g->target->nodeid, first, &used_ns))
        return used_ns;
    const struct log_entry one = {
        .kind = LOG_FIRST, .nodeid = g->target->nodeid, .wished = TIER_FRESH, .outcome = *first};
    trial_log_append(&g->log, &one);
    return 0;
}
