#include "shim/live.h"
#include "shim/child_env.h"
#include "shim/device.h"
#include "shim/page.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/setting.h"
#include "shim/stream.h"
#include "shim/text.h"
#include "shim/window.h"
#include "shim/witness.h"
#include "shim/zone.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

struct fd_live fd_live;
__thread struct fd_thread fd_thread;
_Atomic int fd_state;

static uint64_t next_ordinal; /* of the child that a fork is about to make */

long fd_raw_result(long answer)
{
    if (answer > -4096 && answer < 0) {
        errno = (int)-answer;
        return -1;
    }
    return answer;
}

void fd_live_adopt(struct fd_page *page)
{
    const struct fd_settings *s = &page->settings;
    bool time = s->held >> FD_AXIS_TIME & 1;
    fd_live.page = page;
    fd_live.held = s->held;
    fd_live.time_mode = s->time_mode;
    fd_live.time_flow = s->time_flow;
    fd_live.witness = s->witness;
    fd_live.seed = s->rng_seed;
    fd_live.altered = time && (s->time_mode != FD_TIME_REAL || s->time_flow != FD_FLOW_RUN);
    fd_live.open = fd_live.inside = false;
    fd_live.node = 0;
    fd_live.children = 0;
    fd_live.window++;
    fd_live.epoch++;
    fd_live.pid = (int32_t)FD_SYS1(SYS_getpid, 0);
    __atomic_fetch_add(&page->attached, 1, __ATOMIC_ACQ_REL);
}

/* Ordinals under a page: the first process is 0, a child is named by its parent (FD_ORDINAL), and
 * one that came past the exec hooks takes a number that none of those has. */
static void number_process(char *const *envp)
{
    const char *told = fd_text_env(envp, FD_ENV_ORDINAL);
    char hex[20];
    struct fd_line l = {hex, sizeof hex, 0};
    fd_line_text(&l, "0x");
    fd_line_text(&l, told ? told : "");
    if (told && !fd_text_u64(hex, &fd_live.ordinal))
        return;
    uint32_t n = __atomic_fetch_add(&fd_live.page->processes, 1, __ATOMIC_ACQ_REL);
    fd_live.ordinal = n ? fd_mix(FD_MAGIC, n) : 0;
}

static int start(char *const *envp)
{
    static struct fd_by_hand more;
    struct fd_settings s = {.held = 0};
    const char *path = fd_text_env(envp, FD_ENV_PAGE);
    if (path) {
        fd_live_adopt(fd_page_map(path, FD_ENV_PAGE));
        number_process(envp);
    } else if (fd_setting_read(envp, &s, &more)) {
        struct fd_page *page = fd_page_own();
        page->settings = s;
        page->processes = 1;
        fd_live.by_hand = true;
        fd_live_adopt(page);
        fd_witness_log(more.log);
        fd_child_env_hashseed(more.hashseed);
    } else {
        return FD_STATE_OFF;
    }
    fd_window_at_start(envp);
    fd_device_inherited();
    return FD_STATE_ON;
}

int fd_live_start(void)
{
    int now = FD_STATE_NONE;
    if (!environ) /* so early that libc does not know its environment: ask again later */
        return FD_STATE_STARTING;
    if (!atomic_compare_exchange_strong(&fd_state, &now, FD_STATE_STARTING))
        return now;
    now = start(environ);
    atomic_store_explicit(&fd_state, now, memory_order_release);
    return now;
}

void fd_live_attach(const char *path)
{
    struct fd_page *page = fd_page_map(path, FD_ENV_CTL);
    fd_live_adopt(page);
    fd_live.by_hand = false;
    fd_live.ordinal = 0;
    fd_thread.ordinal = 0;
    __atomic_fetch_add(&page->processes, 1, __ATOMIC_ACQ_REL);
    if (page->settings.die_with_parent)
        prctl(PR_SET_PDEATHSIG, 9 /* SIGKILL */, 0, 0, 0);
    fd_window_at_start(NULL);
    fd_zone_hand_over();
    atomic_store_explicit(&fd_state, FD_STATE_ON, memory_order_release);
    REAL(setenv)(FD_ENV_PAGE, path, 1);
}

uint64_t fd_live_child_ordinal(void)
{
    uint32_t n = __atomic_add_fetch(&fd_live.children, 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&fd_live.page->processes, 1, __ATOMIC_ACQ_REL);
    return fd_mix(fd_live.ordinal + 1, n);
}

static void before_fork(void)
{
    if (fd_live_on())
        next_ordinal = fd_live_child_ordinal();
}

static void in_child(void)
{
    if (!fd_live_on())
        return;
    fd_live.ordinal = next_ordinal;
    fd_live.children = 0;
    fd_live.pid = (int32_t)FD_SYS1(SYS_getpid, 0);
    fd_live.epoch++;
    fd_live.window++;
    fd_thread.ordinal = 0;
}

void fd_thread_renew(void)
{
    static uint32_t strangers; /* threads that came past the pthread_create hook: by first touch */
    struct fd_thread *t = &fd_thread;
    if (!t->ordinal && FD_SYS1(SYS_gettid, 0) != fd_live.pid)
        t->ordinal = fd_mix(UINT64_MAX, __atomic_add_fetch(&strangers, 1, __ATOMIC_RELAXED));
    for (int door = 0; door < FD_DOOR_COUNT; door++)
        t->drawn[door] = 0;
    t->children = 0;
    t->window = fd_live.window;
}

void fd_thread_claim(void)
{
    uint32_t n = __atomic_fetch_add(&fd_live.page->slots, 1, __ATOMIC_ACQ_REL);
    fd_thread.slot = n < FD_SLOTS - 1 ? n : FD_SLOTS - 1;
    fd_thread.epoch = fd_live.epoch;
}

__attribute__((constructor)) static void loaded(void)
{
    fd_live_start();
    fd_real_resolve();
    fd_child_env_learn();
    pthread_atfork(before_fork, NULL, in_child);
}
