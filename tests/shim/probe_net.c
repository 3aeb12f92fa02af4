/* probe_net calls [WHERE]   what calls that reach for an address return: a line for each; WHERE is
 *                           main, thread, fork, vfork, exec or signal
 * probe_net names [WHERE]   the same for look-ups
 * probe_net reach           0 if a datagram can be sent to the outside, and a connect can begin */
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <resolv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef IPPROTO_ICMP
#define IPPROTO_ICMP 1
#endif

static struct address {
    const char *text;
    int port, scope;
    union {
        struct sockaddr sa;
        struct sockaddr_in s4;
        struct sockaddr_in6 s6;
        struct sockaddr_storage room;
    } u;
    socklen_t len;
} addresses[] = {
    {.text = "8.8.8.8", .port = 53}, {.text = "192.0.2.2", .port = 80}, {.text = "0.1.2.3", .port = 80},
    {.text = "8.8.8.8", .port = 0}, {.text = "239.1.1.1", .port = 53},
    {.text = "255.255.255.255", .port = 53}, {.text = "2001:db8::1", .port = 53},
    {.text = "2001:db8::1", .port = 0}, {.text = "::ffff:8.8.8.8", .port = 53},
    {.text = "fe80::1", .port = 53}, {.text = "ff02::1", .port = 53}, {.text = "ff0e::1", .port = 53},
    {.text = "127.0.0.1", .port = 1}, {.text = "::1", .port = 1}, {.text = "0.0.0.0", .port = 1},
    {.text = "::", .port = 1}, {.text = "::ffff:127.0.0.1", .port = 1},
};
#define COUNT (sizeof addresses / sizeof *addresses)

static void fill(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        struct address *a = &addresses[i];
        if (strchr(a->text, ':')) {
            a->u.s6.sin6_family = AF_INET6;
            a->u.s6.sin6_port = htons((uint16_t)a->port);
            inet_pton(AF_INET6, a->text, &a->u.s6.sin6_addr);
            a->len = sizeof a->u.s6;
        } else {
            a->u.s4.sin_family = AF_INET;
            a->u.s4.sin_port = htons((uint16_t)a->port);
            inet_pton(AF_INET, a->text, &a->u.s4.sin_addr);
            a->len = sizeof a->u.s4;
        }
    }
}

/* Closes `fd`; shows the call, its result and, if that is -1, its errno. */
static void show(const char *what, const struct address *a, long ret, int fd)
{
    int err = ret == -1 ? errno : 0;
    printf("%s %s %d: %ld %s\n", what, a ? a->text : "", a ? a->port : 0, ret,
           err ? strerror(err) : "");
    if (fd >= 0)
        close(fd);
}

static int opened(const struct address *a, int type, int protocol)
{
    return socket(a->u.sa.sa_family, type, protocol);
}

static void connects(const struct address *a)
{
    int (*alias)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_DEFAULT, "__connect");
    const struct sockaddr *sa = &a->u.sa;
    int on = 1, s = opened(a, SOCK_STREAM, 0);
    show("tcp", a, connect(s, sa, a->len), s);
    s = opened(a, SOCK_STREAM, 0);
    show("__connect", a, alias(s, sa, a->len), s);
    s = opened(a, SOCK_STREAM, 0);
    show("syscall", a, syscall(SYS_connect, s, sa, a->len), s);
    s = opened(a, SOCK_STREAM, 0);
    setsockopt(s, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on);
    show("fast connect", a, connect(s, sa, a->len), s);
    s = opened(a, SOCK_DGRAM, 0);
    show("udp", a, connect(s, sa, a->len), s);
    s = opened(a, SOCK_RAW, a->u.sa.sa_family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6);
    if (s >= 0)
        show("raw", a, connect(s, sa, a->len), s);
    if (strcmp(a->text, "127.0.0.1") && strcmp(a->text, "::1")) { /* those are refused in time */
        s = opened(a, SOCK_STREAM | SOCK_NONBLOCK, 0);
        show("tcp at once", a, connect(s, sa, a->len), s);
    }
}

