#include "shim/netwatch.h"
#include "shim/acts.h"
#include "shim/raw.h"
#include "shim/seen.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

static void need(enum fd_need what, const struct fd_address *a)
{
    char text[FD_PATH_MAX];
    struct fd_line l = {text, sizeof text, 0};
    fd_address_text(a, &l);
    fd_seen_need(what, text);
}

void fd_netwatch_away(const struct fd_address *a)
{
    char text[FD_PATH_MAX];
    struct fd_line l = {text, sizeof text, 0};
    fd_address_text(a, &l);
    fd_seen_need(FD_NEED_OUTSIDE, text);
    fd_act_outside(text);
}

/* The socket's own address; false if it has none that is of interest. */
static bool own(int fd, struct fd_address *ret, struct sockaddr_storage *room)
{
    socklen_t len = sizeof *room;
    return FD_SYS3(SYS_getsockname, fd, room, &len) == 0 &&
           fd_address_read(ret, (struct sockaddr *)room, len);
}

void fd_netwatch_bound(int fd)
{
    struct sockaddr_storage room;
    struct fd_address a;
    if (!own(fd, &a, &room))
        return;
    if (a.family == AF_INET || a.family == AF_INET6)
        fd_seen_bind_port(a.port);
    else if (a.where == FD_ABSTRACT)
        fd_seen_bind_name(fd_text_hash(a.path, a.path_len));
}

/* Somebody was reached. Whoever of the trial listens has bound before he was reachable, so that
 * the table is asked after the fact. */
static void reached(const struct fd_address *a)
{
    char path[sizeof ((struct sockaddr_un *)0)->sun_path + 1];
    if (a->where == FD_HERE && a->port && !fd_seen_port_bound(a->port))
        need(FD_NEED_LOOPBACK, a);
    if (a->where == FD_ABSTRACT && !fd_seen_name_bound(fd_text_hash(a->path, a->path_len)))
        need(FD_NEED_ABSTRACT, a);
    if (a->where != FD_SOCKET)
        return;
    fd_copy(path, a->path, a->path_len);
    path[a->path_len] = 0;
    if (!fd_seen_before(AT_FDCWD, path))
        return;
    char text[FD_PATH_MAX];
    struct fd_line l = {text, sizeof text, 0};
    if (*path != '/' && FD_SYS2(SYS_getcwd, text, sizeof text) > 0) {
        l.len = fd_text_len(text);
        fd_line_text(&l, "/");
    }
    fd_line_text(&l, path);
    fd_seen_need(FD_NEED_SOCKET, text);
}

static int type_of(int fd)
{
    int type = 0;
    socklen_t len = sizeof type;
    (void)FD_SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &len);
    return type;
}

/* A connect that has not come back yet (EINPROGRESS) counts, one that was refused does not: there
 * was nobody, as there would be nobody in a network of the run's own. */
void fd_netwatch_connected(int fd, const struct fd_address *a, int ret)
{
    /* One that was there before and refuses may only be out of reach, as through layers. */
    if (a->where == FD_SOCKET) {
        reached(a);
        return;
    }
    if (a->where == FD_HERE && type_of(fd) == SOCK_STREAM) {
        struct tcp_info info = {.tcpi_state = TCP_CLOSE};
        socklen_t len = 1;
        bool tcp = FD_SYS5(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0;
        if (tcp ? info.tcpi_state != TCP_CLOSE : ret == 0)
            reached(a);
    } else if (ret == 0) {
        if (a->where == FD_HERE)
            fd_netwatch_bound(fd);
        reached(a);
    }
}

/* A datagram gives its sender a port, to which the answer goes. It is bound before it sends: the
 * answer may be on its way before we could look. */
void fd_netwatch_sends(int fd, const struct fd_address *a)
{
    struct sockaddr_storage room;
    struct fd_address mine;
    if (a->where != FD_HERE || type_of(fd) != SOCK_DGRAM || !own(fd, &mine, &room))
        return;
    if (!mine.port && (mine.family == AF_INET || mine.family == AF_INET6)) {
        struct sockaddr_in6 any = {.sin6_family = (sa_family_t)mine.family};
        socklen_t len = mine.family == AF_INET ? sizeof(struct sockaddr_in) : sizeof any;
        (void)FD_SYS3(SYS_bind, fd, &any, len);
    }
    fd_netwatch_bound(fd);
}

void fd_netwatch_sent(const struct fd_address *a, ssize_t ret)
{
    if (ret >= 0)
        reached(a);
}
