/* probe_stream pieces [WHERE]  how two sends of 3 and 5 bytes come in, by each way to send and receive
 * probe_stream second [WHERE]  what the second receive of a connection comes to
 * probe_stream late [WHERE]    milliseconds until an answer is there
 * probe_stream bind PORT [WHERE]  what binding it comes to, and binding any
 * WHERE: main, thread, fork, exec or signal */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *what, *port;

static void tcp(int family, int ret[2])
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *sa = family == AF_INET ? (void *)&four : (void *)&six;
    socklen_t len = family == AF_INET ? sizeof four : sizeof six;
    int server = socket(family, SOCK_STREAM, 0);
    if (bind(server, sa, len) || listen(server, 1) || getsockname(server, sa, &len))
        exit(77);
    ret[0] = socket(family, SOCK_STREAM, 0);
    if (connect(ret[0], sa, len))
        exit(3);
    ret[1] = accept(server, NULL, NULL);
    close(server);
}

static void named(int ret[2])
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    snprintf(sa.sun_path + 1, sizeof sa.sun_path - 1, "probe_stream.%d", (int)getpid());
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(server, (void *)&sa, sizeof sa) || listen(server, 1))
        exit(3);
    ret[0] = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(ret[0], (void *)&sa, sizeof sa))
        exit(3);
    ret[1] = accept(server, NULL, NULL);
    close(server);
}

static void pair(const char *kind, int ret[2])
{
    if (!strcmp(kind, "tcp"))
        tcp(AF_INET, ret);
    else if (!strcmp(kind, "tcp6"))
        tcp(AF_INET6, ret);
    else if (!strcmp(kind, "unix"))
        named(ret);
    else if (socketpair(AF_UNIX, SOCK_STREAM, 0, ret))
        exit(3);
}

static ssize_t put(int way, int fd, const char *text)
{
    struct iovec v[2] = {{(void *)(uintptr_t)text, 1}, {(void *)(uintptr_t)(text + 1), strlen(text) - 1}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
    switch (way) {
    case 0: return send(fd, text, strlen(text), 0);
    case 1: return write(fd, text, strlen(text));
    case 2: return sendmsg(fd, &m, 0);
    case 3: return writev(fd, v, 2);
    default: return sendto(fd, text, strlen(text), 0, NULL, 0);
    }
}

static ssize_t get(int way, int fd, char buf[8])
{
    struct iovec v[2] = {{buf, 2}, {buf + 2, 6}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
    switch (way) {
    case 0: return recv(fd, buf, 8, 0);
    case 1: return read(fd, buf, 8);
    case 2: return recvmsg(fd, &m, 0);
    case 3: return recvfrom(fd, buf, 8, 0, NULL, NULL);
    default: return recv(fd, buf, 8, MSG_WAITALL);
    }
}

/* Both sends are there before the first receive. */
static void arrived(int fd, int bytes)
{
    for (int have = 0; have < bytes; usleep(1000))
        if (ioctl(fd, FIONREAD, &have))
            exit(3);
}

static void pieces(void)
{
    static const char *const kinds[] = {"pair", "unix", "tcp", "tcp6"};
    for (int way = 0; way < 5; way++)
        for (size_t k = 0; k < 4; k++) {
            int fd[2];
            char all[16] = "", buf[8];
            pair(kinds[k], fd);
            if (put(way, fd[0], "abc") != 3 || put(way, fd[0], "defgh") != 5)
                exit(3);
            arrived(fd[1], 8);
            printf("%d %s:", way, kinds[k]);
            for (size_t had = 0; had < 8;) {
                ssize_t n = get(way, fd[1], buf);
                if (n <= 0)
                    exit(4);
                memcpy(all + had, buf, (size_t)n);
                had += (size_t)n;
                printf(" %zd", n);
            }
            if (memcmp(all, "abcdefgh", 8))
                exit(5);
            puts("");
            close(fd[0]);
            close(fd[1]);
        }
}

static void second(void)
{
    int fd[2];
    char buf[8];
    pair("tcp", fd);
    put(0, fd[0], "abc");
    arrived(fd[1], 3);
    printf("first %zd\n", recv(fd[1], buf, 2, 0));
    errno = 0;
    ssize_t n = recv(fd[1], buf, 8, 0);
    printf("second %zd %s\n", n, n < 0 ? strerror(errno) : "");
    close(fd[0]);
    close(fd[1]);
    pair("tcp", fd); /* the same numbers, another connection */
    put(0, fd[0], "abc");
    arrived(fd[1], 3);
    printf("again %zd\n", recv(fd[1], buf, 2, 0));
}

static void late(void)
{
    int fd[2];
    char buf[8];
    struct timespec from, to;
    pair("tcp", fd);
    clock_gettime(CLOCK_MONOTONIC, &from);
    put(0, fd[0], "abc"); /* one turn, two sends */
    put(0, fd[0], "de");
    arrived(fd[1], 5);
    if (recv(fd[1], buf, 8, 0) != 5)
        exit(4);
    put(0, fd[1], "f");
    recv(fd[0], buf, 8, 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%ld\n", (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000);
}

static void binds(void)
{
    const int types[] = {SOCK_STREAM, SOCK_DGRAM};
    for (int i = 0; i < 2; i++) {
        struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        int fd = socket(AF_INET, types[i], 0), yes = 1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sa.sin_port = htons((uint16_t)atoi(port));
        errno = 0;
        int ret = bind(fd, (void *)&sa, sizeof sa);
        printf("%d %s\n", ret, ret ? strerror(errno) : "");
        sa.sin_port = 0;
        close(fd);
        fd = socket(AF_INET, types[i], 0);
        printf("any %d\n", bind(fd, (void *)&sa, sizeof sa));
        close(fd);
    }
}

static void *act(void *unused)
{
    (void)unused;
    if (!strcmp(what, "pieces"))
        pieces();
    else if (!strcmp(what, "second"))
        second();
    else if (!strcmp(what, "late"))
        late();
    else
        binds();
    fflush(stdout);
    return NULL;
}

static void handler(int unused)
{
    (void)unused;
    act(NULL);
}

int main(int argc, char **argv)
{
    pthread_t p;
    if (argc < 2)
        return 2;
    what = argv[1];
    int next = strcmp(what, "bind") ? 2 : 3;
    port = argv[2];
    const char *where = argc > next ? argv[next] : "main";
    if (!strcmp(where, "thread")) {
        pthread_create(&p, NULL, act, NULL);
        pthread_join(p, NULL);
    } else if (!strcmp(where, "signal")) {
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
    } else if (!strcmp(where, "exec")) {
        execl("/proc/self/exe", "probe_stream", what, next == 3 ? port : NULL, NULL);
    } else if (!strcmp(where, "fork")) {
        if (fork() == 0) {
            act(NULL);
            _exit(0);
        }
        wait(NULL);
    } else {
        act(NULL);
    }
    return 0;
}
