/* Calls that reach for an address. A blocked network is the one of a new network namespace with lo
 * up: what goes elsewhere fails at once, with the kernel's errors of there, and in its order: what
 * the kernel would refuse before it looks for a route is left to it to refuse. send() and write()
 * need no hook, they go where a connect went. Not reached: io_uring. */
#include "shim/address.h"
#include "shim/allow.h"
#include "shim/netwatch.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/seen.h"
#include "shim/shape.h"
#include "shim/unixway.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#define DATAGRAM_MOST 65535 /* bytes; IPv4 looks at the length before it looks for a route */
#define MESSAGES_MOST 1024u /* that the kernel takes in one call */

struct target { /* a call on its way out */
    const char *hook;
    int fd, flags;
    bool sends;
    size_t bytes;
    const struct msghdr *msg; /* of sendmsg, whose bytes are counted by need */
    int type, protocol;
    struct fd_address to;
};

static int option(int fd, int level, int name, int otherwise)
{
    int value = otherwise;
    socklen_t len = sizeof value;
    return FD_SYS5(SYS_getsockopt, fd, level, name, &value, &len) == 0 ? value : otherwise;
}

/* Is this TCP and beyond its beginning? Then the kernel knows the answer without a packet. */
static bool connected(int fd)
{
    struct tcp_info info = {.tcpi_state = TCP_CLOSE};
    socklen_t len = 1;
    (void)FD_SYS5(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, &info, &len);
    return info.tcpi_state != TCP_CLOSE;
}

static bool loopback4(const struct in_addr *a)
{
    unsigned char ip[16];
    fd_ip_from4(ip, a);
    return a->s_addr && fd_ip_here(ip);
}

/* Multicast and broadcast of a socket that is bound to lo stay on it. */
static bool stays(int fd, const struct fd_address *a)
{
    struct sockaddr_in own = {.sin_family = 0};
    struct in_addr by = {0};
    socklen_t len = sizeof own, by_len = sizeof by;
    bool group = (a->ip[12] & 0xf0) == 0xe0;
    bool all = (a->ip[12] & a->ip[13] & a->ip[14] & a->ip[15]) == 0xff;
    if (!fd_ip_is4(a->ip) || !(group || all))
        return false;
    if (group && FD_SYS5(SYS_getsockopt, fd, IPPROTO_IP, IP_MULTICAST_IF, &by, &by_len) == 0 &&
        by.s_addr)
        return loopback4(&by);
    return FD_SYS3(SYS_getsockname, fd, &own, &len) == 0 && own.sin_family == AF_INET &&
           loopback4(&own.sin_addr);
}

/* Would the kernel look for a way out to this address? */
static bool leaves(struct target *t)
{
    const struct fd_address *a = &t->to;
    int domain = option(t->fd, SOL_SOCKET, SO_DOMAIN, -1);
    t->type = option(t->fd, SOL_SOCKET, SO_TYPE, 0);
    t->protocol = option(t->fd, SOL_SOCKET, SO_PROTOCOL, 0);
    bool stream = t->type == SOCK_STREAM;
    if (domain < 0 || (a->family == AF_UNSPEC && (!t->sends || domain != AF_INET)))
        return false; /* no socket, or to disconnect it */
    if (a->family != domain && a->family != AF_UNSPEC &&
        (a->family != AF_INET || domain != AF_INET6 || stream))
        return false; /* a wrong family; but a datagram of IPv6 also goes to IPv4 */
    if (a->family == AF_PACKET)
        return t->sends;
    if (a->family == AF_VSOCK)
        return !t->sends || !stream;
    if (stream && t->sends && !(t->flags & MSG_FASTOPEN))
        return false; /* a stream does not look at the address */
    return (!stream || !connected(t->fd)) && !stays(t->fd, a);
}

static size_t length(const struct target *t)
{
    size_t n = t->bytes;
    for (size_t i = 0; t->msg && i < t->msg->msg_iovlen; i++)
        n += t->msg->msg_iov[i].iov_len;
    return n;
}

/* Without a scope, a link-local address of IPv6 names no link. */
static bool lacks_scope(const struct target *t)
{
    const struct fd_address *a = &t->to;
    bool link = a->ip[0] == 0xfe && (a->ip[1] & 0xc0) == 0x80;
    bool group = a->ip[0] == 0xff && ((a->ip[1] & 15) == 1 || (a->ip[1] & 15) == 2);
    return !a->scope && (link || (group && t->type != SOCK_STREAM));
}

