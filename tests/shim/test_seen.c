/* What a watched run needs, noted by many processes at once: nothing twice, nothing lost. */
#include "shim/seen.h"
#include "tests/check.h"
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fd_live fd_live;
_Atomic int fd_state = FD_STATE_ON;

int fd_live_start(void)
{
    return FD_STATE_ON;
}

static struct fd_seen *fresh(void)
{
    fd_live.page = mmap(NULL, sizeof(struct fd_page), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fd_live.page == MAP_FAILED)
        SKIP("no shared memory");
    return &fd_live.page->seen;
}

TEST(only_a_watched_page_is_watched)
{
    fresh();
    CHECK(!fd_watching());
    fd_live.page->settings.watch = 1;
    CHECK(fd_watching());
}

TEST(the_first_text_is_kept_and_cut)
{
    struct fd_seen *seen = fresh();
    char longer[2 * FD_PATH_MAX];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    fd_seen_need(FD_NEED_OUTSIDE, "");
    fd_seen_need(FD_NEED_LOOPBACK, "127.0.0.1:5432");
    fd_seen_need(FD_NEED_LOOPBACK, "127.0.0.1:6379");
    fd_seen_need(FD_NEED_HOME, longer);
    CHECK_EQ(seen->needs, 1 << FD_NEED_OUTSIDE | 1 << FD_NEED_LOOPBACK | 1 << FD_NEED_HOME);
    CHECK_STR(seen->what[FD_NEED_OUTSIDE], "");
    CHECK_STR(seen->what[FD_NEED_LOOPBACK], "127.0.0.1:5432");
    CHECK_EQ(strlen(seen->what[FD_NEED_HOME]), FD_PATH_MAX - 1);
    CHECK_STR(seen->what[FD_NEED_HOME + 1], "");
}

static void note(int me)
{
    for (int n = 1; n <= 100; n++)
        fd_seen_bind_port((uint16_t)((n + me * 37) % 100 + 1));
    for (int n = 1; n <= 100; n++)
        fd_seen_bind_name((uint64_t)((n + me * 53) % 100) * 2 + 3);
    fd_seen_need(FD_NEED_TMP, me % 2 ? "/tmp/one" : "/tmp/two");
}

TEST(processes_share_the_tables)
{
    for (int round = 0; round < 20; round++) {
        struct fd_seen *seen = fresh();
        bool had[101] = {false};
        for (int i = 0; i < 4; i++)
            if (fork() == 0) {
                note(i);
                _exit(0);
            }
        while (wait(NULL) > 0)
            ;
        CHECK_EQ(seen->ports, 100);
        CHECK_EQ(seen->names, 100);
        for (int i = 0; i < 100; i++) {
            CHECK(seen->port[i] >= 1 && seen->port[i] <= 100 && !had[seen->port[i]]);
            had[seen->port[i]] = true;
        }
        CHECK(!strncmp(seen->what[FD_NEED_TMP], "/tmp/", 5));
        CHECK_EQ(strlen(seen->what[FD_NEED_TMP]), 8);
        CHECK(fd_seen_port_bound(100) && !fd_seen_port_bound(101));
        CHECK(fd_seen_name_bound(3) && !fd_seen_name_bound(999));
        munmap(fd_live.page, sizeof(struct fd_page));
    }
}

TEST(full_tables_stay_right)
{
    struct fd_seen *seen = fresh();
    fd_seen_bind_port(0);
    for (uint16_t n = 1000; n < 1000 + FD_PORTS + 9; n++)
        fd_seen_bind_port(n);
    CHECK_EQ(seen->ports, FD_PORTS);
    CHECK(fd_seen_port_bound(1000 + FD_PORTS - 1) && !fd_seen_port_bound(1000 + FD_PORTS));
    CHECK_EQ(seen->names, 0);
}

TEST(before_means_changed_before_the_trial)
{
    struct stat s;
    fresh();
    CHECK_EQ(lstat("/", &s), 0);
    fd_live.page->settings.newer_ns = s.st_ctim.tv_sec * INT64_C(1000000000) + s.st_ctim.tv_nsec;
    CHECK(!fd_seen_before(-100, "/"));
    fd_live.page->settings.newer_ns++;
    CHECK(fd_seen_before(-100, "/"));
    CHECK(!fd_seen_before(-100, "/nowhere/at/all"));
}
