#include "exec/warm.h"

#include "base/fdio.h"
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int warm_start(struct warm *w, struct launch *l, const char *key, struct err *e)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return err_sys(e, "opening a channel to pytest");
    own_fd int ours = pair[0];
    own_fd int theirs = pair[1];
    l->channel = theirs;
    *w = WARM_NONE;
    if (spawn_start(l, false, &w->proc, e) < 0)
        return err_while(e, "starting a warm pytest");
    fcntl(ours, F_SETFL, O_NONBLOCK);
    w->channel = take_fd(&ours);
    text_copy(w->key, sizeof w->key, key);
    text_copy(w->folder, sizeof w->folder, l->folder);
    return 0;
}

/* A word for what is held while a request runs: the tests before it need to run again where it is
 * another one (FNV-1a). */
static void held_word(const struct fd_settings *s, char *buf, size_t size)
{
    const unsigned char *at = (const unsigned char *)s;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof *s; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    snprintf(buf, size, "%016" PRIx64, hash);
}

int warm_ask(struct warm *w, const char *folder, const char *nodeid, const struct recipe *r,
             struct err *e)
{
    char held[20];
    own_text struct text line = {0};
    held_word(&r->page, held, sizeof held);
    channel_request(folder, nodeid, &r->before, held, &line);
    ssize_t n = send(w->channel, line.at, line.len, MSG_NOSIGNAL);
    if (n != (ssize_t)line.len)
        return err_sys(e, "asking the warm pytest for a run");
    w->running = 0;
    return 0;
}

/* Takes in what is there; false when the process has closed its end. */
static bool take_in(struct warm *w)
{
    char buf[4096];
    for (;;) {
        ssize_t n = read(w->channel, buf, sizeof buf);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN;
        if (n == 0)
            return false;
        text_addn(&w->in, buf, (size_t)n);
    }
}

int warm_event(struct warm *w, struct event *ret_event, struct err *e)
{
    bool open = take_in(w);
    child_read(&w->proc, &w->tail);
    char *end = w->in.len ? memchr(w->in.at, '\n', w->in.len) : NULL;
    if (!end)
        return open ? 0 : err_set(e, ERR_SYSTEM, "the warm pytest ended");
    *end = 0;
    int parsed = channel_parse(w->in.at, ret_event, e);
    size_t used = (size_t)(end + 1 - w->in.at);
    memmove(w->in.at, w->in.at + used, w->in.len - used + 1);
    w->in.len -= used;
    return parsed < 0 ? -1 : 1;
}

void warm_done(struct warm *w)
{
    if (w->running > 0)
        kill(-w->running, SIGKILL);
    child_done(&w->proc);
    own_fd_close(&w->channel);
    text_done(&w->in);
    text_done(&w->tail);
    if (w->folder[0])
        fdio_remove_tree(w->folder);
    *w = WARM_NONE;
}
