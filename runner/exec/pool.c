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
    if (slot_start_raw(s, l, limit_ns, e) < 0)
        return -1;
    int status = 0;
    bool ended = false;
    while (!ended && !(p->stop && *p->stop)) {
        wait_for_news(p);
        child_read(&s->fresh, &s->tail);
        ended = child_ended(&s->fresh, &status);
        if (ended || slot_past_deadline(s, s->fresh.pid))
            break;
    }
    child_read(&s->fresh, &s->tail);
    if (!ended)
        child_kill(&s->fresh, NULL);
    if (!ended || slot_ended_by_us(s, status))
        status = -1;
    slot_keep_words(p, s);
    s->folder[0] = 0; /* the caller reads it and removes it */
    slot_clear(s);
    sweep(p);
    if (p->stop && *p->stop)
        return err_set(e, ERR_INTERRUPT, "interrupted");
    *ret_status = status;
    return 0;
}
