#include "exec/pool.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "exec/judge.h"
#include "exec/page.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARM_LIMIT_NS (120 * NS_PER_S) /* to collect; a suite that needs longer runs fresh */
#define STACK_WAIT_NS (300 * NS_PER_MS)
#define STACK_SIGNAL  (SIGRTMAX - 1) /* as in the plugin */

enum slot_state { SLOT_IDLE, SLOT_FRESH, SLOT_WARMING, SLOT_WARM, SLOT_ENDING };

struct slot {
    enum slot_state state;
    size_t job; /* index of the order under way */
    const struct order *order;
    struct warm warm;
    struct child fresh;
    struct text tail;
    struct page page;
    char folder[TRIAL_PATH_MAX];
    int64_t began_ns, deadline_ns;
    bool asked_stack, late;
};

void pool_init(struct pool *p, const struct target *t, const struct site *s, struct rundir *d)
{
    *p = (struct pool){.target = t, .site = s, .dir = d, .jobs = POOL_SLOTS};
    p->slot = mem_or_die(POOL_SLOTS * sizeof *p->slot);
    for (unsigned i = 0; i < POOL_SLOTS; i++) {
        p->slot[i].warm = WARM_NONE;
        p->slot[i].fresh = CHILD_NONE;
    }
}

static void slot_clear(struct slot *s)
{
    child_done(&s->fresh);
    page_done(&s->page);
    text_clear(&s->tail);
    if (s->folder[0])
        fdio_remove_tree(s->folder);
    s->folder[0] = 0;
    s->state = SLOT_IDLE;
    s->asked_stack = s->late = false;
}

void pool_cool(struct pool *p)
{
    for (unsigned i = 0; p->slot && i < POOL_SLOTS; i++)
        warm_done(&p->slot[i].warm);
}

void pool_done(struct pool *p)
{
    for (unsigned i = 0; p->slot && i < POOL_SLOTS; i++) {
        slot_clear(&p->slot[i]);
        text_done(&p->slot[i].tail);
    }
    pool_cool(p);
    free(p->slot);
    text_done(&p->stack);
    text_done(&p->tail);
    *p = (struct pool){0};
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

static int launch_fresh(const struct launch *l, struct child *ret, struct err *e)
{
    own_argv struct argv argv = {0}, env = {0};
    spawn_argv(l, &argv);
    spawn_env(l, &env);
    const struct spawn how = {.argv = &argv, .env = &env, .cwd = l->target->cwd, .keep_fd = -1};
    return child_spawn(&how, ret, e);
}

static int start_fresh(struct pool *p, struct slot *s, struct err *e)
{
    own_text struct text select = {0};
    target_argument(p->target, &select);
    struct launch l = launch_of(p, s->order, s->folder);
    l.select = text_str(&select);
    s->began_ns = clock_mono_ns();
    s->deadline_ns = s->began_ns + s->order->limit_ns;
    s->state = SLOT_FRESH;
    return launch_fresh(&l, &s->fresh, e);
}

static int ask_warm(struct slot *s, struct err *e)
{
    s->began_ns = clock_mono_ns();
    s->deadline_ns = s->began_ns + s->order->limit_ns;
    s->state = SLOT_WARM;
    return warm_ask(&s->warm, s->folder, e);
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
    s->state = SLOT_WARMING;
    s->deadline_ns = clock_mono_ns() + WARM_LIMIT_NS;
    return warm_start(&s->warm, &l, s->order->key, e);
}

static int slot_start(struct pool *p, struct slot *s, const struct order *o, struct err *e)
{
    s->order = o;
    use_up_pids(o->spare);
    if (rundir_trial(p->dir, s->folder, e) < 0 ||
        page_create(s->folder, &o->recipe->page, &s->page, e) < 0)
        return -1;
    if (o->tier == TIER_FRESH || p->no_warm[0])
        return start_fresh(p, s, e);
    if (s->warm.ready && strcmp(s->warm.key, o->key) == 0)
        return ask_warm(s, e);
    return start_warming(p, s, e);
}

static void read_stack(struct pool *p, struct slot *s)
{
    own_text struct text path = {0};
    text_addf(&path, "%s/s", s->folder);
    text_clear(&p->stack);
    struct err ignored;
    (void)fdio_read_file(text_str(&path), 1 << 16, &p->stack, &ignored);
}

static int slot_finish(struct pool *p, struct slot *s, int status, struct outcome *o, struct err *e)
{
    *o = (struct outcome){.tier = s->state == SLOT_FRESH ? TIER_FRESH : TIER_WARM};
    o->took_ns = clock_mono_ns() - s->began_ns;
    struct ending how = {.status = status,
                         .by_deadline = s->late,
                         .rootdir = p->target->rootdir,
                         .warm = o->tier == TIER_WARM};
    if (s->late)
        read_stack(p, s);
    how.stack = s->late ? text_str(&p->stack) : "";
    if (judge_trial(s->folder, p->target->nodeid, &how, o, e) < 0)
        return -1;
    page_read(&s->page, o);
    if (o->tier == TIER_FRESH) {
        text_clear(&p->tail);
        text_add(&p->tail, text_str(&s->tail));
    }
    slot_clear(s);
    return 1;
}

/* The warm tier does not work for this target; the order runs fresh instead. */
static int give_up_warm(struct pool *p, struct slot *s, const char *why, struct err *e)
{
    warm_done(&s->warm);
    if (!p->no_warm[0])
        snprintf(p->no_warm, sizeof p->no_warm, "%s", why);
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
    if (ev.errors || ev.ids.n == 0)
        return give_up_warm(p, s, "collection did not find the test again", e);
    s->warm.ready = true;
    return ask_warm(s, e);
}

/* First the signal that makes Python say where it stands, then the end. */
static bool past_deadline(struct slot *s, pid_t pid)
{
    int64_t now = clock_mono_ns();
    if (now < s->deadline_ns)
        return false;
    if (!s->asked_stack && pid > 0) {
        s->asked_stack = true;
        s->deadline_ns = now + STACK_WAIT_NS;
        kill(pid, STACK_SIGNAL);
        return false;
    }
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
        return slot_finish(p, s, (int)ev.status, o, e);
    }
    if (!s->late && past_deadline(s, s->warm.running)) {
        s->late = true;
        s->deadline_ns = clock_mono_ns() + 5 * NS_PER_S;
        if (s->warm.running > 0)
            kill(-s->warm.running, SIGKILL);
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
        return slot_finish(p, s, status, o, e);
    }
    if (!past_deadline(s, s->fresh.pid))
        return 0;
    s->late = true;
    child_kill(&s->fresh, &status);
    return slot_finish(p, s, status, o, e);
}

