#include "exec/sandbox_impl.h"

#include "base/fdio.h"
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* ---- namespaces ------------------------------------------------------------------------------ */

static bool have(cap_value_t cap)
{
    cap_flag_value_t is = CAP_CLEAR;
    cap_t caps = cap_get_proc();
    if (caps) {
        cap_get_flag(caps, cap, CAP_EFFECTIVE, &is);
        cap_free(caps);
    }
    return is == CAP_SET;
}

bool sandbox_may_mount(void)
{
    return have(CAP_SYS_ADMIN);
}

static int write_file(const char *path, const char *words)
{
    own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd < 0 ? -1 : fdio_write_all(fd, words, strlen(words));
}

/* One user and one group, the same inside as outside. */
static int map_ids(uid_t uid, gid_t gid, struct sandbox_step *at)
{
    char line[64];
    /* Else the kernel lets no ordinary user map a group; the file is not there before 3.19. */
    if (write_file("/proc/self/setgroups", "deny") < 0 && errno != ENOENT)
        return sandbox_failed(at, SANDBOX_NAMESPACES, "writing setgroups");
    snprintf(line, sizeof line, "%u %u 1\n", uid, uid);
    if (write_file("/proc/self/uid_map", line) < 0)
        return sandbox_failed(at, SANDBOX_NAMESPACES, "writing uid_map");
    snprintf(line, sizeof line, "%u %u 1\n", gid, gid);
    if (write_file("/proc/self/gid_map", line) < 0)
        return sandbox_failed(at, SANDBOX_NAMESPACES, "writing gid_map");
    return 0;
}

static int enter_namespaces(const struct sandbox *box, bool user_ns, struct sandbox_step *at)
{
    int flags = (box->mounts ? CLONE_NEWNS : 0) | (box->network ? CLONE_NEWNET : 0);
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (!flags)
        return 0;
    if (unshare(flags | (user_ns ? CLONE_NEWUSER : 0)) < 0)
        return sandbox_failed(at, SANDBOX_NAMESPACES, "unshare");
    return user_ns ? map_ids(uid, gid, at) : 0;
}

/* ---- network --------------------------------------------------------------------------------- */

/* A new network starts with the kernel's defaults, not with the machine's settings. These decide
 * whether a call of a test fails. */
static const char *const settings[] = {
    "/proc/sys/net/ipv4/ip_unprivileged_port_start", /* 0 in most containers */
    "/proc/sys/net/ipv4/ping_group_range",           "/proc/sys/net/ipv4/ip_local_port_range",
    "/proc/sys/net/ipv6/conf/lo/disable_ipv6",       "/proc/sys/net/core/somaxconn",
};
#define SETTINGS (sizeof settings / sizeof *settings)
struct settings {
    char value[SETTINGS][64]; /* "": not known */
};

static void read_settings(struct settings *s)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        own_fd int fd = open(settings[i], O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? 0 : read(fd, s->value[i], sizeof s->value[i] - 1);
        s->value[i][n > 0 ? n : 0] = 0;
    }
}

/* As far as we may: where /proc/sys is read-only the defaults stay. */
static void carry_over(const struct settings *was)
{
    struct settings is;
    read_settings(&is);
    for (size_t i = 0; i < SETTINGS; i++)
        if (was->value[i][0] && strcmp(was->value[i], is.value[i]) != 0)
            (void)write_file(settings[i], was->value[i]);
}

static int bring_lo_up(struct sandbox_step *at)
{
    struct ifreq lo = {.ifr_name = "lo"};
    own_fd int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &lo) < 0)
        return sandbox_failed(at, SANDBOX_NETWORK, "looking at lo");
    lo.ifr_flags |= IFF_UP | IFF_RUNNING;
    if (ioctl(fd, SIOCSIFFLAGS, &lo) < 0)
        return sandbox_failed(at, SANDBOX_NETWORK, "bringing lo up");
    return 0;
}

/* ---- lock ------------------------------------------------------------------------------------ */

/* What the tests of root's suites live by. Two more than files, ids and ports ask for:
 * FSETID, or chmod would quietly drop the set-group-id bit of a file of another group;
 * KILL, or a test could not end the process that it started as another user and would wait for it.
 * It adds no power: who may become any user may signal any. */
static const cap_value_t root_keeps[] = {CAP_DAC_OVERRIDE, CAP_CHOWN,           CAP_FOWNER,
                                         CAP_FSETID,       CAP_SETUID,          CAP_SETGID,
                                         CAP_KILL,         CAP_NET_BIND_SERVICE};

