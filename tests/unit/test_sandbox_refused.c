/* Where the system refuses it: what the probe says, and that it neither hangs nor promises what
 * cannot be had. Each test runs itself once more under tests/faults/refuse. */
#include "sandbox_world.h"

#include "base/clock.h"

#include <sys/capability.h>

#define UNDER "FR_TEST_REFUSED"

static const char *under; /* what is refused right now, NULL: nothing yet */

/* By descriptor: an ordinary user may have no way to where this was built. */
static void run_under(const char *what, const char *test, uid_t uid)
{
    int refuse = open(FR_REFUSE, O_RDONLY), self = open("/proc/self/exe", O_RDONLY);
    char refuse_path[64], self_path[64];
    snprintf(refuse_path, sizeof refuse_path, "/proc/self/fd/%d", refuse);
    snprintf(self_path, sizeof self_path, "/proc/self/fd/%d", self);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (uid != geteuid())
            become_user(uid);
        setenv(UNDER, what, 1);
        execl(refuse_path, "refuse", what, "--", self_path, test, (char *)NULL);
        perror("refuse");
        _exit(1);
    }
    int status = status_of(pid);
    if (status)
        CHECK_SAY("as uid %d, without %s: ended with %d", (int)uid, what, status);
    close(refuse);
    close(self);
}

/* Whether we are in the test's second life, in which `what` is refused. */
static bool refused(const char *what, const char *test)
{
    under = getenv(UNDER);
    if (under)
        return true;
    run_under(what, test, geteuid());
    if (is_root())
        run_under(what, test, NOBODY);
    return false;
}

struct probed {
    struct sandbox_can can;
    int64_t took_ns;
};

static struct probed probe(const struct sandbox *box)
{
    struct probed p = {0};
    struct err e = {0};
    int64_t began = clock_mono_ns();
    if (sandbox_probe(box, &p.can, &e) < 0)
        CHECK_SAY("%s", e.what);
    p.took_ns = clock_mono_ns() - began;
    return p;
}

static bool boxes_work_but_for_mounts(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(unshare(CLONE_NEWNET | (is_root() ? 0 : CLONE_NEWUSER)) < 0);
    return status_of(pid) == 0;
}

static struct sandbox everything(void)
{
    return (struct sandbox){.mounts = true,
                            .network = true,
                            .lock = true,
                            .no_aslr = true,
                            .tmp = SANDBOX_TMP_PRIVATE,
                            .cow = {"/var/tmp"},
                            .cows = 1};
}

static void quick(const struct probed *p)
{
    CHECK_LE((double)p->took_ns / 1e6, 1000); /* some 10 ms; and no time limit was reached */
}

static void only_lock_and_addresses(const struct sandbox_can *can)
{
    CHECK(!can->mounts && !can->network && !can->cow[0] && !can->tmp && !can->upper);
    CHECK(!can->user_namespace);
    CHECK(can->lock && can->no_aslr);
}

TEST(no_new_namespaces)
{
    if (!refused("unshare", __func__))
        return;
    struct sandbox box = everything();
    struct probed p = probe(&box);
    quick(&p);
    only_lock_and_addresses(&p.can);
    CHECK_STR(p.can.why, "unshare: Operation not permitted");
    CHECK(strstr(p.can.hint, "--security-opt seccomp=unconfined"));
}

/* Root without the right to mount, as in a container: it needs a user namespace too. */
static void drop_admin(void)
{
    cap_t caps = cap_get_proc();
    cap_value_t admin = CAP_SYS_ADMIN;
    if (cap_drop_bound(admin) < 0 || cap_set_flag(caps, CAP_PERMITTED, 1, &admin, CAP_CLEAR) < 0 ||
        cap_set_flag(caps, CAP_EFFECTIVE, 1, &admin, CAP_CLEAR) < 0 || cap_set_proc(caps) < 0)
        CHECK_SAY("dropping SYS_ADMIN: %s", strerror(errno));
    cap_free(caps);
}

/* An ordinary user in a user namespace that may not have another one in it. */
static void exhaust(struct world *w)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    CHECK(unshare(CLONE_NEWUSER) == 0);
    own_fd int deny = open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);
    CHECK(write(deny, "deny", 4) == 4);
    CHECK(write_map("/proc/self/uid_map", uid) && write_map("/proc/self/gid_map", gid));
    own_fd int most = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
    CHECK(write(most, "0", 1) == 1);
    cap_t none = cap_init();
    CHECK(cap_set_proc(none) == 0);
    cap_free(none);
    struct sandbox box = box_of(w);
    struct probed p = probe(&box);
    quick(&p);
    only_lock_and_addresses(&p.can);
    CHECK_STR(p.can.why, "unshare: No space left on device");
    if (uid != 0)
        CHECK_STR(p.can.hint, "sysctl user.max_user_namespaces=10000, or run as root");
}

TEST(no_user_namespaces_left)
{
    if (getenv(UNDER))
        return;
    int first = run_as(geteuid(), NULL, exhaust);
    int second = is_root() ? run_as(NOBODY, NULL, exhaust) : 77;
    CHECK(first == 0 || first == 77);
    CHECK(second == 0 || second == 77);
}

static void the_map_is_refused(const char *test)
{
    if (!refused("uid_map", test))
        return;
    struct sandbox box = everything();
    struct probed p;
    if (is_root()) { /* it does not need a map as long as it may mount */
        p = probe(&box);
        CHECK(p.can.mounts && p.can.network && !p.can.user_namespace);
        drop_admin();
    }
    p = probe(&box);
    quick(&p);
    only_lock_and_addresses(&p.can);
    CHECK_STR(p.can.why, "writing uid_map: Permission denied");
    CHECK(p.can.hint[0]);
}

