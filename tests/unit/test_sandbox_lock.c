/* The network, the rights and the addresses inside a sandbox; how programs are started in one. */
#include "sandbox_world.h"

#include <arpa/inet.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* ---- network ------------------------------------------------------------------------------------
 */

static struct sockaddr_in at(const char *address, int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, address, &a.sin_addr);
    return a;
}

static int listen_at(const char *address, int *port)
{
    struct sockaddr_in a = at(address, *port);
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(fd, (struct sockaddr *)&a, n) < 0 || listen(fd, 5) < 0 ||
        getsockname(fd, (struct sockaddr *)&a, &n) < 0) {
        close(fd);
        return -1;
    }
    *port = ntohs(a.sin_port);
    return fd;
}

static int connect_to(const char *address, int port, int type)
{
    struct sockaddr_in a = at(address, port);
    own_fd int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    return connect(fd, (struct sockaddr *)&a, sizeof a) == 0 ? 0 : errno;
}

static int service; /* a port of the machine's own 127.0.0.1 */

static void use_network(struct world *w)
{
    (void)w;
    int port = 0;
    own_fd int here = listen_at("127.0.0.1", &port);
    CHECK(here >= 0);
    CHECK_EQ(connect_to("127.0.0.1", port, SOCK_STREAM), 0);
    CHECK_EQ(connect_to("127.1.2.3", 9, SOCK_DGRAM), 0);
    CHECK_EQ(connect_to("127.0.0.1", service, SOCK_STREAM), ECONNREFUSED);
    CHECK_EQ(connect_to("192.0.2.1", 80, SOCK_STREAM), ENETUNREACH);
    CHECK_EQ(connect_to("192.0.2.1", 53, SOCK_DGRAM), ENETUNREACH);
    own_fd int same = listen_at("127.0.0.1", &service); /* its number is free in here */
    CHECK(same >= 0);
}

static void use_lo6(struct world *w)
{
    (void)w;
    struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t n = sizeof a;
    own_fd int here = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    own_fd int there = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(here, (struct sockaddr *)&a, n) == 0 && listen(here, 1) == 0);
    CHECK(getsockname(here, (struct sockaddr *)&a, &n) == 0);
    CHECK(connect(there, (struct sockaddr *)&a, n) == 0);
}

static bool has_lo6(void)
{
    struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    own_fd int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0;
}

static void network(struct world *w)
{
    struct sandbox box = {.network = true};
    service = 0;
    own_fd int outside = listen_at("127.0.0.1", &service);
    CHECK(outside >= 0);
    CHECK_EQ(connect_to("127.0.0.1", service, SOCK_STREAM), 0); /* reachable without a sandbox */
    inside(&box, use_network, w);
    if (has_lo6())
        inside(&box, use_lo6, w);
    box = box_of(w);
    inside(&box, use_network, w);
}

TEST(the_network_is_lo_alone_and_lo_works)
{
    as_both(network);
}

static void set(const char *path, const char *value)
{
    own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || fdio_write_all(fd, value, strlen(value)) < 0)
        CHECK_SAY("%s: %s", path, strerror(errno));
}

static void low_ports_are_free(struct world *w)
{
    (void)w;
    reads("/proc/sys/net/ipv4", "ip_unprivileged_port_start", "70\n");
    reads("/proc/sys/net/ipv6/conf/lo", "disable_ipv6", "1\n");
    reads("/proc/sys/net/core", "somaxconn", "77\n");
    CHECK(!has_lo6());
}

/* In a network of our own, since the machine's settings are not ours to change. */
static void settings(struct world *w)
{
    struct sandbox box = {.network = true};
    struct sandbox_step step;
    CHECK(sandbox_enter(&box, &step) == 0);
    set("/proc/sys/net/ipv4/ip_unprivileged_port_start", "70");
    set("/proc/sys/net/ipv6/conf/lo/disable_ipv6", "1");
    set("/proc/sys/net/core/somaxconn", "77");
    inside(&box, low_ports_are_free, w);
}