/* 1: the order is done; 0: still under way; -1: error. */
static int slot_step(struct pool *p, struct slot *s, struct outcome *o, struct err *e)
{
    switch (s->state) {
    case SLOT_FRESH:
        return step_fresh(p, s, o, e);
    case SLOT_WARMING:
        return step_warming(p, s, e);
    case SLOT_WARM:
        return step_warm(p, s, o, e);
    case SLOT_IDLE:
    case SLOT_ENDING:
        break;
    }
    return 0;
}

/* Which order a free slot takes: one its warm process fits, else the first whose key no other
 * slot is serving, else the first. SIZE_MAX: none is left. */
static size_t pick(const struct pool *p, const struct slot *me, const struct order *orders,
                   const bool *taken, size_t n)
{
    size_t first = SIZE_MAX, unserved = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (taken[i])
            continue;
        if (first == SIZE_MAX)
            first = i;
        if (orders[i].tier == TIER_FRESH || p->no_warm[0])
            return first;
        if (me->warm.ready && strcmp(me->warm.key, orders[i].key) == 0)
            return i;
        bool served = false;
        for (unsigned k = 0; k < p->jobs; k++)
            served |= &p->slot[k] != me && strcmp(p->slot[k].warm.key, orders[i].key) == 0;
        if (!served && unserved == SIZE_MAX)
            unserved = i;
    }
    return unserved != SIZE_MAX ? unserved : first;
}

static void wait_for_news(struct pool *p)
{
    struct pollfd fds[POOL_SLOTS * 3];
    nfds_t n = 0;
    int64_t deadline = clock_mono_ns() + NS_PER_S;
    for (unsigned i = 0; i < p->jobs; i++) {
        struct slot *s = &p->slot[i];
        if (s->state == SLOT_IDLE)
            continue;
        struct child *c = s->state == SLOT_FRESH ? &s->fresh : &s->warm.proc;
        if (c->out >= 0)
            fds[n++] = (struct pollfd){.fd = c->out, .events = POLLIN};
        if (s->state == SLOT_FRESH)
            fds[n++] = (struct pollfd){.fd = c->pidfd, .events = POLLIN};
        else
            fds[n++] = (struct pollfd){.fd = s->warm.channel, .events = POLLIN};
        if (s->deadline_ns < deadline)
            deadline = s->deadline_ns;
    }
    (void)poll(fds, n, clock_poll_ms(deadline));
}

