#include "exec/child.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int enter(const struct sandbox *box, char *step, size_t size)
{
    struct sandbox_step at;
    if (!box || sandbox_enter(box, &at) == 0)
        return 0;
    snprintf(step, size, ": %s", at.what);
    return -1;
}

/* Its words are nobody's, and how it ends is not asked for. It is in our group, and ends with us.
 */
static void run_before(const struct command *c)
{
    pid_t me = getpid(), pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != me || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
            _exit(127);
        environ = c->env->at;
        execvp(c->argv->at[0], c->argv->at);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Makes a process group the one that reads the terminal and is reached by Ctrl-C. */
static void take_terminal(pid_t group)
{
    sigset_t stop, had;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU); /* it would stop who asks from the background */
    sigprocmask(SIG_BLOCK, &stop, &had);
    if (isatty(STDIN_FILENO))
        (void)tcsetpgrp(STDIN_FILENO, group);
    sigprocmask(SIG_SETMASK, &had, NULL);
}

void child_terminal_back(void)
{
    take_terminal(getpgrp());
}

/* Between fork and exec, in the child. What fails goes up the pipe `tell`. */
static _Noreturn void become(const struct spawn *how, pid_t parent, int out, int tell)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before the signal was asked for */
        _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int s = 1; s < 32; s++) /* what we ignore or catch is not the test's affair */
        if (s != SIGKILL && s != SIGSTOP)
            signal(s, SIG_DFL);
    int null = how->terminal ? -1 : open("/dev/null", O_RDONLY);
    if (how->terminal && tcgetpgrp(STDIN_FILENO) == getpgid(parent))
        take_terminal(getpid());
    if (null >= 0 && null != STDIN_FILENO)
        dup2(null, STDIN_FILENO);
    if (null > STDIN_FILENO)
        close(null);
    if (out >= 0) {
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
    }
    int errors = how->errors ? open(how->errors, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (errors >= 0) {
        dup2(errors, STDERR_FILENO);
        close(errors);
    }
    struct rlimit stack;
    if (how->stack_limit && getrlimit(RLIMIT_STACK, &stack) == 0) {
        stack.rlim_cur = how->stack_limit;
        (void)setrlimit(RLIMIT_STACK, &stack); /* beyond the hard limit: then nothing moves */
    }
    if (how->no_aslr)
        (void)personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    if (how->keep_fd >= 0)
        fcntl(how->keep_fd, F_SETFD, 0);
    struct copies_failure why = {0};
    if (enter(how->box, why.step, sizeof why.step) == 0 && (!how->cwd || chdir(how->cwd) == 0)) {
        if (how->before) {
            close(tell); /* as far as we know it runs; nobody waits for so long */
            run_before(how->before);
        }
        if (!how->copies) {
            environ = how->env->at;
            execvp(how->argv->at[0], how->argv->at);
        } else {
            (void)copies_run(how->copies, tell);
        }
    }
    why.os = errno;
    (void)!write(tell, &why, sizeof why);
    _exit(127);
}

static struct copies_failure wait_for_exec(int tell)
{
    struct copies_failure why = {0};
    ssize_t n;
    do
        n = read(tell, &why, sizeof why);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof why) /* closed by exec: it runs */
        why.os = 0;
    return why;
}

int child_spawn(const struct spawn *how, struct child *ret_child, struct err *e)
{
    int out[2] = {-1, -1}, tell[2];
    if (!how->terminal && pipe2(out, O_CLOEXEC) < 0)
        return err_sys(e, "starting %s", how->argv->at[0]);
    own_fd int out_read = out[0];
    own_fd int out_write = out[1];
    if (pipe2(tell, O_CLOEXEC) < 0)
        return err_sys(e, "starting %s", how->argv->at[0]);
    own_fd int tell_read = tell[0];
    own_fd int tell_write = tell[1];
    pid_t me = getpid(), pid = fork();
    if (pid < 0)
        return err_sys(e, "starting %s", how->argv->at[0]);
    if (pid == 0)
        become(how, me, out_write, tell_write);
    close(take_fd(&tell_write));
    struct copies_failure why = wait_for_exec(tell_read);
    if (why.os) {
        waitpid(pid, NULL, 0);
        errno = why.os;
        return err_sys(e, "starting %s%s", how->argv->at[0], why.step);
    }
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0) {
        err_sys(e, "watching process %d (pidfd_open)", (int)pid);
        err_hint(e, "Linux 5.3 or newer is needed");
        kill(-pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return -1;
    }
    fcntl(pidfd, F_SETFD, FD_CLOEXEC);
    if (out_read >= 0)
        fcntl(out_read, F_SETFL, O_NONBLOCK);
    *ret_child = (struct child){.pid = pid, .pidfd = pidfd, .out = take_fd(&out_read)};
    return 0;
}

bool child_read(struct child *c, struct text *tail)
{
    char buf[4096];
    while (c->out >= 0) {
        ssize_t n = read(c->out, buf, sizeof buf);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return true; /* nothing more for now */
        if (n == 0) {
            close(take_fd(&c->out));
            break;
        }
        text_addn(tail, buf, (size_t)n);
        if (tail->len > 2 * CHILD_TAIL) {
            memmove(tail->at, tail->at + tail->len - CHILD_TAIL, CHILD_TAIL);
            text_cut(tail, CHILD_TAIL);
        }
    }
    return false;
}

bool child_ended(struct child *c, int *ret_status)
{
    int status;
    if (c->pid <= 0 || waitpid(c->pid, &status, WNOHANG) != c->pid)
        return false;
    kill(-c->pid, SIGKILL); /* what it left in its group */
    c->pid = 0;
    *ret_status = status;
    return true;
}

void child_kill(struct child *c, int *ret_status)
{
    int status = 0;
    if (c->pid > 0) {
        kill(-c->pid, SIGKILL);
        kill(c->pid, SIGKILL); /* should it have left its group */
        while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
            ;
        c->pid = 0;
    }
    if (ret_status)
        *ret_status = status;
}

void child_done(struct child *c)
{
    child_kill(c, NULL);
    own_fd_close(&c->pidfd);
    own_fd_close(&c->out);
}

/* The first pid of a space-separated list that is not known, 0 if there is none. */
static pid_t first_unknown(const char *list, const pid_t *known, size_t n)
{
    char *end;
    for (long pid = strtol(list, &end, 10); end != list; pid = strtol(list = end, &end, 10)) {
        size_t i = 0;
        while (i < n && known[i] != pid)
            i++;
        if (i == n && pid > 0)
            return (pid_t)pid;
    }
    return 0;
}

void child_sweep(const pid_t *known, size_t n)
{
    for (int round = 0; round < 1000; round++) {
        own_text struct text list = {0};
        struct err ignored;
        char path[64];
        snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        if (fdio_read_file(path, 1 << 16, &list, &ignored) < 0)
            return;
        pid_t stray = first_unknown(text_str(&list), known, n);
        if (!stray)
            return;
        kill(stray, SIGKILL);
        waitpid(stray, NULL, 0);
    }
}
