#include "triage/helper.h"

#include "base/clock.h"
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define SAID_MOST 400 /* bytes of stderr that are kept */

struct ends {
    int in[2], out[2], err[2], bad[2]; /* bad: closed by an exec that succeeds */
};

static void ends_close(struct ends *p)
{
    for (size_t i = 0; i < sizeof *p / sizeof(int); i++)
        own_fd_close((int *)p + i);
}

static int ends_open(struct ends *p)
{
    for (size_t i = 0; i < sizeof *p / sizeof(int); i++)
        ((int *)p)[i] = -1;
    return pipe2(p->in, O_CLOEXEC) < 0 || pipe2(p->out, O_CLOEXEC) < 0 ||
                   pipe2(p->err, O_CLOEXEC) < 0 || pipe2(p->bad, O_CLOEXEC) < 0
               ? -1
               : 0;
}

static _Noreturn void become(const struct ends *p, const struct argv *argv, char *const *env)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sigaction(SIGPIPE, &normal, NULL);
    if (dup2(p->in[0], 0) >= 0 && dup2(p->out[1], 1) >= 0 && dup2(p->err[1], 2) >= 0)
        execvpe(argv->at[0], argv->at, env);
    int why = errno;
    (void)!write(p->bad[1], &why, sizeof why);
    _exit(127);
}

int helper_start(const struct argv *argv, char *const *env, struct helper *ret, struct err *e)
{
    __attribute__((cleanup(ends_close))) struct ends p;
    struct helper h = HELPER_NONE;
    int why = 0;
    if (ends_open(&p) < 0)
        return err_sys(e, "starting %s", argv->at[0]);
    h.pid = fork();
    if (h.pid < 0)
        return err_sys(e, "starting %s", argv->at[0]);
    if (h.pid == 0)
        become(&p, argv, env);
    own_fd_close(&p.bad[1]);
    if (read(p.bad[0], &why, sizeof why) == sizeof why) {
        (void)waitpid(h.pid, NULL, 0);
        errno = why;
        return err_sys(e, "starting %s", argv->at[0]);
    }
    h.in = take_fd(&p.in[1]);
    h.out = take_fd(&p.out[0]);
    h.err = take_fd(&p.err[0]);
    const int ours[] = {h.in, h.out, h.err};
    for (size_t i = 0; i < 3; i++)
        (void)fcntl(ours[i], F_SETFL, O_NONBLOCK);
    *ret = h;
    return 0;
}

void helper_stop(struct helper *h)
{
    if (h->pid > 0) {
        (void)kill(-h->pid, SIGKILL);
        (void)kill(h->pid, SIGKILL); /* before it had a group */
        while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    own_fd_close(&h->in);
    own_fd_close(&h->out);
    own_fd_close(&h->err);
    text_done(&h->said);
    text_done(&h->got);
    *h = HELPER_NONE;
}

void helper_finish(struct helper *h, int64_t deadline_ns)
{
    siginfo_t ended = {0};
    own_fd_close(&h->in);
    while (h->pid > 0 && clock_mono_ns() < deadline_ns &&
           waitid(P_PID, (id_t)h->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0)
        (void)poll(NULL, 0, 2);
    helper_stop(h);
}

/* Takes in what there is; at the end of the stream the descriptor is closed. */
static void take_in(int *fd, struct text *to)
{
    char buf[16384];
    ssize_t n;
    while ((n = read(*fd, buf, sizeof buf)) < 0 && errno == EINTR)
        ;
    if (n > 0)
        text_addn(to, buf, (size_t)n);
    else if (n == 0 || errno != EAGAIN)
        own_fd_close(fd);
}

static void keep_end(struct text *t)
{
    if (t->len <= SAID_MOST)
        return;
    own_text struct text end = {0};
    text_addn(&end, t->at + t->len - SAID_MOST, SAID_MOST);
    text_clear(t);
    text_add(t, text_str(&end));
}

/* Writes on; closes at the end where the answer is all that is still to come. */
static void give(struct helper *h, const char *s, size_t n, size_t *done, bool close_after)
{
    ssize_t did = write(h->in, s + *done, n - *done);
    if (did > 0)
        *done += (size_t)did;
    if ((did < 0 && errno != EAGAIN && errno != EINTR) || (close_after && *done == n))
        own_fd_close(&h->in);
}

static bool take_line(struct helper *h, struct text *reply)
{
    const char *end = h->got.len ? memchr(h->got.at, '\n', h->got.len) : NULL;
    if (!end)
        return false;
    own_text struct text rest = {0};
    size_t n = (size_t)(end - h->got.at);
    text_addn(reply, h->got.at, n);
    text_addn(&rest, end + 1, h->got.len - n - 1);
    text_clear(&h->got);
    text_addn(&h->got, text_str(&rest), rest.len);
    return true;
}

static enum asked ended(struct helper *h, const char *what, struct err *e)
{
    err_set(e, ERR_SYSTEM, "%s%s%s", what, h->said.len ? ": " : "", text_str(&h->said));
    return ASKED_FAILED;
}

/* Waits for its end, which is near: its stdout is closed. */
static enum asked farewell(struct helper *h, const struct exchange *x, struct text *reply,
                           struct err *e)
{
    int status = 0;
    pid_t got;
    while ((got = waitpid(h->pid, &status, WNOHANG)) == 0) {
        if (clock_mono_ns() >= x->deadline_ns)
            return ASKED_LATE;
        (void)poll(NULL, 0, 2);
    }
    (void)kill(-h->pid, SIGKILL); /* what it left behind */
    h->pid = 0;
    own_text struct text what = {0};
    if (got < 0 || WIFSIGNALED(status))
        text_addf(&what, "the program was ended by signal %d", got < 0 ? 0 : WTERMSIG(status));
    else if (WEXITSTATUS(status))
        text_addf(&what, "the program ended with exit status %d", WEXITSTATUS(status));
    if (what.len)
        return ended(h, text_str(&what), e);
    text_addn(reply, text_str(&h->got), h->got.len);
    return ASKED_ANSWERED;
}

enum asked helper_exchange(struct helper *h, const struct exchange *x, struct text *reply,
                           struct err *e)
{
    size_t n = strlen(x->say), done = 0;
    while (h->out >= 0) {
        if (x->until == UNTIL_LINE && done == n && take_line(h, reply))
            return ASKED_ANSWERED;
        if (h->got.len > x->most)
            return ended(h, "the program answers without end", e);
        struct pollfd p[] = {
            {done < n ? h->in : -1, POLLOUT, 0}, {h->out, POLLIN, 0}, {h->err, POLLIN, 0}};
        int left = clock_poll_ms(x->deadline_ns);
        if (left == 0)
            return ASKED_LATE;
        if (poll(p, 3, left) < 0 && errno != EINTR)
            return ended(h, "waiting for the program failed", e);
        if (p[0].revents && h->in >= 0)
            give(h, x->say, n, &done, x->until == UNTIL_END);
        if (h->in < 0)
            done = n;
        if (p[1].revents)
            take_in(&h->out, &h->got);
        if (p[2].revents && h->err >= 0)
            take_in(&h->err, &h->said);
        keep_end(&h->said);
    }
    if (x->until == UNTIL_LINE)
        return take_line(h, reply) ? ASKED_ANSWERED : ended(h, "the program ended", e);
    return farewell(h, x, reply, e);
}