static void sends(struct address *a)
{
    static char big[70000];
    struct sockaddr *sa = &a->u.sa;
    struct iovec v = {"x", 1}, v2 = {big, sizeof big};
    struct msghdr m = {.msg_name = sa, .msg_namelen = a->len, .msg_iov = &v, .msg_iovlen = 1};
    struct mmsghdr mm[2] = {{.msg_hdr = m}, {.msg_hdr = m}};
    int s = opened(a, SOCK_DGRAM, 0);
    show("sendto", a, sendto(s, "x", 1, 0, sa, a->len), s);
    s = opened(a, SOCK_DGRAM, 0);
    show("syscall sendto", a, syscall(SYS_sendto, s, "x", 1L, 0L, sa, (long)a->len), s);
    s = opened(a, SOCK_DGRAM, 0);
    show("sendto big", a, sendto(s, big, sizeof big, 0, sa, a->len), s);
    s = opened(a, SOCK_DGRAM, 0);
    show("sendto out of band", a, sendto(s, "x", 1, MSG_OOB, sa, a->len), s);
    s = opened(a, SOCK_DGRAM, 0);
    show("sendmsg", a, sendmsg(s, &m, 0), s);
    s = opened(a, SOCK_DGRAM, 0);
    show("syscall sendmsg", a, syscall(SYS_sendmsg, s, &m, 0), s);
    m.msg_iov = &v2;
    s = opened(a, SOCK_DGRAM, 0);
    show("sendmsg big", a, sendmsg(s, &m, 0), s);
    s = opened(a, SOCK_DGRAM, 0);
    show("sendmmsg", a, sendmmsg(s, mm, 2, 0), s);
    s = opened(a, SOCK_DGRAM, 0);
    show("syscall sendmmsg", a, syscall(SYS_sendmmsg, s, mm, 2, 0), s);
    struct address *near = &addresses[a->u.sa.sa_family == AF_INET ? COUNT - 5 : COUNT - 4];
    mm[0].msg_hdr.msg_name = &near->u.sa;
    s = opened(a, SOCK_DGRAM, 0);
    if (a < near - 1)
        show("sendmmsg after loopback", a, sendmmsg(s, mm, 2, 0), s);
    s = opened(a, SOCK_STREAM, 0);
    show("tcp sendto", a, sendto(s, "x", 1, MSG_NOSIGNAL, sa, a->len), s);
    s = opened(a, SOCK_STREAM, 0);
    show("fast open", a, sendto(s, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, sa, a->len), s);
    s = opened(a, SOCK_RAW, a->u.sa.sa_family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6);
    if (s >= 0 && a->port && a->text[2] != 'f') { /* to raw IPv6, ::ffff: is IPv6 */
        a->u.s4.sin_port = 0;
        show("raw sendto", a, sendto(s, "\x08\0\0\0\0\0\0\0", 8, 0, sa, a->len), s);
        a->u.s4.sin_port = htons((uint16_t)a->port);
    }
}

/* A socket that is bound to lo. */
static void bound(struct address *a)
{
    struct sockaddr_in b4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in6 b6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr *own = a->u.sa.sa_family == AF_INET ? (struct sockaddr *)&b4 : (struct sockaddr *)&b6;
    int s = opened(a, SOCK_DGRAM, 0);
    show("bind", a, bind(s, own, a->len), -1);
    show("bound sendto", a, sendto(s, "x", 1, 0, &a->u.sa, a->len), -1);
    show("bound connect", a, connect(s, &a->u.sa, a->len), s);
}