TEST(the_machines_settings_hold_inside)
{
    as_both(settings);
}

/* ---- rights
 * -------------------------------------------------------------------------------------- */

static uint64_t field(const struct text *status, const char *name)
{
    const char *line = strstr(text_str(status), name);
    return line ? strtoull(line + strlen(name), NULL, 16) : UINT64_MAX;
}

#define ROOT_KEEPS                                                                                 \
    (1u << CAP_DAC_OVERRIDE | 1u << CAP_CHOWN | 1u << CAP_FOWNER | 1u << CAP_FSETID |              \
     1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_KILL | 1u << CAP_NET_BIND_SERVICE)

static void rights(struct world *w)
{
    own_text struct text in = {0}, out = {0};
    struct sandbox box = box_of(w);
    uint64_t want = is_root() ? ROOT_KEEPS : 0;
    shell(NULL, "cat /proc/self/status", &out);
    CHECK(field(&out, "CapBnd:") != ROOT_KEEPS && field(&out, "CapBnd:") != 0);
    CHECK(!is_root() || field(&out, "CapEff:") != ROOT_KEEPS);
    CHECK_EQ(field(&out, "NoNewPrivs:"), 0);
    for (int alone = 0; alone < 2; alone++) {
        text_clear(&in);
        shell(&box, "cat /proc/self/status", &in);
        CHECK_EQ(field(&in, "CapEff:"), want);
        CHECK_EQ(field(&in, "CapPrm:"), want);
        CHECK_EQ(field(&in, "CapInh:"), 0);
        CHECK_EQ(field(&in, "CapAmb:"), 0);
        /* An ordinary user without a user namespace may not drop it, nor gain by it. */
        CHECK(field(&in, "CapBnd:") == want || (alone && !is_root()));
        CHECK_EQ(field(&in, "NoNewPrivs:"), 1);
        CHECK_EQ(field(&in, "Seccomp:"), 2);
        box = (struct sandbox){.lock = true};
    }
}

TEST(capabilities_are_dropped_but_for_those_of_roots_tests)
{
    as_both(rights);
}

/* What a suite of root's does. */
static void use_rights(struct world *w)
{
    char path[PATH_ROOM];
    struct stat st;
    to_path(path, "%s/old", w->project);
    CHECK(chown(path, NOBODY, 12) == 0); /* CHOWN */
    CHECK(chmod(path, 02750) == 0);      /* FOWNER */
    CHECK(stat(path, &st) == 0);
    CHECK_EQ(st.st_mode & 07777, 02750); /* FSETID */
    CHECK(chmod(path, 0) == 0);
    reads(w->project, "old", "old"); /* DAC_OVERRIDE */
    int port = 80;
    own_fd int low = listen_at("127.0.0.1", &port); /* NET_BIND_SERVICE */
    CHECK(low >= 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0) /* SETGID, SETUID */
            _exit(1);
        pause();
        _exit(2);
    }
    usleep(20000);
    CHECK(kill(pid, SIGTERM) == 0); /* KILL */
    CHECK_EQ(status_of(pid), 128 + SIGTERM);
    CHECK(mount("x", w->home, "tmpfs", 0, NULL) < 0 && errno == EPERM);
    CHECK(unshare(CLONE_NEWNS) < 0 && errno == EPERM);
    CHECK(chroot(w->home) < 0 && errno == EPERM);
}

static void rights_of_root(struct world *w)
{
    struct sandbox box = box_of(w);
    if (is_root())
        inside_traceless(&box, use_rights, w);
}

TEST(root_can_do_in_there_what_its_tests_do)
{
    as_both(rights_of_root);
}

