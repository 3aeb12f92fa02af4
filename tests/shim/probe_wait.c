/* probe_wait: every wait with an absolute deadline on the wall clock, 0.2 s ahead of the clock the
 * program sees, and the monotonic ones beside them. Each must time out after about 0.2 real
 * seconds, with the shown clock at its deadline. Prints what did not; exit status 1 then. */
#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int bad;

static struct timespec in(clockid_t id, int ms)
{
    struct timespec t;
    clock_gettime(id, &t);
    t.tv_nsec += ms * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static double now(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void judge(const char *what, int timed_out, double began, const struct timespec *wall)
{
    double took = now(CLOCK_MONOTONIC) - began;
    double missing = wall ? (double)wall->tv_sec + (double)wall->tv_nsec / 1e9 - now(CLOCK_REALTIME) : 0;
    if (timed_out && took > 0.15 && took < 2 && missing < 0.001)
        return;
    bad = 1;
    printf("%s: timed out %d, took %.3f, deadline missed by %.6f\n", what, timed_out, took, missing);
}

#define WAIT(what, id, call, result)                                  \
    do {                                                              \
        struct timespec t = in(id, 200);                              \
        double began = now(CLOCK_MONOTONIC);                          \
        int ret = (int)(call);                                        \
        judge(what, result, began, id == CLOCK_REALTIME ? &t : NULL); \
    } while (0)
#define RETURNS(err) (ret == (err))
#define ERRNO(err) (ret == -1 && errno == (err))

static void semaphores(void)
{
    sem_t s;
    sem_init(&s, 0, 0);
    WAIT("sem_timedwait", CLOCK_REALTIME, sem_timedwait(&s, &t), ERRNO(ETIMEDOUT));
    WAIT("sem_clockwait real", CLOCK_REALTIME, sem_clockwait(&s, CLOCK_REALTIME, &t), ERRNO(ETIMEDOUT));
    WAIT("sem_clockwait mono", CLOCK_MONOTONIC, sem_clockwait(&s, CLOCK_MONOTONIC, &t), ERRNO(ETIMEDOUT));
    struct timespec wrong = {.tv_nsec = 1000000000};
    if (sem_timedwait(&s, &wrong) != -1 || errno != EINVAL) {
        puts("sem_timedwait took an invalid time");
        bad = 1;
    }
}

static void conditions(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER, mono;
    pthread_condattr_t at;
    pthread_condattr_init(&at);
    pthread_condattr_setclock(&at, CLOCK_MONOTONIC);
    pthread_cond_init(&mono, &at);
    pthread_mutex_lock(&m);
    WAIT("cond", CLOCK_REALTIME, pthread_cond_timedwait(&c, &m, &t), RETURNS(ETIMEDOUT));
    WAIT("cond mono", CLOCK_MONOTONIC, pthread_cond_timedwait(&mono, &m, &t), RETURNS(ETIMEDOUT));
    WAIT("cond clock", CLOCK_REALTIME, pthread_cond_clockwait(&mono, &m, CLOCK_REALTIME, &t),
         RETURNS(ETIMEDOUT));
    WAIT("cond clock mono", CLOCK_MONOTONIC, pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &t),
         RETURNS(ETIMEDOUT));
    pthread_mutex_unlock(&m);
}

struct locks {
    pthread_mutex_t m;
    pthread_rwlock_t rw;
    mtx_t mtx;
    sem_t held, done;
};

static void *hold(void *arg)
{
    struct locks *l = arg;
    pthread_mutex_lock(&l->m);
    pthread_rwlock_wrlock(&l->rw);
    mtx_lock(&l->mtx);
    sem_post(&l->held);
    sem_wait(&l->done);
    return NULL;
}

static void locks(void)
{
    struct locks l = {.m = PTHREAD_MUTEX_INITIALIZER, .rw = PTHREAD_RWLOCK_INITIALIZER};
    pthread_t p;
    mtx_init(&l.mtx, mtx_timed);
    sem_init(&l.held, 0, 0);
    sem_init(&l.done, 0, 0);
    pthread_create(&p, NULL, hold, &l);
    sem_wait(&l.held);
    WAIT("mutex", CLOCK_REALTIME, pthread_mutex_timedlock(&l.m, &t), RETURNS(ETIMEDOUT));
    WAIT("mutex clock", CLOCK_MONOTONIC, pthread_mutex_clocklock(&l.m, CLOCK_MONOTONIC, &t),
         RETURNS(ETIMEDOUT));
    WAIT("rdlock", CLOCK_REALTIME, pthread_rwlock_timedrdlock(&l.rw, &t), RETURNS(ETIMEDOUT));
    WAIT("wrlock", CLOCK_REALTIME, pthread_rwlock_timedwrlock(&l.rw, &t), RETURNS(ETIMEDOUT));
    WAIT("rdlock clock", CLOCK_REALTIME, pthread_rwlock_clockrdlock(&l.rw, CLOCK_REALTIME, &t),
         RETURNS(ETIMEDOUT));
    WAIT("wrlock clock", CLOCK_MONOTONIC, pthread_rwlock_clockwrlock(&l.rw, CLOCK_MONOTONIC, &t),
         RETURNS(ETIMEDOUT));
    WAIT("mtx", CLOCK_REALTIME, mtx_timedlock(&l.mtx, &t), RETURNS(thrd_timedout));
    WAIT("join", CLOCK_REALTIME, pthread_timedjoin_np(p, NULL, &t), RETURNS(ETIMEDOUT));
    WAIT("join clock", CLOCK_REALTIME, pthread_clockjoin_np(p, NULL, CLOCK_REALTIME, &t),
         RETURNS(ETIMEDOUT));
    sem_post(&l.done);
    pthread_join(p, NULL);
    cnd_t c;
    cnd_init(&c);
    mtx_t m;
    mtx_init(&m, mtx_plain);
    mtx_lock(&m);
    WAIT("cnd", CLOCK_REALTIME, cnd_timedwait(&c, &m, &t), RETURNS(thrd_timedout));
}

static void others(void)
{
    char name[40], buf[8192];
    snprintf(name, sizeof name, "/fd-probe-%d", (int)getpid());
    struct mq_attr at = {.mq_maxmsg = 1, .mq_msgsize = 8};
    mqd_t q = mq_open(name, O_CREAT | O_RDWR, 0600, &at);
    if (q != (mqd_t)-1) {
        mq_unlink(name);
        WAIT("mq_timedreceive", CLOCK_REALTIME, mq_timedreceive(q, buf, sizeof buf, NULL, &t),
             ERRNO(ETIMEDOUT));
        mq_send(q, "x", 1, 0);
        WAIT("mq_timedsend", CLOCK_REALTIME, mq_timedsend(q, "x", 1, 0, &t), ERRNO(ETIMEDOUT));
        mq_close(q);
    }
    WAIT("clock_nanosleep", CLOCK_REALTIME, clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL),
         RETURNS(0));
    int fd = timerfd_create(CLOCK_REALTIME, 0);
    struct timespec t = in(CLOCK_REALTIME, 200);
    struct itimerspec it = {.it_value = t};
    double began = now(CLOCK_MONOTONIC);
    uint64_t n;
    timerfd_settime(fd, TFD_TIMER_ABSTIME, &it, NULL);
    judge("timerfd", read(fd, &n, sizeof n) == sizeof n, began, NULL);
    close(fd);
}

int main(void)
{
    alarm(30); /* a deadline that never comes */
    semaphores();
    conditions();
    locks();
    others();
    return bad;
}
