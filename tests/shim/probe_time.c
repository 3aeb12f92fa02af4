/* probe_time WHERE: every reader of the wall clock, called in main, thread, fork, exec or signal;
 * prints the seconds if all agree within one, the readings and exit status 1 otherwise. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READERS 8
static volatile long long seen[READERS];

static void read_all(void)
{
    struct timespec t;
    struct timeval v;
    time_t s;
    clock_gettime(CLOCK_REALTIME, &t);
    seen[0] = t.tv_sec;
    clock_gettime(CLOCK_REALTIME_COARSE, &t);
    seen[1] = t.tv_sec;
    gettimeofday(&v, NULL);
    seen[2] = v.tv_sec;
    seen[3] = time(&s);
    seen[4] = s;
    timespec_get(&t, TIME_UTC);
    seen[5] = t.tv_sec;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
    seen[6] = t.tv_sec;
    syscall(SYS_gettimeofday, &v, NULL);
    seen[7] = v.tv_sec;
}

static void on_signal(int s)
{
    (void)s;
    read_all();
}

static void *on_thread(void *arg)
{
    read_all();
    return arg;
}

static int show(void)
{
    int bad = 0;
    for (int i = 1; i < READERS; i++)
        bad |= seen[i] < seen[0] - 1 || seen[i] > seen[0] + 1; /* _COARSE lags by a tick */
    for (int i = 0; i < (bad ? READERS : 1); i++)
        printf("%lld\n", seen[i]);
    fflush(stdout);
    return bad;
}

int main(int argc, char **argv)
{
    const char *where = argc > 1 ? argv[1] : "main";
    int status = 0;
    if (!strcmp(where, "thread")) {
        pthread_t p;
        pthread_create(&p, NULL, on_thread, NULL);
        pthread_join(p, NULL);
    } else if (!strcmp(where, "fork")) {
        pid_t child = fork();
        if (!child) {
            read_all();
            _exit(show());
        }
        waitpid(child, &status, 0);
        return status != 0;
    } else if (!strcmp(where, "exec")) {
        char *const args[] = {argv[0], NULL}, *const none[] = {NULL};
        execve("/proc/self/exe", args, none);
        return 1;
    } else if (!strcmp(where, "signal")) {
        signal(SIGUSR1, on_signal);
        raise(SIGUSR1);
    } else {
        read_all();
    }
    return show();
}
