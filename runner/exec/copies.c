#include "exec/copies.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "exec/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_ENDED (-1) /* no status that waitpid gives */

static volatile pid_t running[COPIES_MAX];

/* The runner asks the one process it knows where it stands; the question is for the copies. */
static void pass_on(int signal)
{
    int was = errno;
    for (unsigned i = 0; i < COPIES_MAX; i++)
        if (running[i] > 0)
            kill(running[i], signal);
    errno = was;
}

static _Noreturn void become_copy(const struct copies *c, unsigned i, pid_t parent, int tell)
{
    setpgid(0, 0); /* a test that signals its group means its own */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    signal(CHILD_STACK_SIGNAL, SIG_DFL);
    environ = c->env[i].at;
    execvp(c->argv[i].at[0], c->argv[i].at);
    struct copies_failure why = {.os = errno};
    (void)!write(tell, &why, sizeof why);
    _exit(127);
}

static void wait_until(int64_t when_ns)
{
    const struct timespec at = {.tv_sec = when_ns / NS_PER_S, .tv_nsec = when_ns % NS_PER_S};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        ;
}

static int start_all(const struct copies *c, int tell)
{
    int64_t began = clock_mono_ns();
    pid_t me = getpid();
    for (unsigned i = 0; i < c->n; i++) {
        if (c->stagger_ns)
            wait_until(began + (int64_t)i * c->stagger_ns);
        pid_t pid = fork();
        if (pid < 0)
            return -1;
        if (pid == 0)
            become_copy(c, i, me, tell);
        running[i] = pid;
    }
    return 0;
}

static void wait_for_all(const struct copies *c, int ends)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, 0)) > 0 || errno == EINTR;) {
        for (unsigned i = 0; pid > 0 && i < c->n; i++) {
            if (running[i] != pid)
                continue;
            kill(-pid, SIGKILL); /* what it left in its group */
            running[i] = 0;
            (void)!pwrite(ends, &status, sizeof status, (off_t)(i * sizeof status));
        }
    }
}

int copies_run(const struct copies *c, int tell)
{
    int ends = open(c->ends, O_WRONLY | O_CLOEXEC);
    if (ends < 0 || c->n > COPIES_MAX)
        return -1;
    signal(CHILD_STACK_SIGNAL, pass_on);
    prctl(PR_SET_NAME, "fr-copies");
    if (start_all(c, tell) < 0)
        return -1;
    /* Nothing of the runner's stays open in us: its other children wait for the ends of pipes. */
    close(tell);
    if (ends != STDERR_FILENO + 1)
        ends = dup2(ends, STDERR_FILENO + 1);
    (void)syscall(SYS_close_range, STDERR_FILENO + 2, ~0U, 0);
    wait_for_all(c, ends);
    _exit(0);
}

void copies_folder(const char *folder, unsigned i, char *buf, size_t size)
{
    if (i == 0)
        snprintf(buf, size, "%s", folder);
    else
        snprintf(buf, size, "%s/c%u", folder, i);
}

int copies_ends_create(const char *path, unsigned n, struct err *e)
{
    int status[COPIES_MAX];
    for (unsigned i = 0; i < COPIES_MAX; i++)
        status[i] = NOT_ENDED;
    own_fd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || fdio_write_all(fd, (const char *)status, n * sizeof *status) < 0)
        return err_sys(e, "creating %s", path);
    return 0;
}

bool copies_ended(const char *folder, unsigned i, int *ret_status)
{
    char path[128];
    snprintf(path, sizeof path, "%s/e", folder);
    own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    int status;
    if (fd < 0 || pread(fd, &status, sizeof status, (off_t)(i * sizeof status)) != sizeof status ||
        status == NOT_ENDED)
        return false;
    *ret_status = status;
    return true;
}