static void odd(void)
{
    struct address *far = &addresses[0], *far6 = &addresses[6], *mapped = &addresses[8];
    void *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sockaddr_in none = far->u.s4;
    int types[] = {SOCK_STREAM, SOCK_DGRAM}, on = 1, pair[2];
    none.sin_family = AF_UNSPEC;
    for (int i = 0; i < 2; i++) {
        int s = socket(AF_INET, types[i], 0), s6 = socket(AF_INET6, types[i], 0);
        show("short", far, connect(s, &far->u.sa, 8), -1);
        show("one byte", far, connect(s, &far->u.sa, 1), -1);
        show("long", far, connect(s, &far->u.sa, 200), -1);
        show("no address", far, connect(s, NULL, 16), -1);
        show("bad address", far, connect(s, nowhere, 16), -1);
        show("bad sendto", far, sendto(s, "x", 1, MSG_NOSIGNAL, nowhere, 16), -1);
        show("6 on 4", far6, connect(s, &far6->u.sa, far6->len), -1);
        show("4 on 6", far, connect(s6, &far->u.sa, far->len), -1);
        show("4 on 6 sendto", far, sendto(s6, "x", 1, MSG_NOSIGNAL, &far->u.sa, far->len), -1);
        show("short 6", far6, connect(s6, &far6->u.sa, 24), -1);
        show("too short 6", far6, connect(s6, &far6->u.sa, 20), -1);
        show("disconnect", far, connect(s, (struct sockaddr *)&none, sizeof none), -1);
        show("disconnect 6", far, connect(s6, (struct sockaddr *)&none, sizeof none), -1);
        show("unspec", far, sendto(s, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&none, sizeof none), -1);
        show("unspec 6", far, sendto(s6, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&none, sizeof none), -1);
        show("bad flags", far, sendto(s, "x", 1, MSG_NOSIGNAL | 0x2000000, &far->u.sa, far->len), s6);
        s6 = socket(AF_INET6, types[i], 0);
        setsockopt(s6, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
        show("only 6", mapped, connect(s6, &mapped->u.sa, mapped->len), s6);
        close(s);
    }
    show("sendmsg without", NULL, sendmsg(-1, nowhere, 0), -1);
    show("no socket", far, connect(-1, &far->u.sa, far->len), -1);
    show("a pipe", far, (pipe(pair), connect(pair[0], &far->u.sa, far->len)), -1);
    int s = socket(AF_INET, SOCK_STREAM, 0), l = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in own;
    socklen_t len = sizeof own;
    show("listen", NULL, listen(l, 1), -1);
    getsockname(l, (struct sockaddr *)&own, &len);
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    show("loopback", NULL, connect(s, (struct sockaddr *)&own, len), -1);
    show("connected", far, connect(s, &far->u.sa, far->len), -1);
    show("connected fast", far, sendto(s, "x", 1, MSG_FASTOPEN, &far->u.sa, far->len), -1);
    show("connected sendto", far, sendto(s, "x", 1, 0, &far->u.sa, far->len), s);
    show("listening", far, connect(l, &far->u.sa, far->len), l);
    show("socketpair", NULL, socketpair(AF_UNIX, SOCK_STREAM, 0, pair), -1);
    show("sendmsg on it", NULL, sendmsg(pair[0], &(struct msghdr){.msg_iov = &(struct iovec){"x", 1}, .msg_iovlen = 1}, 0), -1);
    show("netlink", NULL, socket(AF_NETLINK, SOCK_RAW, 0) < 0, -1);
    struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "\0probe_net"};
    l = socket(AF_UNIX, SOCK_STREAM, 0);
    s = socket(AF_UNIX, SOCK_STREAM, 0);
    show("abstract", NULL, bind(l, (struct sockaddr *)&un, 12) || listen(l, 1), -1);
    errno = 77;
    show("abstract connect", NULL, connect(s, (struct sockaddr *)&un, 12), s);
    printf("errno %d\n", errno);
    close(l);
}

static void *calls(void *unused)
{
    (void)unused;
    fill();
    for (size_t i = 0; i < COUNT; i++) {
        connects(&addresses[i]);
        sends(&addresses[i]);
        bound(&addresses[i]);
    }
    odd();
    return NULL;
}

