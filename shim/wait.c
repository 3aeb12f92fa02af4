/* Waits with an absolute deadline: it was computed from the clock that is shown, the kernel knows
 * only the real one. Each stays one call to the real function, so it is the same cancellation
 * point, returns EINTR when that does and checks its arguments itself. Deadlines on CLOCK_MONOTONIC
 * are real already unless the machine shall seem slow. */
#include "shim/clock.h"
#include "shim/cond.h"
#include "shim/late.h"
#include "shim/live.h"
#include "shim/pace.h"
#include "shim/real.h"
#include "shim/stall.h"
#include <errno.h>

struct deadline {
    struct timespec real;
    int64_t shown_ns;
    int64_t began_ns; /* of a wait that a standing clock must follow, or 0 */
    bool moved;
};

/* The deadline to pass on: `t` itself where nothing is altered or `t` is invalid. */
static const struct timespec *translate(clockid_t id, const struct timespec *t, struct deadline *d)
{
    *d = (struct deadline){.moved = false};
    if (!fd_live_on() || !fd_live.altered || !t || t->tv_nsec < 0 || t->tv_nsec > 999999999)
        return t;
    d->shown_ns = fd_ns(t);
    if (id != CLOCK_REALTIME) {
        d->began_ns = fd_clock_stands() ? fd_pace_now() : 0;
        if (!fd_pace_on())
            return t;
        d->real = fd_timespec(fd_pace_deadline(id, d->shown_ns));
        return &d->real;
    }
    d->real = fd_timespec(fd_clock_deadline(d->shown_ns));
    d->moved = true;
    return &d->real;
}

/* A wait that timed out has reached its deadline, also on a clock that stands still. */
static int ended(int err, const struct deadline *d)
{
    if (err == ETIMEDOUT && d->moved)
        fd_clock_reached(d->shown_ns);
    else if (err == ETIMEDOUT && d->began_ns)
        fd_clock_slept(fd_pace_now() - d->began_ns);
    return err;
}

static int ended_errno(int ret, const struct deadline *d)
{
    if (ret == -1 && errno == ETIMEDOUT) {
        ended(ETIMEDOUT, d);
        errno = ETIMEDOUT;
    }
    return ret;
}

/* Whoever finds it free waits for nobody and is not kept: asked with a deadline long past. */
static bool is_free(sem_t *s)
{
    const struct timespec past = {0, 0};
    return fd_live.stalls >> FD_STALL_WAKE & 1 && fd_live.open &&
           REAL(sem_timedwait)(s, &past) == 0;
}

FD_EXPORT int sem_trywait(sem_t *s)
{
    if (fd_live_on())
        fd_stall_take_own();
    return REAL(sem_trywait)(s);
}

FD_EXPORT int sem_wait(sem_t *s)
{
    if (!fd_live_on())
        return REAL(sem_wait)(s);
    fd_stall_take_own();
    int before = errno;
    if (is_free(s))
        return 0;
    errno = before;
    int ret = REAL(sem_wait)(s);
    if (!ret)
        fd_stall(FD_STALL_WAKE);
    return ret;
}

FD_EXPORT int sem_post(sem_t *s)
{
    int ret = REAL(sem_post)(s);
    if (__builtin_expect(fd_thread.late_ns > 0, 0))
        fd_late_posted();
    return ret;
}

/* After a semaphore was waited for with a deadline. */
static int came_through(int ret, const struct deadline *d)
{
    if (!ret)
        fd_stall(FD_STALL_WAKE);
    return ended_errno(ret, d);
}

static bool sem_begins(sem_t *s, const char *hook)
{
    if (!fd_live_on())
        return false;
    int before = errno;
    fd_stall_take_own();
    fd_stall_timed(FD_STALL_WAKE, hook);
    bool at_once = is_free(s);
    errno = before;
    return at_once;
}

FD_EXPORT int sem_timedwait(sem_t *s, const struct timespec *t)
{
    struct deadline d;
    if (sem_begins(s, "sem_timedwait"))
        return 0;
    t = translate(CLOCK_REALTIME, t, &d);
    return came_through(REAL(sem_timedwait)(s, t), &d);
}

FD_EXPORT int sem_clockwait(sem_t *s, clockid_t id, const struct timespec *t)
{
    struct deadline d;
    if (sem_begins(s, "sem_clockwait"))
        return 0;
    t = translate(id, t, &d);
    return came_through(REAL(sem_clockwait)(s, id, t), &d);
}

