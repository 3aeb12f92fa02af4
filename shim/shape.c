/* Receives and sends of stream sockets. Only what a network may do as well: a receive returns less
 * than was asked for, never more, and not where MSG_WAITALL promises all of it. */
#include "shim/shape.h"
#include "shim/flow.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/seen.h"
#include "shim/stall.h"
#include "shim/way.h"
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define KNOWN    1024      /* descriptors of which is known how far they are */
#define PIECES   16        /* of a receive into several buffers; a longer one gets no more */
#define STEP_NS  2000000   /* of a wait for more */
#define QUIET    10        /* steps without more: that was all */
#define STEPS    1000      /* and never longer than two seconds */

/* What happened on a descriptor since it was this socket. Another one under its number begins anew;
 * two threads at once may lose one of it. */
static struct {
    uint32_t inode;
    uint16_t received;
    bool spoke; /* sent, and has not received since */
} state[KNOWN];

static bool is_stream(int fd)
{
    int type = 0, domain = 0;
    socklen_t len = sizeof type;
    return FD_SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
           type == SOCK_STREAM &&
           FD_SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
           (domain == AF_UNIX || domain == AF_INET || domain == AF_INET6);
}

static int known(int fd)
{
    struct stat s;
    if (fd < 0 || fd >= KNOWN || FD_SYS2(SYS_fstat, fd, &s))
        return -1;
    if (state[fd].inode != (uint32_t)s.st_ino) {
        state[fd].inode = (uint32_t)s.st_ino;
        state[fd].received = 0;
        state[fd].spoke = false;
    }
    return fd;
}

static void pause_ns(int64_t ns)
{
    struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    (void)FD_SYS2(SYS_nanosleep, &t, NULL);
}

static long peek(const struct fd_shape *s, int more)
{
    char byte;
    return FD_SYS6(SYS_recvfrom, s->fd, &byte, 1, MSG_PEEK | more, NULL, NULL);
}

/* Waits for the first byte as the call itself would, then for as long as more comes. */
static void wait_for_all(const struct fd_shape *s)
{
    int had = 0, have = 0;
    if (peek(s, s->flags & MSG_DONTWAIT) <= 0)
        return;
    for (int step = 0, quiet = 0; step < STEPS && quiet < QUIET; step++) {
        if (FD_SYS3(SYS_ioctl, s->fd, FIONREAD, &have) || (size_t)have >= s->asked)
            return;
        quiet = have == had ? quiet + 1 : 0;
        had = have;
        pause_ns(STEP_NS);
    }
}

/* Is there more to come on a connection that has brought something? */
static bool resets(const struct fd_shape *s)
{
    int n = known(s->fd);
    return n >= 0 && state[n].received && peek(s, s->flags & MSG_DONTWAIT) > 0;
}

bool fd_shape_receives(struct fd_shape *s)
{
    s->stream = is_stream(s->fd) && !(s->flags & MSG_OOB);
    if (!s->stream || !s->asked)
        return true;
    const struct fd_settings *set = &fd_live.page->settings;
    bool whole = s->flags & (MSG_WAITALL | MSG_TRUNC);
    switch (fd_live_net()) {
    case FD_NET_CHUNK:
        s->asked = whole || s->asked < set->net_number ? s->asked : set->net_number;
        break;
    case FD_NET_SEGMENT:
        s->flow = fd_flow_in(s->fd);
        /* Nothing is known of a send before there was one. */
        (void)(s->flow && !whole && peek(s, s->flags & MSG_DONTWAIT));
        s->asked = s->flow && !whole ? fd_flow_most(s->flow, s->asked) : s->asked;
        break;
    case FD_NET_WHOLE:
        wait_for_all(s);
        break;
    case FD_NET_RESET:
        if (!resets(s))
            break;
        fd_injected(FD_AXIS_NETWORK, ECONNRESET);
        errno = ECONNRESET;
        return false;
    case FD_NET_OPEN:
    case FD_NET_BLOCK:
    case FD_NET_REFUSE:
    case FD_NET_NXDOMAIN:
    case FD_NET_NOHOST:
    case FD_NET_DELAY:
    case FD_NET_BUSY:
    case FD_NET_COUNT:
        break;
    }
    return true;
}

/* A single byte cannot come in pieces: that is how event loops wake themselves. */
void fd_shape_received(const struct fd_shape *s, ssize_t ret, const char *hook)
{
    if (!s->stream || ret <= 0)
        return;
    if (ret > 1 && fd_live.open)
        fd_touch(FD_AXIS_NETWORK, hook);
    if (ret > 1 && fd_watching())
        fd_seen_deed(FD_DEED_STREAM);
    if (s->flags & MSG_PEEK)
        return;
    if (s->flow)
        fd_flow_received(s->flow, (size_t)ret);
    int n = known(s->fd);
    if (n < 0)
        return;
    state[n].received = 1;
    state[n].spoke = false;
}

/* Late is what is sent: so the other side's time limits know of it. Once for each turn, as on a
 * long way that is wide enough. */
void fd_shape_sends(struct fd_shape *s)
{
    s->stream = fd_live_net() >= FD_NET_DELAY && is_stream(s->fd) && !(s->flags & MSG_OOB);
    if (!s->stream)
        return;
    if (fd_live_net() == FD_NET_DELAY) {
        int n = known(s->fd);
        if (n < 0 || !state[n].spoke)
            pause_ns(fd_live.page->settings.net_delay_ns);
        if (n >= 0)
            state[n].spoke = true;
    }
    s->flow = fd_live_net() == FD_NET_SEGMENT ? fd_flow_out(s->fd) : NULL;
    if (s->flow)
        fd_flow_sends(s->flow, s->asked);
}