static bool is_kept(cap_value_t cap)
{
    for (size_t i = 0; geteuid() == 0 && i < sizeof root_keeps / sizeof *root_keeps; i++)
        if (root_keeps[i] == cap)
            return true;
    return false;
}

/* Without SETPCAP the bounding set stays; no_new_privs keeps exec from giving any of it back. */
static int drop_bounding(void)
{
    bool may = have(CAP_SETPCAP);
    for (cap_value_t c = 0; may && cap_get_bound(c) >= 0; c++)
        if (!is_kept(c) && cap_get_bound(c) > 0 && cap_drop_bound(c) < 0)
            return -1;
    return 0;
}

static int drop_capabilities(struct sandbox_step *at)
{
    if (drop_bounding() < 0)
        return sandbox_failed(at, SANDBOX_LOCK, "dropping the bounding set");
    cap_t had = cap_get_proc(), left = cap_init();
    int did = had && left ? 0 : -1;
    for (cap_value_t c = 0; did == 0 && cap_get_bound(c) >= 0; c++) {
        cap_flag_value_t is = CAP_CLEAR;
        cap_get_flag(had, c, CAP_PERMITTED, &is);
        if (is == CAP_CLEAR || !is_kept(c))
            continue;
        cap_set_flag(left, CAP_PERMITTED, 1, &c, CAP_SET);
        cap_set_flag(left, CAP_EFFECTIVE, 1, &c, CAP_SET);
    }
    if (did == 0)
        did = cap_set_proc(left); /* ambient ones go with the inheritable */
    int os = errno;
    cap_free(had);
    cap_free(left);
    errno = os;
    return did < 0 ? sandbox_failed(at, SANDBOX_LOCK, "dropping capabilities") : 0;
}

/* Ways around the hooks. "No such call" is what a program has an answer to. */
static int filter(struct sandbox_step *at)
{
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    int did = f ? 0 : -ENOMEM;
    /* Also x32: its numbers count as foreign in a filter for x86-64. */
    if (did == 0)
        did = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
    if (did == 0) {
        /* Before 5.16 a filter slowed the whole process down against Spectre; no secrets here. */
        (void)seccomp_attr_set(f, SCMP_FLTATR_CTL_SSB, 1);
        (void)seccomp_attr_set(f, SCMP_FLTATR_API_SYSRAWRC, 1); /* errno as it was */
    }
    if (did == 0)
        did = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(io_uring_setup), 0);
    if (did == 0)
        did = seccomp_load(f);
    if (f)
        seccomp_release(f);
    errno = -did;
    return did < 0 ? sandbox_failed(at, SANDBOX_LOCK, "loading the seccomp filter") : 0;
}

static int lock(struct sandbox_step *at)
{
    if (drop_capabilities(at) < 0)
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return sandbox_failed(at, SANDBOX_LOCK, "no_new_privs");
    return filter(at);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int hold_addresses(struct sandbox_step *at)
{
    int had = personality(0xffffffff);
    if (had < 0 || personality((unsigned long)had | ADDR_NO_RANDOMIZE) < 0)
        return sandbox_failed(at, SANDBOX_ASLR, "personality(ADDR_NO_RANDOMIZE)");
    return 0;
}

int sandbox_enter(const struct sandbox *box, struct sandbox_step *ret_step)
{
    bool user_ns = !sandbox_may_mount();
    struct settings was = {0};
    if (box->network)
        read_settings(&was);
    if (enter_namespaces(box, user_ns, ret_step) < 0)
        return -1;
    if (box->mounts && sandbox_mount(box, user_ns, ret_step) < 0)
        return -1;
    if (box->network)
        carry_over(&was);
    if (box->network && bring_lo_up(ret_step) < 0)
        return -1;
    if (box->no_aslr && hold_addresses(ret_step) < 0)
        return -1;
    return box->lock ? lock(ret_step) : 0; /* last: it takes the right to do the rest */
}

void sandbox_layers(const struct sandbox *box, struct argv *out)
{
    if ((box->mounts || box->network) && !sandbox_may_mount())
        argv_add(out, "user-ns");
    for (size_t i = 0; box->mounts && i < box->cows; i++)
        if (box->cow[i])
            argv_addf(out, "overlay:%s", box->cow[i]);
    if (box->mounts && box->tmp != SANDBOX_TMP_REAL)
        argv_add(out, box->tmp == SANDBOX_TMP_COW ? "overlay:/tmp" : "private:/tmp");
    if (box->network)
        argv_add(out, "net-ns");
    if (box->lock) {
        argv_add(out, "capabilities");
        argv_add(out, "no-new-privs");
        argv_add(out, "seccomp");
    }
    if (box->no_aslr)
        argv_add(out, "no-aslr");
}
