#include "exec/pool.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "exec/slot.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

void pool_init(struct pool *p, const struct target *t, const struct site *s, struct rundir *d)
{
    *p = (struct pool){.target = t, .site = s, .dir = d, .jobs = POOL_SLOTS};
    p->slot = mem_or_die(POOL_SLOTS * sizeof *p->slot);
    for (unsigned i = 0; i < POOL_SLOTS; i++)
        slot_init(&p->slot[i]);
}

void pool_cool(struct pool *p)
{
    for (unsigned i = 0; p->slot && i < POOL_SLOTS; i++)
        warm_done(&p->slot[i].warm);
}

void pool_done(struct pool *p)
{
    for (unsigned i = 0; p->slot && i < POOL_SLOTS; i++)
        slot_done(&p->slot[i]);
    free(p->slot);
    text_done(&p->stack);
    text_done(&p->tail);
    *p = (struct pool){0};
}

static bool fits(const struct pool *p, const struct slot *s, const struct order *o)
{
    return o->tier == TIER_WARM && !p->no_warm[0] && s->warm.ready &&
           strcmp(s->warm.key, o->key) == 0;
}

/* The first order that a free slot's warm process fits; SIZE_MAX: none. */
static size_t pick_fitting(const struct pool *p, const struct slot *me, const struct order *orders,
                           const bool *taken, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!taken[i] && fits(p, me, &orders[i]))
            return i;
    return SIZE_MAX;
}

/* Whether a slot at work has a warm process for the order. */
static bool is_served(const struct pool *p, const struct order *o)
{
    bool served = false;
    for (unsigned i = 0; i < p->jobs; i++)
        served |= p->slot[i].state != SLOT_IDLE && strcmp(p->slot[i].warm.key, o->key) == 0;
    return served;
}

/* Whether a second process for the key is there before the first one is through with the rest. */
static bool second_pays(const struct pool *p, const struct order *orders, const bool *taken,
                        size_t n, const char *key)
{
    int64_t rest = 0;
    for (size_t i = 0; i < n; i++)
        rest += !taken[i] && strcmp(orders[i].key, key) == 0;
    return p->warming_ns == 0 || rest * p->warm_ns > p->warming_ns;
}

/* Of the others: the first whose key no other slot is serving, else the first, if it is not better
 * left to the slot that serves it. SIZE_MAX: none. */
static size_t pick_any(const struct pool *p, const struct order *orders, const bool *taken,
                       size_t n)
{
    size_t served = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (taken[i])
            continue;
        if (orders[i].tier == TIER_FRESH || p->no_warm[0] || !is_served(p, &orders[i]))
            return i;
        if (served == SIZE_MAX)
            served = i;
    }
    return served != SIZE_MAX && second_pays(p, orders, taken, n, orders[served].key) ? served
                                                                                      : SIZE_MAX;
}

/* The free slot whose warm process, if it has one, was used longest ago; NULL: none is free. */
static struct slot *oldest_free(const struct pool *p)
{
    struct slot *found = NULL;
    for (unsigned i = 0; i < p->jobs; i++) {
        struct slot *s = &p->slot[i];
        if (s->state != SLOT_IDLE)
            continue;
        if (!found || (found->warm.ready && (!s->warm.ready || s->began_ns < found->began_ns)))
            found = s;
    }
    return found;
}

static int start_in(struct pool *p, struct slot *s, size_t job, const struct order *orders,
                    bool *taken, struct err *e)
{
    taken[job] = true;
    s->job = job;
    return slot_start(p, s, &orders[job], e);
}

/* First what warm processes that are there can run, then others in their place. */
static int start_all(struct pool *p, const struct order *orders, bool *taken, size_t n,
                     struct err *e)
{
    for (unsigned i = 0; i < p->jobs; i++) {
        struct slot *s = &p->slot[i];
        size_t job = s->state == SLOT_IDLE ? pick_fitting(p, s, orders, taken, n) : SIZE_MAX;
        if (job != SIZE_MAX && start_in(p, s, job, orders, taken, e) < 0)
            return -1;
    }
    for (struct slot *s; (s = oldest_free(p));) {
        size_t job = pick_any(p, orders, taken, n);
        if (job == SIZE_MAX)
            return 0;
        if (start_in(p, s, job, orders, taken, e) < 0)
            return -1;
    }
    return 0;
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
        if (did > 0 && p->ended)
            p->ended(p->ended_ctx, s->job, &ret[s->job]);
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
        if (start_all(p, orders, taken, n, e) < 0)
            return -1;
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

/* Whether it is over; *ret_status as the caller of pool_run_raw() gets it. */
static bool raw_ended(struct slot *s, int *ret_status)
{
    child_read(&s->fresh, &s->tail);
    if (child_ended(&s->fresh, ret_status)) {
        child_read(&s->fresh, &s->tail);
        if (slot_ended_by_us(s, *ret_status))
            *ret_status = -1;
        return true;
    }
    *ret_status = -1;
    return slot_past_deadline(s, s->fresh.pid);
}

static void raw_close(struct pool *p, struct slot *s)
{
    child_kill(&s->fresh, NULL);
    child_read(&s->fresh, &s->tail);
    slot_keep_words(p, s);
    s->folder[0] = 0; /* the caller reads it and removes it */
    slot_clear(s);
}

int pool_run_raw(struct pool *p, const struct launch *l, size_t n, int64_t limit_ns,
                 int *ret_status, struct err *e)
{
    size_t started = 0, left = 0;
    int did = 0;
    /* Idle: nothing else is under way. */
    for (; did == 0 && started < n; started += did == 0, left = started) {
        did = slot_start_raw(&p->slot[started], &l[started], limit_ns, e);
        ret_status[started] = -1;
    }
    while (did == 0 && left > 0 && !(p->stop && *p->stop)) {
        wait_for_news(p);
        for (size_t i = 0; i < n; i++) {
            if (p->slot[i].state == SLOT_IDLE || !raw_ended(&p->slot[i], &ret_status[i]))
                continue;
            raw_close(p, &p->slot[i]);
            left--;
        }
    }
    for (size_t i = 0; i < started; i++)
        if (p->slot[i].state != SLOT_IDLE)
            raw_close(p, &p->slot[i]);
    sweep(p);
    if (did == 0 && p->stop && *p->stop)
        return err_set(e, ERR_INTERRUPT, "interrupted");
    return did;
}