static int foreign_getpid(void)
{
#ifdef __x86_64__
    long did;
    __asm__ volatile("int $0x80" : "=a"(did) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
    return (int)did;
#else
    return -ENOSYS;
#endif
}

static void use_filtered(struct world *w)
{
    (void)w;
    errno = 0;
    CHECK(syscall(SYS_io_uring_setup, 0, NULL) < 0 && errno == ENOSYS);
    CHECK_EQ(foreign_getpid(), -ENOSYS);
#ifdef __x86_64__
    errno = 0;
    CHECK(syscall(0x40000000 + 39) < 0 && errno == ENOSYS); /* x32's getpid */
#endif
    CHECK(getppid() > 0); /* all else works */
    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    CHECK_EQ(status_of(pid), 3);
}

/* The control: whatever this kernel says to them without our filter. */
static void filtered(struct world *w)
{
    struct sandbox box = {.lock = true};
    inside(&box, use_filtered, w);
    box = box_of(w);
    inside(&box, use_filtered, w);
    errno = 0;
    bool uring = syscall(SYS_io_uring_setup, 0, NULL) >= 0 || (errno != ENOSYS && errno != EPERM);
    if (!uring)
        puts("# no control: io_uring is not to be had here");
    box.lock = false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct sandbox_step step;
        if (sandbox_enter(&box, &step) < 0)
            _exit(1);
        errno = 0;
        bool there = syscall(SYS_io_uring_setup, 0, NULL) >= 0 || errno != ENOSYS;
        _exit(there == uring ? 0 : 2);
    }
    CHECK_EQ(status_of(pid), 0);
}

TEST(io_uring_and_foreign_abis_do_not_exist)
{
    as_both(filtered);
}

/* ---- addresses
 * ------------------------------------------------------------------------------------ */

static void stack_address(const struct sandbox *box, struct text *out)
{
    shell(box, "grep -h '\\[stack\\]\\|libc.*r-xp' /proc/self/maps", out);
}

static void addresses(struct world *w)
{
    (void)w;
    own_text struct text one = {0}, two = {0}, free_one = {0}, free_two = {0};
    struct sandbox box = {.no_aslr = true};
    stack_address(&box, &one);
    stack_address(&box, &two);
    CHECK(one.len > 0);
    CHECK_STR(text_str(&one), text_str(&two));
    stack_address(NULL, &free_one);
    stack_address(NULL, &free_two);
    CHECK(strcmp(text_str(&free_one), text_str(&free_two)));
}

TEST(addresses_are_the_same_in_every_run)
{
    as_both(addresses);
}

/* ---- starting programs
 * ----------------------------------------------------------------------------- */

static void no_descriptors(struct world *w)
{
    own_text struct text in = {0}, out = {0};
    char upper[PATH_ROOM];
    to_path(upper, "%s/upper", w->root);
    make_dir(upper);
    struct sandbox box = box_of(w);
    box.keep[box.keeps++] = w->root;
    box.upper = upper;
    shell(&box, "ls /proc/self/fd", &in);
    shell(NULL, "ls /proc/self/fd", &out); /* whatever we ourselves were born with */
    CHECK_STR(text_str(&in), text_str(&out));
}

TEST(no_descriptor_leaks_into_the_program)
{
    as_both(no_descriptors);
}

static void told(struct world *w)
{
    own_argv struct argv argv = {0}, env = {0};
    argv_add(&argv, "true");
    argv_add(&env, "PATH=/usr/bin:/bin");
    char upper[PATH_ROOM];
    to_path(upper, "%s/no/such", w->root);
    struct sandbox box = box_of(w);
    box.upper = upper;
    const struct spawn how = {.argv = &argv, .env = &env, .keep_fd = -1, .box = &box};
    struct child c = CHILD_NONE;
    struct err e = {0};
    CHECK(child_spawn(&how, &c, &e) < 0);
    char want[PATH_ROOM];
    to_path(want, "starting true: opening %s: No such file or directory", upper);
    CHECK_STR(e.what, want);
    box.upper = NULL;
    argv_done(&argv);
    argv_add(&argv, "no-such-program");
    CHECK(child_spawn(&how, &c, &e) < 0);
    CHECK_STR(e.what, "starting no-such-program: No such file or directory");
}

TEST(what_fails_before_the_program_starts_is_told)
{
    as_both(told);
}

