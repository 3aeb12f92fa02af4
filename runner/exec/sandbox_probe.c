/* What of a sandbox can be had: it is tried, for a single call that is allowed says nothing of the
 * next. Ubuntu grants the user namespace and refuses all that makes it useful; a kernel before 6.6
 * mounts layers in one whose deleted folders cannot be made again. */
#include "exec/sandbox_impl.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#define ATTEMPTS (SANDBOX_DIRS + 8) /* one for each part that may be refused */
#define LIMIT_NS (3 * NS_PER_S)     /* it takes some 10 ms; a machine may be busy */

struct answer { /* of the process that tries it */
    int os;     /* 0: all works; -N: signal N ended it */
    struct sandbox_step at;
};

/* ---- inside ---------------------------------------------------------------------------------- */

static bool is_on(int fd, long magic)
{
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && fs.f_type == magic;
}

/* A file that is made through the layers must not be in the real folder. */
static int check_write(int top, int real)
{
    char name[40];
    struct stat st;
    snprintf(name, sizeof name, ".flaky-repro-%d", (int)getpid());
    own_fd int fd = openat(top, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1)
        return -1;
    bool leaks = fstatat(real, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (unlinkat(top, name, 0) < 0)
        return -1;
    errno = EXDEV;
    return leaks ? -1 : 0;
}

/* One that is in the real folder is changed, deleted, and a folder made of its name. */
static int check_delete(int top, int real, const char *name)
{
    struct stat st;
    own_fd int fd = openat(top, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) /* its owner was quicker */
        return 0;
    if (fd < 0 || unlinkat(top, name, 0) < 0 || mkdirat(top, name, 0700) < 0)
        return -1;
    return fstatat(real, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOENT ? -1 : 0;
}

/* A small file of ours among the first entries; "" if there is none. */
static void pick_file(int real, char buf[static 256])
{
    buf[0] = 0;
    DIR *dir = fdopendir(openat(real, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat st;
    for (int i = 0; dir && i < 200; i++) {
        struct dirent *d = readdir(dir);
        if (!d)
            break;
        if (fstatat(real, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
            st.st_uid != geteuid() || st.st_gid != getegid() || !(st.st_mode & S_IWUSR) ||
            st.st_size > 65536 || faccessat(real, d->d_name, W_OK, AT_EACCESS) < 0)
            continue; /* to uid 65534 what belongs to nobody in here looks like its own */
        snprintf(buf, 256, "%s", d->d_name);
        break;
    }
    if (dir)
        closedir(dir);
}

/* Nothing to check where there are no layers, or where we might not write anyhow. */
static int check_folder(const char *path, int real)
{
    own_fd int top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (real < 0 || top < 0 || !is_on(top, OVERLAYFS_SUPER_MAGIC) ||
        faccessat(real, ".", W_OK | X_OK, AT_EACCESS) < 0)
        return 0;
    char name[256];
    pick_file(real, name);
    return check_write(top, real) < 0 ? -1 : name[0] ? check_delete(top, real, name) : 0;
}

/* The ith folder whose layers are to be tried, /tmp the last; NULL: none. */
static const char *nth_folder(const struct sandbox *box, size_t i)
{
    if (i < SANDBOX_DIRS)
        return i < box->cows ? box->cow[i] : NULL;
    return box->tmp == SANDBOX_TMP_REAL ? NULL : "/tmp";
}

/* What was tried already, by this name or another, is not as it was. */
static bool seen_before(const int *real, size_t i)
{
    struct stat a, b;
    for (size_t k = 0; k < i; k++)
        if (real[k] >= 0 && fstat(real[k], &a) == 0 && fstat(real[i], &b) == 0 &&
            a.st_dev == b.st_dev && a.st_ino == b.st_ino)
            return true;
    return false;
}

static int check_mounts(const struct sandbox *box, const int *real, struct sandbox_step *at)
{
    for (size_t i = 0; i <= SANDBOX_DIRS; i++) {
        const char *path = nth_folder(box, i);
        if (!path || real[i] < 0 || seen_before(real, i) || check_folder(path, real[i]) == 0)
            continue;
        sandbox_failed(at, SANDBOX_MOUNTS, "changing files through layers over %s", path);
        at->folder = (int)i;
        return -1;
    }
    return 0;
}

static int check_network(struct sandbox_step *at)
{
    struct sockaddr_in lo = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof lo;
    own_fd int here = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    own_fd int there = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (here < 0 || there < 0 || bind(here, (struct sockaddr *)&lo, n) < 0 || listen(here, 1) < 0 ||
        getsockname(here, (struct sockaddr *)&lo, &n) < 0 ||
        connect(there, (struct sockaddr *)&lo, n) < 0)
        return sandbox_failed(at, SANDBOX_NETWORK, "connecting over lo");
    return 0;
}

static int check_lock(struct sandbox_step *at)
{
    errno = 0;
    if (syscall(SYS_io_uring_setup, 0, NULL) >= 0 || errno != ENOSYS)
        return sandbox_failed(at, SANDBOX_LOCK, "looking whether the seccomp filter holds");
    return 0;
}

static _Noreturn void try_inside(const struct sandbox *box, int tell)
{
    struct answer a = {0};
    int real[SANDBOX_DIRS + 1];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i <= SANDBOX_DIRS; i++) {
        const char *path = nth_folder(box, i);
        real[i] = path && box->mounts ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    }
    if (sandbox_enter(box, &a.at) < 0 || (box->mounts && check_mounts(box, real, &a.at) < 0) ||
        (box->network && check_network(&a.at) < 0) || (box->lock && check_lock(&a.at) < 0))
        a.os = errno ? errno : EIO;
    (void)!write(tell, &a, sizeof a);
    _exit(0);
}

/* ---- outside --------------------------------------------------------------------------------- */

/* The pipe's other end closes when the process ends, whatever way. */
static bool wait_for_end(int fd, int64_t limit_ns, struct answer *a)
{
    int64_t deadline_ns = clock_mono_ns() + limit_ns;
    size_t got = 0;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, clock_poll_ms(deadline_ns));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        ssize_t more = read(fd, (char *)a + got, sizeof *a - got);
        if (more <= 0)
            return true;
        got += (size_t)more;
    }
}

static enum sandbox_part most_likely_to_hang(const struct sandbox *box)
{
    return box->mounts    ? SANDBOX_MOUNTS
           : box->network ? SANDBOX_NETWORK
           : box->lock    ? SANDBOX_LOCK
                          : SANDBOX_ASLR;
}

static int attempt(const struct sandbox *box, struct answer *ret, struct err *e)
{
    struct answer a = {.os = ETIMEDOUT}; /* until it answers */
    int tell[2];
    sandbox_failed(&a.at, most_likely_to_hang(box), "trying a sandbox");
    if (pipe2(tell, O_CLOEXEC) < 0)
        return err_sys(e, "trying a sandbox");
    own_fd int from = tell[0];
    own_fd int to = tell[1];
    pid_t pid = fork();
    if (pid < 0)
        return err_sys(e, "trying a sandbox");
    if (pid == 0)
        try_inside(box, to);
    close(take_fd(&to));
    bool ended = wait_for_end(from, LIMIT_NS, &a);
    kill(pid, SIGKILL);
    int status = 0;
    /* One that hangs in the kernel, on a dead file server, does not end for a signal either. */
    if (ended || wait_for_end(from, NS_PER_S / 5, &(struct answer){0}))
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    if (ended && a.os == ETIMEDOUT)
        a.os = WIFSIGNALED(status) ? -WTERMSIG(status) : EPROTO;
    *ret = a;
    return 0;
}

/* Where no folder is left it may have been the place of the changes. */
static void give_up_folder(struct sandbox *box, const struct sandbox *want, int folder)
{
    bool any = false;
    box->cow[folder] = NULL;
    for (size_t i = 0; i < box->cows; i++)
        any |= box->cow[i] != NULL;
    if (any || !box->upper)
        return;
    box->upper = NULL;
    memcpy(box->cow, want->cow, sizeof box->cow);
}

/* Leaves out what failed. Of two namespaces that are refused together each is tried alone. */
static void give_up(struct sandbox *box, const struct sandbox *want, const struct sandbox_step *at)
{
    switch (at->part) {
    case SANDBOX_NAMESPACES:
        if (box->mounts && box->network) {
            box->network = false;
        } else {
            box->network = box->mounts && want->network;
            box->mounts = false;
        }
        break;
    case SANDBOX_MOUNTS:
        if (at->folder == SANDBOX_DIRS)
            box->tmp = SANDBOX_TMP_REAL;
        else if (at->folder >= 0)
            give_up_folder(box, want, at->folder);
        else if (box->upper)
            box->upper = NULL;
        else
            box->mounts = false;
        break;
    case SANDBOX_NETWORK:
        box->network = false;
        break;
    case SANDBOX_LOCK:
        box->lock = false;
        break;
    case SANDBOX_ASLR:
        box->no_aslr = false;
        break;
    }
}

/* ---- in words -------------------------------------------------------------------------------- */

static bool reads(const char *path, const char *value)
{
    own_text struct text t = {0};
    struct err e;
    return fdio_read_file(path, 64, &t, &e) == 0 && text_starts(text_str(&t), value);
}

static bool is_filtered(void)
{
    own_text struct text t = {0};
    struct err e;
    return fdio_read_file("/proc/self/status", 1 << 16, &t, &e) == 0 &&
           strstr(text_str(&t), "\nSeccomp:\t2") != NULL;
}

#define UNCONFINED "--security-opt seccomp=unconfined --security-opt apparmor=unconfined"

static const char *hint_for_namespaces(void)
{
    static const struct {
        const char *path, *value, *hint;
    } known[] = {
        {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
         "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run as root"},
        {"/proc/sys/kernel/unprivileged_userns_clone", "0",
         "sysctl kernel.unprivileged_userns_clone=1, or run as root"},
        {"/proc/sys/user/max_user_namespaces", "0",
         "sysctl user.max_user_namespaces=10000, or run as root"},
    };
    for (size_t i = 0; geteuid() != 0 && i < sizeof known / sizeof *known; i++)
        if (reads(known[i].path, known[i].value))
            return known[i].hint;
    if (is_filtered() || geteuid() == 0)
        return "in a container: docker run --cap-add SYS_ADMIN " UNCONFINED;
    return "run as root, or let ordinary users have user namespaces";
}

static const char *hint_for(const struct answer *a)
{
    bool refused = a->os == EPERM || a->os == EACCES;
    switch (a->at.part) {
    case SANDBOX_MOUNTS:
        if (a->at.folder >= 0 && a->os == EIO)
            return "Linux before 6.6 needs a folder on disk for the changes";
        return refused ? hint_for_namespaces() : "";
    case SANDBOX_NETWORK:
        return refused ? hint_for_namespaces() : "";
    case SANDBOX_NAMESPACES:
        return hint_for_namespaces();
    case SANDBOX_ASLR:
        return refused && is_filtered() ? "in a container: docker run " UNCONFINED : "";
    case SANDBOX_LOCK:
        break;
    }
    return "";
}

static void note(struct sandbox_can *can, const struct answer *a)
{
    own_text struct text why = {0}, all = {0};
    text_addf(&why, "%s: %s", a->at.what,
              a->os < 0            ? strsignal(-a->os)
              : a->os == ETIMEDOUT ? "no answer"
                                   : strerror(a->os));
    if (strstr(can->why, text_str(&why))) /* refused again, with less around it */
        return;
    if (!can->why[0])
        text_copy(can->hint, sizeof can->hint, hint_for(a));
    text_addf(&all, "%s%s%s", can->why, can->why[0] ? "; " : "", text_str(&why));
    text_copy(can->why, sizeof can->why, text_str(&all));
}

/* With a place of its own for the changes, removed again. */
static int attempt_once(const struct sandbox *want, struct answer *ret, struct err *e)
{
    struct sandbox box = *want;
    own_text struct text upper = {0};
    if (!box.upper)
        return attempt(&box, ret, e);
    text_addf(&upper, "%s/probe-%d", box.upper, (int)getpid());
    box.upper = text_str(&upper);
    if (mkdir(box.upper, 0700) < 0) {
        ret->os = errno;
        sandbox_failed(&ret->at, SANDBOX_MOUNTS, "creating %s", box.upper);
        return 0;
    }
    int did = attempt(&box, ret, e);
    fdio_remove_tree(box.upper);
    return did;
}

int sandbox_probe(const struct sandbox *want, struct sandbox_can *ret_can, struct err *e)
{
    struct sandbox box = *want;
    struct sandbox_can can = {0};
    struct answer a = {0};
    if (!box.mounts)
        box.upper = NULL;
    for (int left = ATTEMPTS;; left--) {
        if (attempt_once(&box, &a, e) < 0)
            return -1;
        if (!a.os)
            break;
        note(&can, &a);
        const struct sandbox before = box;
        give_up(&box, want, &a.at);
        if (left == 0 || memcmp(&before, &box, sizeof box) == 0)
            box = (struct sandbox){.mounts = false}; /* it was not for what was given up */
    }
    can.mounts = box.mounts;
    can.network = box.network;
    can.lock = box.lock;
    can.no_aslr = box.no_aslr;
    can.tmp = box.mounts && box.tmp == want->tmp;
    can.upper = box.mounts && box.upper;
    for (size_t i = 0; i < box.cows; i++)
        can.cow[i] = box.mounts && box.cow[i];
    can.user_namespace = (box.mounts || box.network) && !sandbox_may_mount();
    *ret_can = can;
    return 0;
}