TEST(a_user_namespace_whose_map_cannot_be_written)
{
    the_map_is_refused(__func__);
}

TEST(root_of_a_container_without_namespaces)
{
    if (!refused("unshare", __func__) || !is_root())
        return;
    drop_admin();
    struct sandbox box = everything();
    struct probed p = probe(&box);
    quick(&p);
    only_lock_and_addresses(&p.can);
    CHECK_STR(p.can.why, "unshare: Operation not permitted");
    CHECK(strstr(p.can.hint, "--cap-add SYS_ADMIN"));
}

static void as_container_root(struct world *w)
{
    struct sandbox box = box_of(w);
    drop_admin();
    struct probed p = probe(&box);
    if (!p.can.mounts) {
        printf("# no user namespaces for root: %s\n", p.can.why);
        return;
    }
    CHECK(p.can.user_namespace && p.can.network && p.can.lock && p.can.cow[0]);
    own_text struct text got = {0};
    shell(&box, "id -u; id -g; cat /proc/self/uid_map; echo x >$HOME/made; ls /tmp", &got);
    CHECK_STR(text_str(&got), "0\n0\n         0          0          1\n");
    CHECK(!is_there(w->home, "made"));
}

TEST(root_of_a_container_with_user_namespaces)
{
    if (getenv(UNDER))
        return;
    if (!is_root()) {
        puts("# passed over: for root");
        return;
    }
    int status = run_as(geteuid(), NULL, as_container_root);
    CHECK(status == 0 || status == 77);
}

TEST(no_new_mount_namespace)
{
    if (!refused("mount-ns", __func__))
        return;
    struct sandbox box = everything();
    struct probed p = probe(&box);
    quick(&p);
    CHECK(!p.can.mounts && p.can.lock && p.can.no_aslr);
    CHECK_EQ(p.can.network, boxes_work_but_for_mounts());
    CHECK_STR(p.can.why, "unshare: Operation not permitted");
}

TEST(mounting_is_refused)
{
    if (!refused("mount", __func__))
        return;
    struct sandbox box = everything();
    struct probed p = probe(&box);
    quick(&p);
    CHECK(!p.can.mounts && !p.can.cow[0] && p.can.lock && p.can.no_aslr);
    if (p.can.network) { /* unless namespaces are refused here anyhow */
        CHECK_STR(p.can.why, "making mounts private: Permission denied");
        CHECK(p.can.hint[0]);
    }
}

TEST(layers_are_refused)
{
    if (!refused("overlay", __func__))
        return;
    struct sandbox box = everything();
    struct probed p = probe(&box);
    quick(&p);
    CHECK(!p.can.cow[0]);
    if (p.can.mounts) {
        CHECK(p.can.tmp && p.can.network);
        CHECK_STR(p.can.why, "layers over /var/tmp: No such device");
    }
    bool had = p.can.mounts;
    box.tmp = SANDBOX_TMP_COW;
    box.cows = 0;
    p = probe(&box);
    CHECK(!p.can.tmp);
    CHECK_EQ(p.can.mounts, had);
    if (had)
        CHECK_STR(p.can.why, "layers over /tmp: No such device");
}

TEST(lo_stays_down)
{
    if (!refused("lo", __func__))
        return;
    struct sandbox box = everything();
    struct probed p = probe(&box);
    quick(&p);
    CHECK(!p.can.network);
    if (p.can.mounts)
        CHECK_STR(p.can.why, "bringing lo up: Operation not permitted");
}

TEST(no_filter)
{
    if (!refused("seccomp", __func__))
        return;
    struct sandbox box = everything();
    struct probed p = probe(&box);
    quick(&p);
    CHECK(!p.can.lock && p.can.no_aslr);
    CHECK(strstr(p.can.why, "loading the seccomp filter: Invalid argument"));
}

TEST(addresses_cannot_be_held)
{
    if (!refused("personality", __func__))
        return;
    struct sandbox box = everything();
    struct probed p = probe(&box);
    quick(&p);
    CHECK(!p.can.no_aslr && p.can.lock);
    CHECK(strstr(p.can.why, "personality(ADDR_NO_RANDOMIZE): Operation not permitted"));
}

TEST(a_mount_that_never_comes_back)
{
    if (!refused("hang", __func__))
        return;
    struct sandbox box = everything();
    struct probed p = probe(&box);
    CHECK_LE((double)p.took_ns / 1e9, 12);
    CHECK(!p.can.mounts && p.can.lock);
    CHECK(strstr(p.can.why, "trying a sandbox: no answer") || strstr(p.can.why, "unshare: "));
}

TEST(a_mount_that_ends_the_process)
{
    if (!refused("kill", __func__))
        return;
    struct sandbox box = everything();
    struct probed p = probe(&box);
    quick(&p);
    CHECK(!p.can.mounts && p.can.lock);
    CHECK(strstr(p.can.why, "trying a sandbox: Bad system call") || strstr(p.can.why, "unshare: "));
}

/* What the runner says when a sandbox that was to be had is refused later. */
TEST(a_program_that_cannot_enter_is_told)
{
    if (!refused("unshare", __func__))
        return;
    own_argv struct argv argv = {0}, env = {0};
    argv_add(&argv, "true");
    argv_add(&env, "PATH=/usr/bin:/bin");
    struct sandbox box = everything();
    const struct spawn how = {.argv = &argv, .env = &env, .keep_fd = -1, .box = &box};
    struct child c = CHILD_NONE;
    struct err e = {0};
    CHECK(child_spawn(&how, &c, &e) < 0);
    CHECK_STR(e.what, "starting true: unshare: Operation not permitted");
}
