/* probe_pace [thread|fork|exec|signal]: every way to wait for 0.2 s, in the main thread or where the
 * word says. Each must take 0.2 s of the clock that the program sees, whatever really passed.
 * Prints what did not; exit status 1 then. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int bad;
static const struct timespec span = {.tv_nsec = 200000000};
static const struct timeval span_of_us = {.tv_usec = 200000};

static double now(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct timespec in(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    t.tv_nsec += span.tv_nsec;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static double began, wall;

static void begin(void)
{
    began = now(CLOCK_MONOTONIC);
    wall = now(CLOCK_REALTIME);
}

/* Long enough, not so long that it was not paced at all, and both clocks agree. */
static void judge(const char *what, int right)
{
    double took = now(CLOCK_MONOTONIC) - began, on_wall = now(CLOCK_REALTIME) - wall;
    if (right && took >= 0.199 && took < 3 && on_wall >= 0.199 && on_wall < took + 1)
        return;
    bad = 1;
    printf("%s: right %d, took %.3f, on the wall %.3f\n", what, right, took, on_wall);
}

#define WAIT(call, right)      \
    do {                       \
        begin();               \
        int ret = (int)(call); \
        judge(#call, right);   \
    } while (0)

static void sleeps(void)
{
    struct timespec t;
    WAIT(nanosleep(&span, NULL), ret == 0);
    WAIT(clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL), ret == 0);
    WAIT(clock_nanosleep(CLOCK_REALTIME, 0, &span, NULL), ret == 0);
    t = in(CLOCK_MONOTONIC);
    WAIT(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL), ret == 0);
    t = in(CLOCK_BOOTTIME);
    WAIT(clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &t, NULL), ret == 0);
    t = in(CLOCK_REALTIME);
    WAIT(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL), ret == 0);
    WAIT(poll(NULL, 0, 200), ret == 0);
}

static void more_sleeps(void)
{
    WAIT(usleep(200000), ret == 0);
    WAIT(sleep(1), ret == 0);
    WAIT(thrd_sleep(&span, NULL), ret == 0);
    WAIT(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &span, NULL), ret == 0);
    struct timespec wrong = {.tv_nsec = 1000000000}, left;
    if (nanosleep(&wrong, &left) != -1 || errno != EINVAL) {
        puts("nanosleep took an invalid time");
        bad = 1;
    }
}

static void polls(void)
{
    int p[2], e = epoll_create1(0);
    struct epoll_event ev = {.events = EPOLLIN};
    if (pipe(p) || e < 0 || epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev))
        exit(2);
    struct pollfd one = {.fd = p[0], .events = POLLIN};
    fd_set set;
    struct timeval tv = span_of_us;
    FD_ZERO(&set);
    FD_SET(p[0], &set);
    WAIT(select(p[0] + 1, &set, NULL, NULL, &tv), ret == 0 && !tv.tv_sec && !tv.tv_usec);
    FD_SET(p[0], &set);
    WAIT(pselect(p[0] + 1, &set, NULL, NULL, &span, NULL), ret == 0);
    WAIT(poll(&one, 1, 200), ret == 0);
    WAIT(ppoll(&one, 1, &span, NULL), ret == 0);
    WAIT(epoll_wait(e, &ev, 1, 200), ret == 0);
    WAIT(epoll_pwait(e, &ev, 1, 200, NULL), ret == 0);
    /* what is there is found at once, and told */
    if (write(p[1], "x", 1) != 1 || epoll_wait(e, &ev, 1, 60000) != 1 || poll(&one, 1, 60000) != 1 ||
        epoll_wait(-1, &ev, 1, 60000) != -1 || errno != EBADF) {
        puts("polls do not tell what is there");
        bad = 1;
    }
    close(e);
    close(p[0]);
    close(p[1]);
}

static void futexes(void)
{
    uint32_t word = 0;
    struct timespec t = in(CLOCK_MONOTONIC);
    WAIT(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &span, NULL, 0),
         ret == -1 && errno == ETIMEDOUT);
    t = in(CLOCK_MONOTONIC);
    WAIT(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, NULL, -1),
         ret == -1 && errno == ETIMEDOUT);
    t = in(CLOCK_REALTIME);
    WAIT(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, &t, NULL,
                 -1),
         ret == -1 && errno == ETIMEDOUT);
}

static sigset_t timer_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    return set;
}

static void timers(void)
{
    sigset_t set = timer_signals();
    uint64_t n;
    struct itimerspec it = {.it_value = span};
    struct itimerval iv = {.it_value = span_of_us};
    WAIT(sigtimedwait(&set, NULL, &span), ret == -1 && errno == EAGAIN);
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    WAIT(timerfd_settime(fd, 0, &it, NULL) || read(fd, &n, sizeof n) != sizeof n, !ret);
    it.it_value = in(CLOCK_MONOTONIC);
    WAIT(timerfd_settime(fd, TFD_TIMER_ABSTIME, &it, NULL) || read(fd, &n, sizeof n) != sizeof n,
         !ret);
    close(fd);
    WAIT(setitimer(ITIMER_REAL, &iv, NULL) || sigwaitinfo(&set, NULL) != SIGALRM, !ret);
    struct itimerval left;
    iv.it_value.tv_sec = 100;
    setitimer(ITIMER_REAL, &iv, NULL);
    getitimer(ITIMER_REAL, &left);
    if (left.it_value.tv_sec < 90 || left.it_value.tv_sec > 100 || alarm(1) < 90) {
        puts("a timer does not tell what is left of it");
        bad = 1;
    }
    WAIT(sigwaitinfo(&set, NULL) != SIGALRM, !ret);
    timer_t timer;
    struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    it.it_value = span;
    if (timer_create(CLOCK_MONOTONIC, &how, &timer) == 0) {
        WAIT(timer_settime(timer, 0, &it, NULL) || sigwaitinfo(&set, NULL) != SIGALRM, !ret);
        timer_delete(timer);
    }
}

static void *all(void *arg)
{
    (void)arg;
    sleeps();
    more_sleeps();
    polls();
    futexes();
    timers();
    return NULL;
}

static void in_handler(int s)
{
    (void)s;
    sleeps();
}

static int in_child(char **argv)
{
    int status;
    pid_t pid = fork();
    if (pid == 0 && argv) {
        execv("/proc/self/exe", (char *[]){argv[0], NULL});
        _exit(3);
    }
    if (pid == 0) {
        all(NULL);
        fflush(stdout);
        _exit(bad);
    }
    return waitpid(pid, &status, 0) != pid || status != 0;
}

int main(int argc, char **argv)
{
    const char *where = argc > 1 ? argv[1] : "";
    pthread_t p;
    sigset_t set = timer_signals();
    sigprocmask(SIG_BLOCK, &set, NULL); /* in all threads */
    if (!strcmp(where, "thread"))
        return pthread_create(&p, NULL, all, NULL) || pthread_join(p, NULL) || bad;
    if (!strcmp(where, "fork"))
        return in_child(NULL);
    if (!strcmp(where, "exec"))
        return in_child(argv);
    if (!strcmp(where, "signal")) {
        signal(SIGUSR1, in_handler);
        raise(SIGUSR1);
        return bad;
    }
    all(NULL);
    return bad;
}
