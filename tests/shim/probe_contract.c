/* probe_contract: what callers may rely on, whatever is held: errno after success, EINVAL, EFAULT,
 * EINTR, cancellation, modes of open, six arguments of syscall. Prints what does not hold. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int bad;
#define HOLDS(x)                     \
    do {                             \
        if (!(x)) {                  \
            bad = 1;                 \
            printf("not so: %s\n", #x); \
        }                            \
    } while (0)
#define FAILS(call, err) HOLDS((errno = 0, (long)(call) == -1) && errno == (err))

static void errors(void)
{
    char buf[300];
    void *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct timespec t;
    struct timeval v;
    struct stat s;
    errno = 77;
    HOLDS(clock_gettime(CLOCK_REALTIME, &t) == 0 && time(NULL) > 0 && gettimeofday(&v, NULL) == 0);
    HOLDS(stat("/", &s) == 0 && getrandom(buf, 16, 0) == 16 && getentropy(buf, 16) == 0);
    HOLDS(syscall(SYS_getrandom, buf, 16, 0) == 16 && syscall(SYS_getpid) == getpid());
    HOLDS(errno == 77);
    FAILS(clock_gettime(9999, &t), EINVAL);
    FAILS(syscall(SYS_clock_gettime, 9999, &t), EINVAL);
    FAILS(getrandom(buf, 16, 0x80), EINVAL);
    if (getenv("LD_PRELOAD")) /* without us, glibc 2.41 fills it itself, by the vDSO, and dies */
        FAILS(getrandom(nowhere, 16, 0), EFAULT);
    FAILS(getentropy(buf, 257), EIO);
    FAILS(syscall(-1), ENOSYS);
    FAILS(syscall(SYS_close, -1), EBADF);
    FAILS(stat("/nowhere", &s), ENOENT);
    FAILS(open("/nowhere", O_RDONLY), ENOENT);
    FAILS(read(-1, buf, 1), EBADF);
    HOLDS(getrandom(buf, 0, 0) == 0);
    int device = open("/dev/urandom", O_WRONLY);
    FAILS(read(device, buf, 8), EBADF);
    close(device);
    device = open("/dev/urandom", O_RDONLY);
    FAILS(read(device, nowhere, 8), EFAULT);
    HOLDS(read(device, buf, 0) == 0 && read(device, buf, sizeof buf) == sizeof buf);
    close(device);
    HOLDS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){.tv_nsec = -1}, NULL) ==
          EINVAL);
    FAILS(nanosleep(&(struct timespec){.tv_nsec = 1000000000}, NULL), EINVAL);
}

/* T35: the mode counts with O_CREAT and O_TMPFILE, and syscall() passes all six. */
static void variadic(void)
{
    struct stat s;
    char name[] = "/tmp/probe_contract.XXXXXX";
    close(mkstemp(name));
    unlink(name);
    umask(0);
    int fd = open(name, O_CREAT | O_RDWR, 0640);
    HOLDS(fstat(fd, &s) == 0 && (s.st_mode & 07777) == 0640);
    HOLDS(write(fd, "abcdef", 6) == 6);
    long at = syscall(SYS_mmap, 0L, 4096L, (long)PROT_READ, (long)MAP_PRIVATE, (long)fd, 0L);
    HOLDS(at > 0 && !memcmp((void *)at, "abcdef", 6));
    close(fd);
    unlink(name);
    fd = open("/tmp", O_TMPFILE | O_RDWR, 0604);
    HOLDS(fd < 0 || (fstat(fd, &s) == 0 && (s.st_mode & 07777) == 0604));
    int word = 1;
    struct timespec soon = {.tv_nsec = 1000000};
    FAILS(syscall(SYS_futex, &word, FUTEX_WAIT, 1, &soon, NULL, 0), ETIMEDOUT);
}

static void nothing(int s)
{
    (void)s;
}

/* T32: a signal ends a sleep, with what is left; nothing swallows it. */
static void interrupted(void)
{
    struct sigaction sa = {.sa_handler = nothing};
    struct itimerval soon = {.it_value.tv_usec = 50000}, off = {.it_value.tv_usec = 0};
    struct timespec left = {0}, t = {.tv_sec = 5};
    sigaction(SIGALRM, &sa, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    FAILS(nanosleep(&t, &left), EINTR);
    HOLDS(left.tv_sec == 4 && left.tv_nsec > 500000000);
    setitimer(ITIMER_REAL, &soon, NULL);
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 5;
    HOLDS(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == EINTR);
    setitimer(ITIMER_REAL, &off, NULL);
}

static void *sleeper(void *arg)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 60;
    if (arg)
        nanosleep(&(struct timespec){.tv_sec = 60}, NULL);
    else
        clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
    return NULL;
}

static void cancelled(void *arg)
{
    pthread_t p;
    void *ret = NULL;
    pthread_create(&p, NULL, sleeper, arg);
    usleep(50000);
    pthread_cancel(p);
    pthread_join(p, &ret);
    HOLDS(ret == PTHREAD_CANCELED);
}

int main(void)
{
    alarm(20);
    errors();
    variadic();
    interrupted();
    alarm(20);
    cancelled(NULL);
    cancelled(&bad);
    return bad;
}
