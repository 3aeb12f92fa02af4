#include "shim/flow.h"
#include "shim/address.h"
#include "shim/live.h"
#include "shim/mix.h"
#include "shim/raw.h"
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

static uint64_t inode(int fd)
{
    struct stat s;
    return FD_SYS2(SYS_fstat, fd, &s) == 0 && S_ISSOCK(s.st_mode) ? s.st_ino : 0;
}

/* The socket at the other end of an AF_UNIX one, of which only the kernel's table knows; 0 if that
 * cannot be read. */
static uint64_t peer_inode(int fd)
{
    struct {
        struct nlmsghdr head;
        struct unix_diag_req ask;
    } ask = {.head = {.nlmsg_len = sizeof ask,
                      .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                      .nlmsg_flags = NLM_F_REQUEST},
             .ask = {.sdiag_family = AF_UNIX,
                     .udiag_states = UINT32_MAX,
                     .udiag_ino = (uint32_t)inode(fd),
                     .udiag_show = UDIAG_SHOW_PEER,
                     .udiag_cookie = {UINT32_MAX, UINT32_MAX}}};
    struct {
        struct nlmsghdr head;
        struct unix_diag_msg said;
        char more[256];
    } got = {.head = {.nlmsg_type = 0}};
    long nl = FD_SYS3(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (nl < 0)
        return 0;
    long n = FD_SYS6(SYS_sendto, nl, &ask, sizeof ask, 0, NULL, 0);
    if (n == (long)sizeof ask)
        n = FD_SYS6(SYS_recvfrom, nl, &got, sizeof got, MSG_DONTWAIT, NULL, NULL);
    (void)FD_SYS1(SYS_close, nl);
    if (got.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return 0;
    size_t end = n > 0 && (size_t)n < sizeof got ? (size_t)n : sizeof got;
    size_t at = offsetof(__typeof__(got), more);
    while (at + sizeof(struct rtattr) + sizeof(uint32_t) <= end) {
        struct rtattr a;
        uint32_t peer;
        fd_copy(&a, (char *)&got + at, sizeof a);
        fd_copy(&peer, (char *)&got + at + sizeof a, sizeof peer);
        if (a.rta_type == UNIX_DIAG_PEER)
            return peer;
        if (a.rta_len < sizeof a)
            break;
        at += RTA_ALIGN(a.rta_len);
    }
    return 0;
}

static uint64_t end_of(int fd, long call)
{
    struct sockaddr_storage room;
    struct fd_address a;
    socklen_t len = sizeof room;
    if (FD_SYS3(call, fd, &room, &len) || !fd_address_read(&a, (struct sockaddr *)&room, len))
        return 0;
    return fd_mix(fd_text_hash((const char *)a.ip, sizeof a.ip), a.port);
}

static uint64_t key_of(int fd, bool out)
{
    int domain = 0;
    socklen_t len = sizeof domain;
    if (FD_SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &len))
        return 0;
    if (domain == AF_UNIX) {
        uint64_t to = out ? peer_inode(fd) : inode(fd);
        return to ? fd_mix(AF_UNIX, to) | 1 : 0;
    }
    uint64_t own = end_of(fd, SYS_getsockname), peer = end_of(fd, SYS_getpeername);
    return own && peer ? fd_mix(out ? own : peer, out ? peer : own) | 1 : 0;
}

static struct fd_flow *flow_of(int fd, bool out)
{
    uint64_t key = key_of(fd, out);
    for (uint32_t i = 0; key && i < FD_FLOWS; i++) {
        struct fd_flow *f = &fd_live.page->flow[(key + i) % FD_FLOWS];
        uint64_t none = 0;
        if (__atomic_compare_exchange_n(&f->key, &none, key, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE) ||
            none == key)
            return f;
    }
    return NULL;
}

struct fd_flow *fd_flow_out(int fd)
{
    return flow_of(fd, true);
}

struct fd_flow *fd_flow_in(int fd)
{
    return flow_of(fd, false);
}

static uint64_t *end_at(struct fd_flow *f, uint64_t n)
{
    return &f->end[n % FD_SENDS];
}

/* Before the send: once it is made it may be received at once. Where as many wait as fit, the last
 * two become one. */
void fd_flow_sends(struct fd_flow *f, size_t n)
{
    uint64_t sends = __atomic_load_n(&f->sends, __ATOMIC_ACQUIRE);
    uint64_t got = __atomic_load_n(&f->got, __ATOMIC_ACQUIRE), end = f->sent + n;
    bool full = sends >= FD_SENDS && __atomic_load_n(end_at(f, sends), __ATOMIC_ACQUIRE) > got;
    if (full)
        sends--;
    __atomic_store_n(end_at(f, sends), end, __ATOMIC_RELEASE);
    __atomic_store_n(&f->sends, sends + 1, __ATOMIC_RELEASE);
}

/* It may have sent less, or nothing. */
void fd_flow_sent(struct fd_flow *f, size_t n, ssize_t ret)
{
    uint64_t sends = __atomic_load_n(&f->sends, __ATOMIC_ACQUIRE);
    f->sent += ret > 0 ? (uint64_t)ret : 0;
    if (ret != (ssize_t)n && sends)
        __atomic_store_n(end_at(f, sends - 1), f->sent, __ATOMIC_RELEASE);
}

size_t fd_flow_most(const struct fd_flow *f, size_t n)
{
    uint64_t sends = __atomic_load_n(&f->sends, __ATOMIC_ACQUIRE), got = f->got;
    uint64_t first = sends > FD_SENDS ? sends - FD_SENDS : 0;
    for (uint64_t i = first; i < sends; i++) {
        uint64_t end = __atomic_load_n(&f->end[i % FD_SENDS], __ATOMIC_ACQUIRE);
        if (end > got)
            return end - got < n ? (size_t)(end - got) : n;
    }
    return n;
}

void fd_flow_received(struct fd_flow *f, size_t n)
{
    __atomic_fetch_add(&f->got, n, __ATOMIC_ACQ_REL);
}