/* What the namespace with nothing but lo answers. */
static int refusal(const struct target *t)
{
    const struct fd_address *a = &t->to;
    if (a->family == AF_PACKET)
        return ENXIO;
    if (a->family == AF_VSOCK)
        return ENODEV; /* vsock knows no namespaces: a machine without a transport */
    if (!t->sends || t->type == SOCK_STREAM)
        return lacks_scope(t) ? EINVAL : ENETUNREACH;
    if (fd_ip_is4(a->ip) && length(t) > DATAGRAM_MOST)
        return EMSGSIZE;
    if (fd_ip_is4(a->ip) && t->flags & MSG_OOB)
        return EOPNOTSUPP;
    return t->type == SOCK_DGRAM && t->protocol == IPPROTO_UDP && !a->port ? EINVAL : ENETUNREACH;
}

static bool blocked(const struct fd_address *a)
{
    bool ip = a->family != AF_PACKET && a->family != AF_VSOCK;
    return fd_live_blocked() && !(ip && fd_allow_ip(a->ip, a->port));
}

/* Where does the call go, and what refuses it there? Returns an errno, or 0 for nothing; looks
 * only. */
static int judged(struct target *t, const void *sa, socklen_t len)
{
    t->to.where = FD_ELSEWHERE;
    if (fd_thread.lookup || !sa || !fd_address_read(&t->to, sa, len))
        return 0;
    if (__builtin_expect(t->to.where != FD_AWAY, 1))
        return 0;
    if (!leaves(t)) {
        t->to.where = FD_ELSEWHERE;
        return 0;
    }
    if (blocked(&t->to))
        return refusal(t);
    bool refuses = fd_live_net() == FD_NET_REFUSE && t->type == SOCK_STREAM;
    return refuses && !fd_allow_ip(t->to.ip, t->to.port) ? ECONNREFUSED : 0;
}

/* Notes what was judged; false: the call ends here, errno says why. */
static bool passes(const struct target *t, int err)
{
    if (__builtin_expect(t->to.where != FD_AWAY, 1))
        return true;
    fd_touch(FD_AXIS_NETWORK, t->hook);
    if (fd_watching())
        fd_netwatch_away(&t->to);
    if (!err)
        return true;
    fd_injected(FD_AXIS_NETWORK, err);
    errno = err;
    return false;
}

FD_EXPORT int connect(int fd, const struct sockaddr *sa, socklen_t len)
{
    if (!fd_live_on())
        return REAL(connect)(fd, sa, len);
    struct target t = {.hook = "connect", .fd = fd};
    if (!passes(&t, judged(&t, sa, len)))
        return -1;
    struct sockaddr_un room;
    if (sa && !(sa = fd_unix_way(sa, &len, &room)))
        return -1;
    int ret = REAL(connect)(fd, sa, len);
    if (fd_live.open && t.to.where != FD_AWAY && t.to.where != FD_ELSEWHERE &&
        option(fd, SOL_SOCKET, SO_TYPE, 0) == SOCK_STREAM)
        fd_touch(FD_AXIS_NETWORK, "connect"); /* within this machine it is to be shaped, too */
    if (fd_watching())
        fd_netwatch_connected(fd, &t.to, ret);
    return ret;
}

FD_EXPORT int __connect(int fd, const struct sockaddr *sa, socklen_t len)
{
    return connect(fd, sa, len);
}

FD_EXPORT ssize_t sendto(int fd, const void *buf, size_t n, int flags, const struct sockaddr *sa,
                         socklen_t len)
{
    if (!fd_live_on())
        return REAL(sendto)(fd, buf, n, flags, sa, len);
    struct target t = {.hook = "sendto", .fd = fd, .flags = flags, .sends = true, .bytes = n};
    if (!passes(&t, judged(&t, sa, len)))
        return -1;
    if (fd_watching())
        fd_netwatch_sends(fd, &t.to);
    struct sockaddr_un room;
    if (sa && !(sa = fd_unix_way(sa, &len, &room)))
        return -1;
    struct fd_shape s = {.fd = fd, .flags = flags, .asked = n};
    if (fd_shape_on())
        fd_shape_sends(&s);
    ssize_t ret = REAL(sendto)(fd, buf, n, flags, sa, len);
    fd_shape_sent(&s, ret);
    if (fd_watching())
        fd_netwatch_sent(&t.to, ret);
    return ret;
}

