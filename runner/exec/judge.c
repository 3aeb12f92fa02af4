#include "exec/judge.h"

#include "base/fdio.h"
#include "base/own.h"
#include "exec/child.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESULT_MAX ((size_t)4 << 20)

int judge_events(const char *folder, int (*take)(void *ctx, struct event *ev), void *ctx,
                 struct err *e)
{
    own_text struct text path = {0}, all = {0};
    text_addf(&path, "%s/r", folder);
    if (access(text_str(&path), F_OK) < 0)
        return 0; /* the process ended before the plugin was there */
    if (fdio_read_file(text_str(&path), RESULT_MAX, &all, e) < 0)
        return -1;
    char *rest = all.at;
    while (rest && *rest) {
        char *line = rest, *end = strchr(rest, '\n');
        if (!end)
            return 0; /* torn by a kill in the middle of a write */
        *end = 0;
        rest = end + 1;
        own_event struct event ev = {0};
        if (channel_parse(line, &ev, e) < 0)
            return -1;
        if (take(ctx, &ev))
            return 0;
    }
    return 0;
}

struct phases { /* of the one test that is judged, or of a whole file's */
    const char *nodeid;
    size_t function; /* siblings count too: ids that begin with so much of it; 0: it alone */
    struct outcome *o;
    bool collected, begun, setup, call, teardown, skipped, failed, end;
};

static void take_failure(struct phases *p, const char *when, const struct event *ev)
{
    struct outcome *o = p->o;
    if (p->failed)
        return; /* the first failing phase is the failure; what follows may follow from it */
    p->failed = true;
    o->kind = strcmp(when, "call") == 0 ? OUTCOME_FAIL : OUTCOME_ERROR;
    text_copy(o->print.phase, sizeof o->print.phase, when);
    text_copy(o->print.type, sizeof o->print.type, ev->type ? ev->type : "failed");
    text_copy(o->print.site, sizeof o->print.site, ev->site ? ev->site : "");
    text_copy(o->message, sizeof o->message, ev->message ? ev->message : "");
}

static bool is_file(const char *nodeid)
{
    return !strstr(nodeid, "::");
}

/* A test of the file that is judged as a whole. */
static bool is_inside(const char *file, const char *id)
{
    size_t n = strlen(file);
    return is_file(file) && strncmp(file, id, n) == 0 && strncmp(id + n, "::", 2) == 0;
}

/* Another case of the same function. */
static bool is_sibling(const struct phases *p, const char *id)
{
    return strncmp(p->nodeid, id, p->function) == 0 && (id[p->function] == '[' || !id[p->function]);
}

/* Of the test's own module: it was collected in the watched run, so this is how it fails now. */
static void take_collect_error(struct phases *p, struct event *ev)
{
    size_t n = strlen(ev->id);
    if (p->nodeid && n && text_starts(p->nodeid, ev->id) && p->nodeid[n] == ':' && ev->type)
        take_failure(p, "collect", ev);
}

static int take_event(void *ctx, struct event *ev)
{
    struct phases *p = ctx;
    if (ev->kind == EVENT_COLLECT_ERROR && ev->id)
        take_collect_error(p, ev);
    if (ev->kind == EVENT_COLLECTED)
        p->collected = ev->errors == 0 && ev->ids.n > 0 &&
                       (!p->nodeid || is_file(p->nodeid) || event_has(ev, p->nodeid));
    p->begun |= ev->kind == EVENT_BEGIN;
    if ((ev->kind != EVENT_PHASE && ev->kind != EVENT_END) || !ev->id)
        return 0;
    if (p->nodeid && strcmp(p->nodeid, ev->id) != 0 && !is_inside(p->nodeid, ev->id)) {
        if (p->function && ev->kind == EVENT_PHASE && is_sibling(p, ev->id) && ev->when &&
            ev->outcome && strcmp(ev->outcome, "failed") == 0)
            take_failure(p, ev->when, ev);
        return 0;
    }
    if (ev->kind == EVENT_END) {
        p->end = true;
        if (ev->drawn)
            p->o->changed |= axis_bit(FD_AXIS_RNG);
        return 0;
    }
    if (!ev->when || !ev->outcome)
        return 0;
    p->setup |= strcmp(ev->when, "setup") == 0;
    p->call |= strcmp(ev->when, "call") == 0;
    p->teardown |= strcmp(ev->when, "teardown") == 0;
    if (strcmp(ev->outcome, "failed") == 0)
        take_failure(p, ev->when, ev);
    if (strcmp(ev->outcome, "skipped") == 0 && !ev->xfail)
        p->skipped = true;
    return 0;
}

