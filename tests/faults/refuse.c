/* Runs a command in a system that refuses something, as containers and distributions do.
 * usage: refuse WHAT -- COMMAND [ARGUMENT…]
 *
 *   unshare      no new namespaces (Docker's filter): unshare, clone, setns: EPERM; clone3: ENOSYS
 *   mount-ns     no new mount namespace; others are to be had: EPERM
 *   uid_map      a user namespace may be made, but its map not be written (Ubuntu 24.04): EACCES
 *   mount        namespaces work, mounting does not (AppArmor in a container): EACCES
 *   overlay      as `mount`, for overlay file systems only: ENODEV
 *   hang         a mount never comes back, as on a dead file server
 *   kill         a mount ends the process (a strict filter): SIGSYS
 *   lo           a network namespace may be made, but lo not be brought up: EPERM
 *   seccomp      no further filter: EINVAL
 *   personality  addresses cannot be held: EPERM
 *
 * For what a filter cannot see, paths, it asks this process, which stays as the command's parent.
 * no_new_privs is set: sudo does not work in there. Ends as the command ends. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE /* headers before 5.5 */
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1
#endif
#define EVERY_NS                                                                                   \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET)

static void die(const char *what)
{
    fprintf(stderr, "refuse: %s: %s\n", what, strerror(errno));
    exit(125);
}

static void must(int did, const char *what)
{
    if (did < 0) {
        errno = -did;
        die(what);
    }
}

static void rule(scmp_filter_ctx f, uint32_t action, int call)
{
    must(seccomp_rule_add(f, action, call, 0), "adding a rule");
}

/* Where the argument has all these bits. */
static void rule_bits(scmp_filter_ctx f, uint32_t action, int call, unsigned arg, uint64_t bits)
{
    struct scmp_arg_cmp has = {
        .arg = arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = bits, .datum_b = bits};
    must(seccomp_rule_add_array(f, action, call, 1, &has), "adding a rule");
}

static void refuse_unshare(scmp_filter_ctx f)
{
    for (int bit = 0; bit < 31; bit++) {
        uint64_t flag = UINT64_C(1) << bit;
        if (!(flag & EVERY_NS))
            continue;
        rule_bits(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 0, flag);
        rule_bits(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 0, flag);
    }
    rule(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));
    rule(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(setns));
}

static void refuse_mount_ns(scmp_filter_ctx f)
{
    rule_bits(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 0, CLONE_NEWNS);
}

static void refuse_uid_map(scmp_filter_ctx f)
{
    rule_bits(f, SCMP_ACT_NOTIFY, SCMP_SYS(openat), 2, O_WRONLY);
    rule_bits(f, SCMP_ACT_NOTIFY, SCMP_SYS(openat), 2, O_RDWR);
#ifdef __x86_64__
    rule_bits(f, SCMP_ACT_NOTIFY, SCMP_SYS(open), 1, O_WRONLY);
    rule_bits(f, SCMP_ACT_NOTIFY, SCMP_SYS(open), 1, O_RDWR);
#endif
}

static void refuse_mount(scmp_filter_ctx f)
{
    rule(f, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mount));
    rule(f, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(fsopen));
    rule(f, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(open_tree));
}

static void refuse_overlay(scmp_filter_ctx f)
{
    rule(f, SCMP_ACT_NOTIFY, SCMP_SYS(mount));
    rule(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(fsopen));
}

static void refuse_kill(scmp_filter_ctx f)
{
    rule(f, SCMP_ACT_KILL_PROCESS, SCMP_SYS(mount));
}

static void refuse_lo(scmp_filter_ctx f)
{
    struct scmp_arg_cmp is = {.arg = 1, .op = SCMP_CMP_EQ, .datum_a = 0x8914 /* SIOCSIFFLAGS */};
    must(seccomp_rule_add_array(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, &is),
         "adding a rule");
}

static void refuse_seccomp(scmp_filter_ctx f)
{
    rule(f, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(seccomp));
    struct scmp_arg_cmp is = {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = PR_SET_SECCOMP};
    must(seccomp_rule_add_array(f, SCMP_ACT_ERRNO(EINVAL), SCMP_SYS(prctl), 1, &is),
         "adding a rule");
}

static void refuse_personality(scmp_filter_ctx f)
{
    struct scmp_arg_cmp not = {.arg = 0, .op = SCMP_CMP_NE, .datum_a = 0xffffffff};
    must(seccomp_rule_add_array(f, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(personality), 1, &not ),
         "adding a rule");
}

static pid_t command;
static bool hangs;

/* ---- the parent: what a filter has to ask for -------------------------------------------------
 */

/* A string in the memory of a process that waits for our answer. */
static bool fetch(pid_t pid, uint64_t from, char *buf, size_t size)
{
    size_t got = 0;
    while (got < size - 1) { /* byte by byte past a page's end would fail as a whole */
        struct iovec to = {buf + got, 1}, at = {(void *)(uintptr_t)(from + got), 1};
        if (process_vm_readv(pid, &to, 1, &at, 1, 0) != 1)
            break;
        if (!buf[got++])
            return true;
    }
    buf[got] = 0;
    return false;
}