static int step_all(struct pool *p, struct outcome *ret, size_t *done, struct err *e)
{
    for (unsigned i = 0; i < p->jobs; i++) {
        struct slot *s = &p->slot[i];
        if (s->state == SLOT_IDLE)
            continue;
        int did = slot_step(p, s, &ret[s->job], e);
        if (did < 0)
            return -1;
        *done += did > 0;
    }
    return 0;
}

static void sweep(struct pool *p)
{
    pid_t known[POOL_SLOTS + 1];
    size_t n = 0;
    known[n++] = p->dir->keeper_pid;
    for (unsigned i = 0; i < POOL_SLOTS; i++)
        if (p->slot[i].warm.proc.pid > 0)
            known[n++] = p->slot[i].warm.proc.pid;
    child_sweep(known, n);
}

static int run_all(struct pool *p, const struct order *orders, size_t n, struct outcome *ret,
                   struct err *e)
{
    own_mem bool *taken = mem_or_die(n * sizeof *taken);
    size_t done = 0;
    while (done < n) {
        bool over = p->deadline_ns && clock_mono_ns() >= p->deadline_ns;
        for (size_t i = 0; over && i < n; i++) {
            if (taken[i])
                continue;
            taken[i] = true;
            ret[i] = (struct outcome){.kind = OUTCOME_NOT_RUN, .tier = orders[i].tier};
            done++;
        }
        if (done == n)
            break;
        for (unsigned i = 0; i < p->jobs; i++) {
            struct slot *s = &p->slot[i];
            size_t job = s->state == SLOT_IDLE ? pick(p, s, orders, taken, n) : SIZE_MAX;
            if (job == SIZE_MAX)
                continue;
            taken[job] = true;
            s->job = job;
            if (slot_start(p, s, &orders[job], e) < 0)
                return -1;
        }
        if (p->stop && *p->stop)
            return err_set(e, ERR_INTERRUPT, "interrupted");
        wait_for_news(p);
        if (step_all(p, ret, &done, e) < 0)
            return -1;
    }
    return 0;
}

int pool_run(struct pool *p, const struct order *orders, size_t n, struct outcome *ret,
             struct err *e)
{
    int did = run_all(p, orders, n, ret, e);
    for (unsigned i = 0; did < 0 && i < POOL_SLOTS; i++) {
        if (p->slot[i].state != SLOT_IDLE && p->slot[i].state != SLOT_FRESH)
            warm_done(&p->slot[i].warm);
        slot_clear(&p->slot[i]);
    }
    sweep(p);
    return did;
}

int pool_run_raw(struct pool *p, const struct launch *l, int64_t limit_ns, int *ret_status,
                 struct err *e)
{
    struct slot *s = &p->slot[0]; /* idle: nothing else is under way */
    if (launch_fresh(l, &s->fresh, e) < 0)
        return -1;
    s->state = SLOT_FRESH;
    s->deadline_ns = clock_mono_ns() + limit_ns;
    text_copy(s->folder, sizeof s->folder, l->folder);
    text_clear(&s->tail);
    int status = 0;
    bool ended = false;
    while (!ended && !(p->stop && *p->stop)) {
        wait_for_news(p);
        child_read(&s->fresh, &s->tail);
        ended = child_ended(&s->fresh, &status);
        if (ended || past_deadline(s, s->fresh.pid))
            break;
    }
    child_read(&s->fresh, &s->tail);
    if (!ended) {
        child_kill(&s->fresh, NULL);
        status = -1;
        read_stack(p, s);
    }
    text_clear(&p->tail);
    text_add(&p->tail, text_str(&s->tail));
    s->folder[0] = 0; /* the caller reads it and removes it */
    slot_clear(s);
    sweep(p);
    if (p->stop && *p->stop)
        return err_set(e, ERR_INTERRUPT, "interrupted");
    *ret_status = status;
    return 0;
}
