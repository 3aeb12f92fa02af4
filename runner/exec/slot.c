#include "exec/slot.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "exec/judge.h"
#include "exec/native.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARM_LIMIT_NS (120 * NS_PER_S) /* to collect; a suite that needs longer runs fresh */
#define STACK_WAIT_NS (300 * NS_PER_MS)
/* What began before the budget's end may end after it, but not for as long as a hang may take. */
#define GRACE_NS (10 * NS_PER_S)

void slot_init(struct slot *s)
{
    *s = (struct slot){.warm = WARM_NONE, .fresh = CHILD_NONE};
}

void slot_clear(struct slot *s)
{
    child_done(&s->fresh);
    load_done(&s->load);
    page_done(&s->page);
    text_clear(&s->tail);
    if (s->folder[0])
        fdio_remove_tree(s->folder);
    s->folder[0] = 0;
    s->state = SLOT_IDLE;
    s->asked_stack = s->late = false;
}

void slot_done(struct slot *s)
{
    slot_clear(s);
    text_done(&s->tail);
    warm_done(&s->warm);
}

static void use_up_pids(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        if (pid > 0)
            waitpid(pid, NULL, 0);
    }
}

static struct launch launch_of(struct pool *p, const struct order *o, const char *folder)
{
    return (struct launch){.target = p->target,
                           .site = p->site,
                           .recipe = o->recipe,
                           .folder = folder,
                           .rundir = p->dir->path,
                           .channel = -1,
                           .select = p->target->nodeid};
}

int slot_start_raw(struct slot *s, const struct launch *l, int64_t limit_ns, struct err *e)
{
    if (load_start(&s->load, l->recipe->load, e) < 0 || spawn_start(l, false, &s->fresh, e) < 0)
        return -1;
    s->state = SLOT_FRESH;
    s->began_ns = clock_mono_ns();
    s->deadline_ns = s->began_ns + limit_ns;
    s->asked_stack = s->late = false;
    s->program = l->target->program.n > 0;
    text_copy(s->folder, sizeof s->folder, l->folder);
    text_clear(&s->tail);
    return 0;
}

static int start_fresh(struct pool *p, struct slot *s, struct err *e)
{
    own_text struct text select = {0};
    target_argument(p->target, &select);
    struct launch l = launch_of(p, s->order, s->folder);
    l.select = text_str(&select);
    return slot_start_raw(s, &l, s->order->limit_ns, e);
}

static int ask_warm(struct pool *p, struct slot *s, struct err *e)
{
    s->began_ns = clock_mono_ns();
    s->deadline_ns = s->began_ns + s->order->limit_ns;
    s->state = SLOT_WARM;
    if (load_start(&s->load, s->order->recipe->load, e) < 0)
        return -1;
    return warm_ask(&s->warm, s->folder, p->target->nodeid, s->order->recipe, e);
}

static int start_warming(struct pool *p, struct slot *s, struct err *e)
{
    warm_done(&s->warm);
    char folder[TRIAL_PATH_MAX];
    own_page struct page page = {0};
    if (rundir_trial(p->dir, folder, e) < 0 ||
        page_create(folder, &s->order->recipe->page, &page, e) < 0)
        return -1;
    own_text struct text select = {0};
    target_argument(p->target, &select);
    struct launch l = launch_of(p, s->order, folder);
    l.select = text_str(&select);
    l.scoped = s->order->recipe->before.n > 0;
    s->state = SLOT_WARMING;
    s->began_ns = clock_mono_ns();
    s->deadline_ns = s->began_ns + WARM_LIMIT_NS;
    return warm_start(&s->warm, &l, s->order->key, e);
}

/* A folder and a page for the order at hand. */
static int new_trial(struct pool *p, struct slot *s, struct err *e)
{
    return rundir_trial(p->dir, s->folder, e) < 0
               ? -1
               : page_create(s->folder, &s->order->recipe->page, &s->page, e);
}

int slot_start(struct pool *p, struct slot *s, const struct order *o, struct err *e)
{
    s->order = o;
    use_up_pids(o->spare);
    if (new_trial(p, s, e) < 0)
        return -1;
    if (o->tier == TIER_FRESH || p->no_warm[0] || o->recipe->fresh ||
        (p->no_warm_scope && o->recipe->before.n))
        return start_fresh(p, s, e);
    if (s->warm.ready && strcmp(s->warm.key, o->key) == 0)
        return ask_warm(p, s, e);
    return start_warming(p, s, e);
}