static void show_host(const char *how, const char *what, int ret, const struct hostent *h, int err)
{
    printf("%s %s: %d %s", how, what, ret, h ? h->h_name : "none");
    for (char **at = h ? h->h_addr_list : NULL; at && *at; at++) {
        char text[64];
        printf(" %s", inet_ntop(h->h_addrtype, *at, text, sizeof text));
    }
    printf(h ? "\n" : " h_errno %d\n", err);
}

static void by_name(const char *name)
{
    struct hostent room, *h;
    char buf[4096];
    int err = 0, families[] = {AF_UNSPEC, AF_INET, AF_INET6}, ret;
    for (int i = 0; i < 3; i++) {
        struct addrinfo hints = {.ai_family = families[i], .ai_socktype = SOCK_STREAM}, *list = NULL;
        ret = getaddrinfo(name, "80", &hints, &list);
        printf("getaddrinfo %s %d: %s", name, families[i], ret ? gai_strerror(ret) : "");
        for (struct addrinfo *a = list; a; a = a->ai_next) {
            char text[64] = "";
            getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST);
            printf(" %s", text);
        }
        puts("");
        if (list)
            freeaddrinfo(list);
        if (i == 0)
            continue;
        h_errno = 0;
        h = gethostbyname2(name, families[i]);
        show_host("gethostbyname2", name, 0, h, h_errno);
        ret = gethostbyname2_r(name, families[i], &room, buf, sizeof buf, &h, &err);
        show_host("gethostbyname2_r", name, ret, h, err);
    }
    h = gethostbyname(name);
    show_host("gethostbyname", name, 0, h, h_errno);
    ret = gethostbyname_r(name, &room, buf, sizeof buf, &h, &err);
    show_host("gethostbyname_r", name, ret, h, err);
}

static void by_address(const char *text)
{
    static const int flags[] = {0, NI_NUMERICHOST, NI_NAMEREQD, NI_NUMERICSERV, 0x7000};
    struct sockaddr_in s4 = {.sin_family = AF_INET, .sin_port = htons(53)};
    struct sockaddr_in6 s6 = {.sin6_family = AF_INET6, .sin6_port = htons(53)};

    int is4 = inet_pton(AF_INET, text, &s4.sin_addr) == 1;
    inet_pton(AF_INET6, text, &s6.sin6_addr);
    const struct sockaddr *sa = is4 ? (struct sockaddr *)&s4 : (struct sockaddr *)&s6;
    const void *raw = is4 ? (void *)&s4.sin_addr : (void *)&s6.sin6_addr;
    struct hostent room, *h;
    char buf[4096], host[256], service[64];
    int err = 0, family = is4 ? AF_INET : AF_INET6;
    socklen_t len = is4 ? sizeof s4 : sizeof s6, raw_len = is4 ? 4 : 16;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        int ret = getnameinfo(sa, len, host, sizeof host, service, sizeof service, flags[i]);
        printf("getnameinfo %s %d: %s\n", text, flags[i], ret ? gai_strerror(ret) : host);
    }
    printf("service alone: %d\n", getnameinfo(sa, len, NULL, 0, service, sizeof service, 0));
    printf("short: %s\n", gai_strerror(getnameinfo(sa, 4, host, sizeof host, NULL, 0, 0)));
    h_errno = 0;
    h = gethostbyaddr(raw, raw_len, family);
    show_host("gethostbyaddr", text, 0, h, h_errno);
    int ret = gethostbyaddr_r(raw, raw_len, family, &room, buf, sizeof buf, &h, &err);
    show_host("gethostbyaddr_r", text, ret, h, err);
}