static bool ends_with(const char *s, const char *tail)
{
    size_t n = strlen(s), m = strlen(tail);
    return n >= m && strcmp(s + n - m, tail) == 0;
}

/* The errno it is to see, 0: the call goes on. */
static int judge(const struct seccomp_notif *ask)
{
    char words[4096];
    const __u64 *arg = ask->data.args;
    if (ask->data.nr == SCMP_SYS(mount))
        return fetch((pid_t)ask->pid, arg[2], words, sizeof words) && !strcmp(words, "overlay")
                   ? ENODEV
                   : 0;
    uint64_t path = ask->data.nr == SCMP_SYS(openat) ? arg[1] : arg[0];
    return fetch((pid_t)ask->pid, path, words, sizeof words) && ends_with(words, "/uid_map")
               ? EACCES
               : 0;
}

static void answer(int listener, struct seccomp_notif *ask, struct seccomp_notif_resp *say)
{
    memset(ask, 0, sizeof *ask); /* the kernel takes it only so */
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, ask) < 0)
        return; /* a signal ended the call */
    if (hangs)
        return;
    int no = judge(ask);
    *say = (struct seccomp_notif_resp){
        .id = ask->id, .error = -no, .flags = no ? 0 : (uint32_t)SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, say);
}

/* Until the command ends; what it leaves behind is answered ENOSYS by the kernel from then on. */
static void supervise(int listener)
{
    struct seccomp_notif *ask;
    struct seccomp_notif_resp *say;
    must(seccomp_notify_alloc(&ask, &say), "seccomp_notify_alloc");
    struct pollfd fds[2] = {{.fd = listener, .events = POLLIN},
                            {.fd = (int)syscall(SYS_pidfd_open, command, 0), .events = POLLIN}};
    while (!fds[1].revents) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
        if (fds[0].revents & POLLIN)
            answer(listener, ask, say);
        if (fds[0].revents & POLLHUP)
            fds[0].fd = -1;
    }
    seccomp_notify_free(ask, say);
}

static void pass_on(int signal)
{
    kill(command, signal);
}

static int end_as_it_does(void)
{
    int status;
    while (waitpid(command, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}

/* ---- both ------------------------------------------------------------------------------------ */

static void send_fd(int to, int fd)
{
    char room[CMSG_SPACE(sizeof fd)] = {0}, c = 0;
    struct iovec one = {&c, 1};
    struct msghdr m = {
        .msg_iov = &one, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    *h = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(h), &fd, sizeof fd);
    if (sendmsg(to, &m, 0) < 0)
        die("sendmsg");
}

static int receive_fd(int from)
{
    int fd = -1;
    char room[CMSG_SPACE(sizeof fd)], c;
    struct iovec one = {&c, 1};
    struct msghdr m = {
        .msg_iov = &one, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) < 0)
        die("recvmsg");
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    if (h)
        memcpy(&fd, CMSG_DATA(h), sizeof fd);
    return fd;
}

static void run(scmp_filter_ctx f, bool asks, int tell, char **argv)
{
    must(seccomp_load(f), "seccomp_load");
    if (asks)
        send_fd(tell, seccomp_notify_fd(f));
    execvp(argv[0], argv);
    die(argv[0]);
}

static const struct {
    const char *word;
    void (*add)(scmp_filter_ctx);
    bool asks;
} ways[] = {
    {"unshare", refuse_unshare, false}, {"mount-ns", refuse_mount_ns, false},
    {"uid_map", refuse_uid_map, true},  {"mount", refuse_mount, false},
    {"overlay", refuse_overlay, true},  {"hang", refuse_overlay, true},
    {"kill", refuse_kill, false},       {"lo", refuse_lo, false},
    {"seccomp", refuse_seccomp, false}, {"personality", refuse_personality, false},
};

int main(int argc, char **argv)
{
    size_t i = 0, n = sizeof ways / sizeof *ways;
    while (argc > 3 && i < n && strcmp(argv[1], ways[i].word))
        i++;
    if (argc <= 3 || i == n || strcmp(argv[2], "--")) {
        fprintf(stderr, "usage: refuse WHAT -- COMMAND [ARGUMENT...]\n");
        return 125;
    }
    hangs = strcmp(argv[1], "hang") == 0;
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    if (!f)
        die("seccomp_init");
    ways[i].add(f);
    if (!ways[i].asks)
        run(f, false, -1, argv + 3);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        die("socketpair");
    command = fork();
    if (command < 0)
        die("fork");
    if (command == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run(f, true, pair[1], argv + 3);
    }
    close(pair[1]);
    for (int s = 1; s < 16; s++)
        if (s == SIGHUP || s == SIGINT || s == SIGTERM)
            signal(s, pass_on);
    int listener = receive_fd(pair[0]);
    if (listener >= 0)
        supervise(listener);
    return end_as_it_does();
}