static void read_stack(const struct slot *s, struct text *out)
{
    own_text struct text path = {0};
    text_addf(&path, "%s/s", s->folder);
    struct err ignored;
    (void)fdio_read_file(text_str(&path), 1 << 16, out, &ignored);
}

/* One that left none takes nothing away from what another has left. */
static void keep_stack(struct pool *p, const struct text *stack)
{
    if (stack->len == 0)
        return;
    text_clear(&p->stack);
    text_addn(&p->stack, stack->at, stack->len);
}

static void keep_tail(struct pool *p, struct slot *s)
{
    text_clear(&p->tail);
    text_addn(&p->tail, text_str(&s->tail), s->tail.len);
}

void slot_keep_words(struct pool *p, struct slot *s)
{
    own_text struct text stack = {0};
    keep_tail(p, s);
    read_stack(s, &stack);
    keep_stack(p, &stack);
}

bool slot_ended_by_us(const struct slot *s, int status)
{
    return s->late ||
           (s->asked_stack && WIFSIGNALED(status) && WTERMSIG(status) == CHILD_STACK_SIGNAL);
}

static int finish(struct pool *p, struct slot *s, int status, struct outcome *o, struct err *e)
{
    s->late = slot_ended_by_us(s, status);
    *o = (struct outcome){.tier = s->state == SLOT_FRESH ? TIER_FRESH : TIER_WARM};
    o->took_ns = clock_mono_ns() - s->began_ns;
    struct ending how = {.status = status,
                         .by_deadline = s->late,
                         .rootdir = p->target->rootdir,
                         .program = p->target->program.n > 0,
                         .warm = o->tier == TIER_WARM,
                         .others = s->order->recipe->before.n > 0};
    bool spoke = s->late || WIFSIGNALED(status);
    own_text struct text stack = {0};
    if (spoke)
        read_stack(s, &stack);
    keep_stack(p, &stack);
    how.stack = text_str(&stack);
    if (judge_trial(s->folder, p->target->nodeid, &how, o, e) < 0)
        return -1;
    /* Without libfd.so in it a run says nothing about what was held. */
    if (!s->page.at->attached && (o->kind == OUTCOME_PASS || o->kind == OUTCOME_FAIL)) {
        err_set(e, ERR_SETUP, "libfd.so was not loaded in a trial: %s", p->site->lib);
        return err_hint(e, "put it in a folder that the tests' processes can see and read");
    }
    page_read(&s->page, o);
    if (o->tier == TIER_WARM)
        p->warm_ns = o->took_ns;
    else
        keep_tail(p, s);
    slot_clear(s);
    return 1;
}

/* The warm tier does not work for this target; the order runs fresh instead, in a folder of its
 * own: what the warm child wrote is not this run's. */
static int give_up_warm(struct pool *p, struct slot *s, const char *why, struct err *e)
{
    warm_done(&s->warm);
    if (s->order->recipe->before.n)
        p->no_warm_scope = true; /* the test alone may well run warm */
    else if (!p->no_warm[0])
        snprintf(p->no_warm, sizeof p->no_warm, "%s", why);
    slot_clear(s);
    if (new_trial(p, s, e) < 0)
        return -1;
    return start_fresh(p, s, e);
}

static int step_warming(struct pool *p, struct slot *s, struct err *e)
{
    own_event struct event ev = {0};
    int got = warm_event(&s->warm, &ev, e);
    if (got == 0)
        return clock_mono_ns() < s->deadline_ns
                   ? 0
                   : give_up_warm(p, s, "collecting took more than two minutes", e);
    if (got < 0)
        return e->kind == ERR_SETUP
                   ? -1
                   : give_up_warm(p, s, "pytest ended while it collected for a warm run", e);
    if (ev.kind != EVENT_COLLECTED)
        return 0;
    char why[160];
    if (ev.threads > 1) {
        snprintf(why, sizeof why, "%ld threads run before the first test", ev.threads);
        return give_up_warm(p, s, why, e);
    }
    bool whole = ev.errors == 0 || s->order->recipe->before.n; /* errors of other files */
    if (!whole || !event_has(&ev, p->target->nodeid))
        return give_up_warm(p, s, "collection did not find the test again", e);
    s->warm.ready = true;
    p->warming_ns = clock_mono_ns() - s->began_ns;
    return ask_warm(p, s, e);
}