/* The runner ends strays by their environment, and a program by its group. */
static void within_reach(struct world *w)
{
    own_argv struct argv argv = {0}, env = {0};
    own_text struct text path = {0}, got = {0};
    argv_add(&argv, "sleep");
    argv_add(&argv, "60");
    argv_add(&env, "PATH=/usr/bin:/bin");
    argv_add(&env, "FD_PAGE=here");
    struct sandbox box = box_of(w);
    const struct spawn how = {
        .argv = &argv, .env = &env, .cwd = w->project, .keep_fd = -1, .box = &box};
    struct child c = CHILD_NONE;
    struct err e = {0};
    if (child_spawn(&how, &c, &e) < 0) {
        CHECK_SAY("%s", e.what);
        return;
    }
    text_addf(&path, "/proc/%d/environ", (int)c.pid);
    CHECK(fdio_read_file(path.at, 4096, &got, &e) == 0);
    CHECK(got.len > 20 && memcmp(got.at + got.len - 13, "FD_PAGE=here", 12) == 0);
    int status = 0;
    child_kill(&c, &status);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    child_done(&c);
}

TEST(the_runner_reaches_what_it_started)
{
    as_both(within_reach);
}

/* Entering must not lose the signal that ends a program when the runner is gone. */
static void dies_with_its_parent(struct world *w)
{
    struct sandbox box = box_of(w);
    int tell[2];
    CHECK(pipe2(tell, O_CLOEXEC) == 0);
    fflush(NULL);
    pid_t runner = fork();
    if (runner == 0) {
        own_argv struct argv argv = {0}, env = {0};
        argv_add(&argv, "sleep");
        argv_add(&argv, "60");
        argv_add(&env, "PATH=/usr/bin:/bin");
        const struct spawn how = {.argv = &argv, .env = &env, .keep_fd = tell[1], .box = &box};
        struct child c = CHILD_NONE;
        struct err e;
        if (child_spawn(&how, &c, &e) < 0)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    close(tell[1]);
    CHECK_EQ(status_of(runner), 128 + SIGKILL);
    struct pollfd p = {.fd = tell[0], .events = POLLIN}; /* the program holds the other end */
    CHECK_EQ(poll(&p, 1, 5000), 1);
    close(tell[0]);
}

TEST(a_program_dies_with_the_runner)
{
    as_both(dies_with_its_parent);
}

static void words(struct world *w)
{
    own_argv struct argv got = {0};
    own_text struct text line = {0}, want = {0};
    struct sandbox box = box_of(w);
    sandbox_layers(&box, &got);
    for (size_t i = 0; i < got.n; i++)
        text_addf(&line, "%s\n", got.at[i]);
    text_addf(&want,
              "%soverlay:%s\noverlay:%s\nprivate:/tmp\nnet-ns\ncapabilities\nno-new-privs\n"
              "seccomp\nno-aslr\n",
              is_root() ? "" : "user-ns\n", w->home, w->project);
    CHECK_STR(text_str(&line), text_str(&want));
    own_argv struct argv none = {0};
    sandbox_layers(&(struct sandbox){0}, &none);
    CHECK_EQ(none.n, 0);
}

TEST(each_part_has_a_word)
{
    as_both(words);
}

static void nothing_asked(struct world *w)
{
    own_text struct text in = {0}, out = {0};
    const struct sandbox none = {0};
    struct sandbox_can can;
    struct err e;
    shell(&none,
          "grep -v VmHWM /proc/self/status | grep 'Cap\\|NoNew\\|Secc'; ls -l /proc/self/ns | grep "
          "-v pid | sed 's/.*->//'",
          &in);
    shell(NULL,
          "grep -v VmHWM /proc/self/status | grep 'Cap\\|NoNew\\|Secc'; ls -l /proc/self/ns | grep "
          "-v pid | sed 's/.*->//'",
          &out);
    CHECK_STR(text_str(&in), text_str(&out));
    CHECK(sandbox_probe(&none, &can, &e) == 0);
    CHECK(!can.mounts && !can.network && !can.lock && !can.no_aslr && !can.why[0]);
    (void)w;
}

TEST(an_empty_sandbox_is_none)
{
    as_both(nothing_asked);
}