static int judged_message(struct target *t, const struct msghdr *m)
{
    bool readable = fd_readable(m, sizeof *m) && m->msg_name &&
                    (!m->msg_iovlen || fd_readable(m->msg_iov, m->msg_iovlen * sizeof *m->msg_iov));
    t->msg = m;
    return judged(t, readable ? m->msg_name : NULL, readable ? m->msg_namelen : 0);
}

FD_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    if (!fd_live_on())
        return REAL(sendmsg)(fd, m, flags);
    struct target t = {.hook = "sendmsg", .fd = fd, .flags = flags, .sends = true};
    if (!passes(&t, judged_message(&t, m)))
        return -1;
    if (fd_watching())
        fd_netwatch_sends(fd, &t.to);
    struct fd_shape s = {.fd = fd, .flags = flags};
    if (fd_shape_on() && fd_readable(m, sizeof *m)) {
        s.asked = length(&t);
        fd_shape_sends(&s);
    }
    ssize_t ret = REAL(sendmsg)(fd, m, flags);
    fd_shape_sent(&s, ret);
    if (fd_watching())
        fd_netwatch_sent(&t.to, ret);
    return ret;
}

/* As the kernel does: what stands before a message that fails is sent, and the next call fails. */
FD_EXPORT int sendmmsg(int fd, struct mmsghdr *m, unsigned int n, int flags)
{
    struct target t = {.hook = "sendmmsg", .fd = fd, .flags = flags, .sends = true};
    unsigned int most = n < MESSAGES_MOST ? n : MESSAGES_MOST;
    int err = 0;
    if (!fd_live_on() || !fd_readable(m, most * sizeof *m))
        return REAL(sendmmsg)(fd, m, n, flags);
    for (unsigned int i = 0; i < most && !err; i++) {
        err = judged_message(&t, &m[i].msg_hdr);
        if (err && i)
            n = i;
        else if (!passes(&t, err))
            return -1;
        else if (fd_watching())
            fd_netwatch_sends(fd, &t.to);
    }
    int ret = REAL(sendmmsg)(fd, m, n, flags);
    for (int i = 0; fd_watching() && i < ret; i++) {
        (void)judged_message(&t, &m[i].msg_hdr);
        fd_netwatch_sent(&t.to, ret);
    }
    return ret;
}

FD_EXPORT int __sendmmsg(int fd, struct mmsghdr *m, unsigned int n, int flags)
{
    return sendmmsg(fd, m, n, flags);
}

/* A port that the test names: somebody else may have it. */
static bool taken(const struct fd_address *a)
{
    if ((a->family != AF_INET && a->family != AF_INET6) || !a->port || !fd_live.open)
        return false;
    fd_touch(FD_AXIS_NETWORK, "bind");
    if (fd_watching())
        fd_seen_fixed_port(a->port);
    if (fd_live_net() != FD_NET_BUSY || fd_live.page->settings.net_number != a->port)
        return false;
    fd_injected(FD_AXIS_NETWORK, EADDRINUSE);
    errno = EADDRINUSE;
    return true;
}

FD_EXPORT int bind(int fd, const struct sockaddr *sa, socklen_t len)
{
    struct target t = {.hook = "bind", .fd = fd};
    bool known = fd_live_on() && fd_address_read(&t.to, sa, len);
    bool packets = known && t.to.family == AF_PACKET;
    if (known && taken(&t.to))
        return -1;
    if (packets && t.to.where == FD_AWAY && blocked(&t.to)) { /* it could send without an address */
        (void)passes(&t, ENODEV);
        return -1;
    }
    struct sockaddr_un room;
    if (sa && !(sa = fd_unix_way(sa, &len, &room)))
        return -1;
    int ret = REAL(bind)(fd, sa, len);
    if (!ret && fd_watching())
        fd_netwatch_bound(fd);
    return ret;
}

FD_EXPORT int listen(int fd, int backlog)
{
    int ret = REAL(listen)(fd, backlog);
    if (!ret && fd_watching()) /* without a bind it has a port now */
        fd_netwatch_bound(fd);
    return ret;
}
