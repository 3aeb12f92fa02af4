/* A suite of the user's, run as he runs it. */
#include "live/engine.h"

#include "base/clock.h"
#include "base/own.h"
#include "base/release.h"
#include "exec/child.h"
#include "live/locate.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Our plugin by its folder, our program by its path: both of one release. */
static int environment(const struct argv *more, struct argv *env, struct err *e)
{
    own_place struct place parts = {0};
    own_text struct text path = {0};
    char program[PATH_MAX];
    if (locate_parts(&parts, e) < 0 || locate_agree(&parts, e) < 0 ||
        release_program(program, e) < 0)
        return -1;
    for (char **v = environ; *v; v++)
        argv_add(env, *v);
    const char *had = argv_env_get(env, "PYTHONPATH");
    text_addf(&path, "%s%s%s", parts.plugin, had && *had ? ":" : "", had ? had : "");
    argv_env_set(env, "PYTHONPATH", text_str(&path));
    if (!argv_env_get(env, "FLAKY_REPRO"))
        argv_env_set(env, "FLAKY_REPRO", program);
    argv_copy(env, more);
    return 0;
}

static int open_signals(struct err *e)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(&set, passed_on[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? err_sys(e, "waiting for signals") : fd;
}

/* From a terminal a signal comes to all of a group. It leads its own, so it has not had it yet. */
static void pass_on(int signals, pid_t group)
{
    struct signalfd_siginfo got;
    while (read(signals, &got, sizeof got) == (ssize_t)sizeof got)
        (void)kill(got.ssi_signo == SIGTERM ? group : -group, (int)got.ssi_signo);
}

/* What it leaves behind in its group is left alone, as without us. */
static bool ended(struct child *c, int *ret_status)
{
    if (waitpid(c->pid, ret_status, WNOHANG) != c->pid)
        return false;
    c->pid = 0;
    return true;
}

static int status_of(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int live_suite(const struct argv *words, const struct argv *more, int *ret_status, struct err *e)
{
    own_argv struct argv env = {0};
    struct child c = CHILD_NONE;
    int status = 0;
    own_fd int signals = open_signals(e);
    if (signals < 0 || environment(more, &env, e) < 0)
        return -1;
    if (live_stop) /* it came before they were blocked */
        return err_set(e, ERR_INTERRUPT, "interrupted");
    struct spawn how = {.argv = words, .env = &env, .keep_fd = -1, .terminal = true};
    if (child_spawn(&how, &c, e) < 0)
        return -1;
    while (!ended(&c, &status)) {
        struct pollfd p[2] = {{.fd = c.pidfd, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        (void)poll(p, 2, -1);
        if (c.pid > 0 && p[1].revents)
            pass_on(signals, c.pid);
    }
    child_done(&c);
    child_terminal_back();
    *ret_status = status_of(status);
    return 0;
}

/* Until it ends or has to. */
static void wait_unseen(struct child *c, int signals, int64_t limit_ns, struct suite_end *ret)
{
    own_text struct text dropped = {0};
    int64_t deadline_ns = clock_mono_ns() + limit_ns;
    int status = 0;
    while (!child_ended(c, &status)) {
        struct signalfd_siginfo got;
        struct pollfd p[3] = {{.fd = c->pidfd, .events = POLLIN},
                              {.fd = signals, .events = POLLIN},
                              {.fd = c->out, .events = POLLIN}};
        int64_t left_ms = (deadline_ns - clock_mono_ns()) / NS_PER_MS;
        ret->late = left_ms <= 0;
        if (!ret->late)
            (void)poll(p, 3, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
        ret->stopped = live_stop || read(signals, &got, sizeof got) == (ssize_t)sizeof got;
        (void)child_read(c, &dropped);
        if (ret->late || ret->stopped) {
            child_kill(c, &status);
            break;
        }
    }
    ret->status = status_of(status);
}

int live_suite_unseen(const struct argv *words, const struct argv *more, int64_t limit_ns,
                      struct suite_end *ret, struct err *e)
{
    own_argv struct argv env = {0};
    struct child c = CHILD_NONE;
    *ret = (struct suite_end){0};
    own_fd int signals = open_signals(e);
    if (signals < 0 || environment(more, &env, e) < 0)
        return -1;
    struct spawn how = {.argv = words, .env = &env, .keep_fd = -1};
    if (child_spawn(&how, &c, e) < 0)
        return -1;
    wait_unseen(&c, signals, limit_ns, ret);
    child_done(&c);
    return 0;
}