/* "File "/x/y.py", line 12 in name" of the first frame that is not the standard library's: of the
 * thread that crashed or was asked, if it has one. */
static void stack_site(const struct ending *how, const char *from, char *site, size_t size)
{
    for (const char *at = from; at && (at = strstr(at, "File \"")); at++) {
        const char *path = at + 6, *quote = strchr(path, '"');
        if (!quote)
            return;
        unsigned line = 0;
        sscanf(quote, "\", line %u", &line);
        own_text struct text name = {0};
        text_addn(&name, path, (size_t)(quote - path));
        if (strstr(text_str(&name), "/lib/python3") || strstr(text_str(&name), "-packages/") ||
            text_str(&name)[0] == '<')
            continue;
        const char *shown = text_str(&name);
        size_t root = how->rootdir ? strlen(how->rootdir) : 0;
        if (root && text_starts(shown, how->rootdir) && shown[root] == '/')
            shown += root + 1;
        snprintf(site, size, "%.200s:%u", shown, line);
        return;
    }
}

static void hang_site(const struct ending *how, char *site, size_t size)
{
    const char *current = how->stack ? strstr(how->stack, "Current thread") : NULL;
    stack_site(how, current, site, size);
    if (!site[0])
        stack_site(how, how->stack, site, size);
}

static void synthetic(struct phases *p, enum outcome_kind kind, const char *type)
{
    const char *where = p->call ? "teardown" : p->setup ? "call" : "setup";
    p->o->kind = kind;
    text_copy(p->o->print.phase, sizeof p->o->print.phase, where);
    text_copy(p->o->print.type, sizeof p->o->print.type, type);
}

static void signal_name(int signal, char *buf, size_t size)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
                 {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGKILL, "SIGKILL"},
                 {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},   {SIGTRAP, "SIGTRAP"},
                 {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGHUP, "SIGHUP"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].number == signal) {
            snprintf(buf, size, "<%s>", names[i].name);
            return;
        }
    }
    snprintf(buf, size, "<signal %d>", signal);
}

static void judge_unfinished(struct phases *p, const struct ending *how)
{
    char type[64];
    if (how->by_deadline) {
        synthetic(p, OUTCOME_HANG, "<hang>");
        hang_site(how, p->o->print.site, sizeof p->o->print.site);
    } else if (WIFSIGNALED(how->status)) {
        signal_name(WTERMSIG(how->status), type, sizeof type);
        synthetic(p, OUTCOME_CRASH, type);
        hang_site(how, p->o->print.site, sizeof p->o->print.site);
    } else {
        snprintf(type, sizeof type, "<exit %d>", WEXITSTATUS(how->status));
        synthetic(p, OUTCOME_CRASH, type);
    }
}

#define ERRORS_MAX ((size_t)64 << 10)

/* The last line on stderr that holds anything. */
static void last_line(const char *folder, struct text *out)
{
    own_text struct text path = {0}, all = {0};
    struct err ignored;
    text_addf(&path, "%s/err", folder);
    own_fd int fd = open(text_str(&path), O_RDONLY | O_CLOEXEC);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    if (size > (off_t)ERRORS_MAX) { /* its end will do */
        char buf[4096];
        ssize_t n = pread(fd, buf, sizeof buf, size - (off_t)sizeof buf);
        text_addn(&all, buf, n > 0 ? (size_t)n : 0);
    } else if (size > 0) {
        (void)fdio_read_file(text_str(&path), ERRORS_MAX, &all, &ignored);
    }
    while (all.len && strchr(" \t\r\n", all.at[all.len - 1]))
        text_cut(&all, all.len - 1);
    const char *line = all.len ? strrchr(all.at, '\n') : NULL;
    text_add(out, line ? line + 1 : text_str(&all));
}

/* What differs from run to run without meaning anything: addresses, long numbers, temporary paths.
 */
static void normalise(const char *line, struct text *out)
{
    while (*line) {
        size_t digits = strspn(line, "0123456789");
        if (text_starts(line, "0x") && isxdigit((unsigned char)line[2])) {
            text_add(out, "0xADDR");
            line += 2 + strspn(line + 2, "0123456789abcdefABCDEF");
        } else if (text_starts(line, "/tmp/") || text_starts(line, "/var/tmp/")) {
            text_add(out, "<tmp>");
            line += strcspn(line, " \t:;,'\")");
        } else if (digits >= 5) {
            text_add(out, "<n>");
            line += digits;
        } else {
            size_t n = digits ? digits : 1;
            text_addn(out, line, n);
            line += n;
        }
    }
}