/* Where nobody wrote the stacks that were asked for, what the kernel knows is written there. */
static void say_natively(const struct slot *s, pid_t pid)
{
    own_text struct text path = {0}, had = {0};
    struct err ignored;
    text_addf(&path, "%s/s", s->folder);
    if (pid <= 0 || (fdio_read_file(text_str(&path), 64, &had, &ignored) == 0 && had.len))
        return;
    text_clear(&had);
    native_stack(pid, &had);
    if (had.len)
        (void)fdio_write_atomic(text_str(&path), had.at, had.len, &ignored);
}

/* First the signal that makes Python say where it stands, then the end. */
bool slot_past_deadline(struct slot *s, pid_t pid)
{
    int64_t now = clock_mono_ns();
    if (now < s->deadline_ns)
        return false;
    if (!s->asked_stack && pid > 0 && !s->program) {
        s->asked_stack = true;
        s->deadline_ns = now + STACK_WAIT_NS;
        kill(pid, CHILD_STACK_SIGNAL);
        return false;
    }
    say_natively(s, pid);
    return true;
}

static int step_warm(struct pool *p, struct slot *s, struct outcome *o, struct err *e)
{
    own_event struct event ev = {0};
    int got = warm_event(&s->warm, &ev, e);
    if (got < 0)
        return e->kind == ERR_SETUP ? -1 : give_up_warm(p, s, "the warm pytest ended", e);
    if (got > 0 && ev.kind == EVENT_FORKED)
        s->warm.running = (pid_t)ev.pid;
    if (got > 0 && ev.kind == EVENT_DONE) {
        if (s->warm.running > 0)
            kill(-s->warm.running, SIGKILL); /* what it left in its group */
        s->warm.running = 0;
        if (ev.threads > 1)
            return give_up_warm(p, s, "", e); /* of tests before it: in a fork they were gone */
        return finish(p, s, (int)ev.status, o, e);
    }
    if (!s->late && slot_past_deadline(s, s->warm.running)) {
        s->late = true;
        s->deadline_ns = clock_mono_ns() + 5 * NS_PER_S;
        if (s->warm.running > 0) {
            kill(-s->warm.running, SIGKILL);
            kill(s->warm.running, SIGKILL); /* should it have left its group */
        }
    } else if (s->late && clock_mono_ns() > s->deadline_ns) {
        return give_up_warm(p, s, "the warm pytest does not answer", e);
    }
    return 0;
}

static int step_fresh(struct pool *p, struct slot *s, struct outcome *o, struct err *e)
{
    int status;
    child_read(&s->fresh, &s->tail);
    if (child_ended(&s->fresh, &status)) {
        child_read(&s->fresh, &s->tail);
        return finish(p, s, status, o, e);
    }
    if (!slot_past_deadline(s, s->fresh.pid))
        return 0;
    s->late = true;
    child_kill(&s->fresh, &status);
    return finish(p, s, status, o, e);
}

/* Well past the end of the budget: the run is given up, and nothing is said of it. */
static int abandon(struct slot *s, struct outcome *o)
{
    *o = (struct outcome){.kind = OUTCOME_NOT_RUN,
                          .tier = s->state == SLOT_FRESH ? TIER_FRESH : TIER_WARM};
    if (s->state != SLOT_FRESH)
        warm_done(&s->warm);
    slot_clear(s);
    return 1;
}

int slot_step(struct pool *p, struct slot *s, struct outcome *o, struct err *e)
{
    if (s->state != SLOT_IDLE && p->deadline_ns && clock_mono_ns() > p->deadline_ns + GRACE_NS)
        return abandon(s, o);
    switch (s->state) {
    case SLOT_FRESH:
        return step_fresh(p, s, o, e);
    case SLOT_WARMING:
        return step_warming(p, s, e);
    case SLOT_WARM:
        return step_warm(p, s, o, e);
    case SLOT_IDLE:
        break;
    }
    return 0;
}