static void resolver(void)
{
    unsigned char answer[512], query[512];
    struct __res_state state = {0};
    res_ninit(&state);
    int got;
#define ASK(call)                                                               \
    do {                                                                        \
        h_errno = 0;                                                            \
        errno = 0;                                                              \
        got = call;                                                             \
        printf("%s: %d %s h_errno %d\n", #call, got, strerror(errno), h_errno); \
    } while (0)
    ASK(res_query("example.com", C_IN, T_A, answer, sizeof answer));
    ASK(res_search("example.com", C_IN, T_A, answer, sizeof answer));
    ASK(res_querydomain("www", "example.com", C_IN, T_A, answer, sizeof answer));
    ASK(res_nquery(&state, "example.com", C_IN, T_A, answer, sizeof answer));
    ASK(res_nsearch(&state, "localhost", C_IN, T_A, answer, sizeof answer));
    ASK(res_nquerydomain(&state, "www", "example.com", C_IN, T_A, answer, sizeof answer));
    printf("state %d\n", state.res_h_errno);
    int n = res_mkquery(ns_o_query, "example.com", C_IN, T_A, NULL, 0, NULL, query, sizeof query);
    ASK(res_send(query, n, answer, sizeof answer));
    ASK(res_nsend(&state, query, n, answer, sizeof answer));
    res_nclose(&state);
}

static void checks(void)
{
    static const int flags[] = {AI_NUMERICHOST, AI_PASSIVE, AI_CANONNAME, 0x100000, AI_ADDRCONFIG};
    struct addrinfo *list, bad = {.ai_family = 77}, type = {.ai_socktype = 77};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct addrinfo hints = {.ai_flags = flags[i]};
        printf("flags %d: %d", flags[i], getaddrinfo("example.com", "80", &hints, &list));
        printf(" %d", getaddrinfo("localhost", "80", &hints, &list));
        printf(" %d\n", getaddrinfo(NULL, "80", &hints, &list));
    }
    printf("family: %d\n", getaddrinfo("example.com", "80", &bad, &list));
    printf("type: %d\n", getaddrinfo("example.com", "80", &type, &list));
    printf("service: %d\n", getaddrinfo("example.com", "no such service", NULL, &list));
    printf("neither: %d\n", getaddrinfo(NULL, NULL, NULL, &list));
}

static void *names(void *unused)
{
    static const char *const all[] = {
        "example.com", "localhost", "LOCALHOST", "localhost.", "db.internal", "six.internal", "1.2.3.4",
        "127.1", "::1", "fe80::1%lo", "nosuch", "a..b", "ex ample", "-x", ".", "_srv.example.com"};
    char host[256];
    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        by_name(all[i]);
    gethostname(host, sizeof host);
    by_name(host);
    for (const char *const *a = (const char *const[]){"8.8.8.8", "127.0.0.1", "127.0.0.9", "10.9.9.7", "::1", "2001:db8::1", NULL}; *a; a++)
        by_address(*a);
    resolver();
    checks();
    return NULL;
}

static int reach(void)
{
    struct address *far = &addresses[0];
    fill();
    int u = socket(AF_INET, SOCK_DGRAM, 0), t = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (sendto(u, "x", 1, 0, &far->u.sa, far->len) != 1)
        return 1;
    return connect(t, &far->u.sa, far->len) != -1 || errno != EINPROGRESS ? 2 : 0;
}

static void *(*run)(void *);

static void handler(int s)
{
    (void)s;
    run(NULL);
}

int main(int argc, char **argv)
{
    const char *where = argc > 2 ? argv[2] : "main";
    pthread_t p;
    if (argc < 2)
        return 2;
    if (!strcmp(argv[1], "reach"))
        return reach();
    run = strcmp(argv[1], "names") ? calls : names;
    if (!strcmp(where, "thread")) {
        pthread_create(&p, NULL, run, NULL);
        pthread_join(p, NULL);
    } else if (!strcmp(where, "signal")) {
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
    } else if (!strcmp(where, "exec")) {
        execl("/proc/self/exe", "probe_net", argv[1], NULL);
    } else if (!strcmp(where, "fork")) {
        if (fork() == 0) {
            run(NULL);
            exit(0);
        }
        wait(NULL);
    } else if (!strcmp(where, "vfork")) {
        if (vfork() == 0) {
            run(NULL);
            _exit(0);
        }
    } else {
        run(NULL);
    }
    return 0;
}