/* A program passes with status 0; how it fails is told by its status and what it said last. */
static void judge_program(const char *folder, const struct ending *how, struct outcome *o)
{
    own_text struct text line = {0}, type = {0};
    text_copy(o->print.phase, sizeof o->print.phase, "run");
    if (how->by_deadline) {
        o->kind = OUTCOME_HANG;
        text_copy(o->print.type, sizeof o->print.type, "<hang>");
        return;
    }
    last_line(folder, &line);
    text_copy(o->message, sizeof o->message, text_str(&line));
    if (WIFSIGNALED(how->status)) {
        o->kind = OUTCOME_CRASH;
        signal_name(WTERMSIG(how->status), o->print.type, sizeof o->print.type);
        return;
    }
    o->kind = WEXITSTATUS(how->status) ? OUTCOME_FAIL : OUTCOME_PASS;
    if (o->kind == OUTCOME_PASS) {
        o->print = (struct fingerprint){.phase = ""};
        o->message[0] = 0;
        return;
    }
    text_addf(&type, "exit %d", WEXITSTATUS(how->status));
    if (line.len) {
        text_add(&type, ": ");
        normalise(text_str(&line), &type);
    }
    text_copy(o->print.type, sizeof o->print.type, text_str(&type));
}

/* Whether the file of the trial says that its test ran among the others of its file. */
static bool is_spread(const char *folder)
{
    char path[128];
    snprintf(path, sizeof path, "%s/x", folder);
    return access(path, F_OK) == 0;
}

static int judge_one(const char *folder, const char *nodeid, const struct ending *how,
                     struct outcome *o, struct err *e)
{
    bool file = nodeid && is_file(nodeid), spread = nodeid && !file && is_spread(folder);
    struct phases p = {.nodeid = nodeid, .o = o};
    p.function = spread ? strcspn(nodeid, "[") : 0;
    o->kind = OUTCOME_NOT_RUN;
    if (how->program) {
        judge_program(folder, how, o);
        return 0;
    }
    if (judge_events(folder, take_event, &p, e) < 0)
        return -1;
    if (p.failed)
        return 0;
    bool cut_short = how->by_deadline || WIFSIGNALED(how->status);
    if (p.teardown &&
        !(file &&
          cut_short)) { /* what hangs or dies after the last phase is not the test's outcome */
        o->kind = p.skipped && !file ? OUTCOME_SKIPPED : OUTCOME_PASS;
        return 0;
    }
    if (how->others && !p.begun) /* one before it hangs, dies or ends the session */
        return 0;
    if (spread && !p.setup) /* ended while others of the file ran */
        return 0;
    if (cut_short) {
        judge_unfinished(&p, how);
        return 0;
    }
    /* It had its turn and went away in the middle; else pytest never came to the test. */
    if (p.setup || p.collected || how->warm)
        judge_unfinished(&p, how);
    return 0;
}

/* How copy i went: as it ended, or with all of them. */
static struct ending ending_of(const char *folder, unsigned i, const struct ending *all)
{
    struct ending one = *all;
    int status;
    if (copies_ended(folder, i, &status)) {
        one.status = status;
        /* Where nobody listened any more, our question has ended it. */
        one.by_deadline = WIFSIGNALED(status) && WTERMSIG(status) == CHILD_STACK_SIGNAL;
    }
    return one;
}

/* A failure says more than a hang, which may be another copy's wait for it. */
static int rank(const struct outcome *o)
{
    static const int ranks[] = {
        [OUTCOME_PASS] = 0,  [OUTCOME_SKIPPED] = 1, [OUTCOME_NOT_RUN] = 2, [OUTCOME_HANG] = 3,
        [OUTCOME_CRASH] = 4, [OUTCOME_ERROR] = 5,   [OUTCOME_FAIL] = 6};
    return ranks[o->kind];
}

int judge_trial(const char *folder, const char *nodeid, const struct ending *how, struct outcome *o,
                struct err *e)
{
    struct ending first = ending_of(folder, 0, how);
    if (judge_one(folder, nodeid, &first, o, e) < 0)
        return -1;
    struct outcome sum = {0};
    outcome_tally(&sum, o->kind);
    for (unsigned i = 1; i < COPIES_MAX; i++) {
        char copy[128];
        copies_folder(folder, i, copy, sizeof copy);
        if (access(copy, F_OK) < 0)
            break;
        struct outcome other = *o;
        struct ending its = ending_of(folder, i, how);
        other.print = (struct fingerprint){0};
        other.message[0] = 0;
        if (judge_one(copy, nodeid, &its, &other, e) < 0)
            return -1;
        outcome_tally(&sum, other.kind);
        if (rank(&other) > rank(o))
            *o = other;
    }
    o->passed = sum.passed;
    o->failed = sum.failed;
    o->unknown = sum.unknown;
    return 0;
}
