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
#include <sys/socket.h>
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

static _Noreturn void become_copy(const struct copies *c, unsigned i, int gate, pid_t parent,
                                  int tell)
{
    own_text struct text number = {0};
    setpgid(0, 0); /* a test that signals its group means its own */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    signal(CHILD_STACK_SIGNAL, SIG_DFL);
    fcntl(gate, F_SETFD, 0);
    text_addf(&number, "%d", gate);
    argv_env_set(&c->env[i], "FR_GATE", text_str(&number));
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

/* gate[i]: our end of a pair whose other end copy i holds. */
static int start_all(const struct copies *c, int *gate, int tell)
{
    pid_t me = getpid();
    for (unsigned i = 0; i < c->n; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
            return -1;
        gate[i] = pair[0];
        pid_t pid = fork();
        if (pid < 0)
            return -1;
        if (pid == 0)
            become_copy(c, i, pair[1], me, tell);
        close(pair[1]);
        running[i] = pid;
    }
    return 0;
}

/* Processes do not take equally long to come to their test. Each says when it has (a byte) or ends
 * before; then they are let go together, or one after the other. */
static void let_go(const struct copies *c, const int *gate)
{
    for (unsigned i = 0; i < c->n; i++) {
        char ready;
        while (read(gate[i], &ready, 1) < 0 && errno == EINTR)
            ;
    }
    int64_t began = clock_mono_ns();
    for (unsigned i = 0; i < c->n; i++) {
        if (c->stagger_ns)
            wait_until(began + (int64_t)i * c->stagger_ns);
        (void)send(gate[i], "g", 1, MSG_NOSIGNAL);
    }
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

/* Nothing of the runner's stays open in us: its other children wait for the ends of pipes. */
static void close_others(const int *keep, unsigned n)
{
    for (int fd = STDERR_FILENO + 1, last = 0; !last; fd++) {
        int next = -1;
        for (unsigned i = 0; i < n; i++)
            if (keep[i] >= fd && (next < 0 || keep[i] < next))
                next = keep[i];
        last = next < 0;
        if (next != fd)
            (void)syscall(SYS_close_range, fd, last ? ~0U : (unsigned)next - 1, 0);
        fd = last ? fd : next;
    }
}

int copies_run(const struct copies *c, int tell)
{
    int keep[COPIES_MAX + 1], *gate = keep + 1;
    keep[0] = open(c->ends, O_WRONLY | O_CLOEXEC);
    if (keep[0] < 0 || c->n > COPIES_MAX)
        return -1;
    signal(CHILD_STACK_SIGNAL, pass_on);
    prctl(PR_SET_NAME, "fr-copies");
    if (start_all(c, gate, tell) < 0)
        return -1;
    close_others(keep, c->n + 1);
    let_go(c, gate);
    wait_for_all(c, keep[0]);
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