void fd_shape_sent(const struct fd_shape *s, ssize_t ret)
{
    if (s->flow)
        fd_flow_sent(s->flow, s->asked, ret);
}

/* ---- the hooks ------------------------------------------------------------------------------- */

#define RECEIVE(name, params, call, cut, how)                                         \
    FD_EXPORT ssize_t name params                                                     \
    {                                                                                 \
        if (fd_live_on())                                                             \
            fd_stall_io(fd);                                                          \
        if (!fd_shape_on())                                                           \
            return touched(fd, REAL(name) call, #name);                               \
        struct fd_shape s = {.fd = fd, .flags = (how), .asked = n};                   \
        if (!fd_shape_receives(&s))                                                   \
            return -1;                                                                \
        ssize_t ret = REAL(name) cut;                                                 \
        fd_shape_received(&s, ret, #name);                                            \
        return ret;                                                                   \
    }

/* Nothing is shaped: only whether the axis is of interest is to be known. */
static ssize_t touched(int fd, ssize_t ret, const char *hook)
{
    if (ret > 1 && fd_live_on() && fd_live.open && is_stream(fd))
        fd_touch(FD_AXIS_NETWORK, hook);
    return ret;
}

RECEIVE(recv, (int fd, void *buf, size_t n, int flags), (fd, buf, n, flags),
        (fd, buf, s.asked, flags), flags)
RECEIVE(__recv_chk, (int fd, void *buf, size_t n, size_t room, int flags),
        (fd, buf, n, room, flags), (fd, buf, n > room ? n : s.asked, room, flags), flags)
RECEIVE(recvfrom,
        (int fd, void *buf, size_t n, int flags, struct sockaddr *from, socklen_t *len),
        (fd, buf, n, flags, from, len), (fd, buf, s.asked, flags, from, len), flags)
RECEIVE(__recvfrom_chk,
        (int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *from,
         socklen_t *len),
        (fd, buf, n, room, flags, from, len),
        (fd, buf, n > room ? n : s.asked, room, flags, from, len), flags)

static size_t length_of(const struct iovec *v, size_t n)
{
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += v[i].iov_len;
    return all;
}

size_t fd_shape_length(const struct iovec *v, int n)
{
    return n > 0 && n <= 1024 && fd_readable(v, (size_t)n * sizeof *v) ? length_of(v, (size_t)n)
                                                                       : 0;
}

/* The first `most` bytes of v, in `to`; returns how many pieces. */
static size_t cut(const struct iovec *v, size_t n, size_t most, struct iovec to[PIECES])
{
    size_t i = 0;
    for (; i < n && i < PIECES && most; i++) {
        to[i] = v[i];
        if (to[i].iov_len > most)
            to[i].iov_len = most;
        most -= to[i].iov_len;
    }
    return i;
}

FD_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    if (fd_live_on())
        fd_stall_io(fd);
    if (!fd_shape_on() || !fd_readable(m, sizeof *m) || m->msg_iovlen < 1 ||
        !fd_readable(m->msg_iov, m->msg_iovlen * sizeof *m->msg_iov))
        return touched(fd, REAL(recvmsg)(fd, m, flags), "recvmsg");
    struct iovec to[PIECES], *had = m->msg_iov;
    size_t pieces = m->msg_iovlen, all = length_of(had, pieces);
    struct fd_shape s = {.fd = fd, .flags = flags, .asked = all};
    if (!fd_shape_receives(&s))
        return -1;
    if (s.asked < all) {
        m->msg_iovlen = cut(had, pieces, s.asked, to);
        m->msg_iov = to;
    }
    ssize_t ret = REAL(recvmsg)(fd, m, flags);
    m->msg_iov = had;
    m->msg_iovlen = pieces;
    fd_shape_received(&s, ret, "recvmsg");
    return ret;
}

/* A write to a socket is a send; one to a file may find no room. */
#define SEND(name, params, call, n, most, how)                    \
    FD_EXPORT ssize_t name params                                 \
    {                                                             \
        if (FD_NO_ROOM(fd, most, FD_AT_POSITION))                 \
            return -1;                                            \
        if (!fd_shape_on())                                       \
            return REAL(name) call;                               \
        struct fd_shape s = {.fd = fd, .flags = how, .asked = n}; \
        fd_shape_sends(&s);                                       \
        ssize_t ret = REAL(name) call;                            \
        fd_shape_sent(&s, ret);                                   \
        return ret;                                               \
    }
SEND(send, (int fd, const void *buf, size_t n, int flags), (fd, buf, n, flags), n, n, flags)
SEND(write, (int fd, const void *buf, size_t n), (fd, buf, n), n, n, 0)
SEND(writev, (int fd, const struct iovec *v, int n), (fd, v, n), fd_shape_length(v, n),
     fd_shape_length(v, n), 0)
SEND(sendfile, (int fd, int from, off_t *at, size_t n), (fd, from, at, n), n,
     fd_ambient_rest(from, at, n), 0)
SEND(sendfile64, (int fd, int from, off64_t *at, size_t n), (fd, from, at, n), n,
     fd_ambient_rest(from, at, n), 0)