/* The interpreter hands its global lock over by short waits on a condition; a standing clock must
 * not follow those, so a monotonic wait on a condition moves nothing. Nor is it kept waiting. */
static int cond_ended(int err, const struct deadline *d)
{
    if (!err && !fd_late_python())
        fd_stall(FD_STALL_WAKE);
    return d->moved ? ended(err, d) : err;
}

static void cond_begins(const char *hook)
{
    if (!fd_live_on())
        return;
    fd_stall_take_own();
    if (!fd_late_python())
        fd_stall_timed(FD_STALL_WAKE, hook);
}

FD_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    int err = REAL(pthread_cond_wait)(c, m);
    if (!err && fd_live_on() && !fd_late_python())
        fd_stall(FD_STALL_WAKE);
    return err;
}

FD_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
                                     const struct timespec *t)
{
    struct deadline d;
    cond_begins("pthread_cond_timedwait");
    bool altered = fd_live_on() && fd_live.altered;
    t = translate(altered ? fd_cond_clock(c, t) : CLOCK_REALTIME, t, &d);
    return cond_ended(REAL(pthread_cond_timedwait)(c, m, t), &d);
}

FD_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t id,
                                     const struct timespec *t)
{
    struct deadline d;
    cond_begins("pthread_cond_clockwait");
    t = translate(id, t, &d);
    return cond_ended(REAL(pthread_cond_clockwait)(c, m, id, t), &d);
}

FD_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
    struct deadline d;
    t = translate(CLOCK_REALTIME, t, &d);
    return ended(REAL(pthread_mutex_timedlock)(m, t), &d);
}

FD_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t id, const struct timespec *t)
{
    struct deadline d;
    t = translate(id, t, &d);
    return ended(REAL(pthread_mutex_clocklock)(m, id, t), &d);
}

FD_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *t)
{
    struct deadline d;
    t = translate(CLOCK_REALTIME, t, &d);
    return ended(REAL(pthread_rwlock_timedrdlock)(l, t), &d);
}

FD_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *t)
{
    struct deadline d;
    t = translate(CLOCK_REALTIME, t, &d);
    return ended(REAL(pthread_rwlock_timedwrlock)(l, t), &d);
}

FD_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t id,
                                         const struct timespec *t)
{
    struct deadline d;
    t = translate(id, t, &d);
    return ended(REAL(pthread_rwlock_clockrdlock)(l, id, t), &d);
}

FD_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t id,
                                         const struct timespec *t)
{
    struct deadline d;
    t = translate(id, t, &d);
    return ended(REAL(pthread_rwlock_clockwrlock)(l, id, t), &d);
}

FD_EXPORT int pthread_timedjoin_np(pthread_t p, void **ret, const struct timespec *t)
{
    struct deadline d;
    t = translate(CLOCK_REALTIME, t, &d);
    return ended(REAL(pthread_timedjoin_np)(p, ret, t), &d);
}

FD_EXPORT int pthread_clockjoin_np(pthread_t p, void **ret, clockid_t id, const struct timespec *t)
{
    struct deadline d;
    t = translate(id, t, &d);
    return ended(REAL(pthread_clockjoin_np)(p, ret, id, t), &d);
}

FD_EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t)
{
    struct deadline d;
    t = translate(CLOCK_REALTIME, t, &d);
    int ret = REAL(cnd_timedwait)(c, m, t);
    if (ret == thrd_timedout)
        ended(ETIMEDOUT, &d);
    return ret;
}

FD_EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *t)
{
    struct deadline d;
    t = translate(CLOCK_REALTIME, t, &d);
    int ret = REAL(mtx_timedlock)(m, t);
    if (ret == thrd_timedout)
        ended(ETIMEDOUT, &d);
    return ret;
}

FD_EXPORT int mq_timedsend(mqd_t q, const char *buf, size_t n, unsigned int prio,
                           const struct timespec *t)
{
    struct deadline d;
    t = translate(CLOCK_REALTIME, t, &d);
    return ended_errno(REAL(mq_timedsend)(q, buf, n, prio, t), &d);
}

FD_EXPORT ssize_t mq_timedreceive(mqd_t q, char *buf, size_t n, unsigned int *prio,
                                  const struct timespec *t)
{
    struct deadline d;
    t = translate(CLOCK_REALTIME, t, &d);
    ssize_t ret = REAL(mq_timedreceive)(q, buf, n, prio, t);
    if (ret < 0)
        ended_errno(-1, &d);
    return ret;
}
