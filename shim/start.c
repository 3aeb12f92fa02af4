#include "shim/start.h"
#include "shim/allow.h"
#include "shim/child_env.h"
#include "shim/device.h"
#include "shim/heap.h"
#include "shim/hosts.h"
#include "shim/late.h"
#include "shim/limits.h"
#include "shim/live.h"
#include "shim/mix.h"
#include "shim/page.h"
#include "shim/path_start.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/setting.h"
#include "shim/text.h"
#include "shim/window.h"
#include "shim/witness.h"
#include "shim/zone.h"
#include <sys/prctl.h>
#include <unistd.h>

static struct fd_by_hand more;

#define MOST_ARGS 10000000 /* beyond it, this is not where argc stands */

extern void *__libc_stack_end __attribute__((weak));
/* pthread_atfork itself is not in every libc.so; we are never unloaded, so no handle */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);

static uint64_t next_ordinal; /* of the child that a fork is about to make */

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

/* On the first core that is ours: what stands in line for it is then more than it can serve. */
static void hold_core(void)
{
    unsigned char mask[1024];
    if (!fd_live_held(FD_AXIS_TIMING) || !fd_live.page->settings.one_core)
        return;
    long n = FD_SYS3(SYS_sched_getaffinity, 0, sizeof mask, mask);
    for (long i = 0, found = 0; i < n; i++) {
        unsigned char lowest = (unsigned char)(mask[i] & -mask[i]);
        mask[i] = found ? 0 : lowest;
        found |= lowest;
    }
    if (n > 0)
        (void)FD_SYS3(SYS_sched_setaffinity, 0, n, mask);
}

static int start(char *const *envp)
{
    struct fd_settings s = {.held = 0};
    const char *path = fd_text_env(envp, FD_ENV_PAGE);
    fd_path_remember(envp);
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
    } else {
        return FD_STATE_OFF;
    }
    hold_core();
    fd_window_at_start(envp);
    fd_path_start(envp, more.map);
    if (fd_live_held(FD_AXIS_RNG) && fd_device_inherited())
        fd_live.page->device_opened = 1;
    return FD_STATE_ON;
}

/* Preinit functions of the program run before libc knows its environment; the kernel put it
 * behind argv on the initial stack, which ld.so remembers. */
static char **environment(void)
{
    if (environ || !&__libc_stack_end || !__libc_stack_end)
        return environ;
    long *argc = __libc_stack_end;
    return *argc > 0 && *argc < MOST_ARGS ? (char **)(argc + 1) + *argc + 1 : NULL;
}

int fd_live_start(void)
{
    int now = FD_STATE_NONE;
    char **envp = environment();
    if (!envp)
        return FD_STATE_STARTING;
    if (!atomic_compare_exchange_strong(&fd_state, &now, FD_STATE_STARTING))
        return now;
    now = start(envp);
    atomic_store_explicit(&fd_state, now, memory_order_release);
    return now;
}

/* An allowed name needs the servers; the others then depend on the hooks alone. */
static void narrow_lookups(void)
{
    if (fd_live_on() && fd_live_blocked() && !fd_allow_has_names())
        fd_hosts_only_files();
}

void fd_start_attach(const char *path)
{
    struct fd_page *page = fd_page_map(path, FD_ENV_CTL);
    fd_live_adopt(page);
    fd_live.by_hand = false;
    fd_live.ordinal = 0;
    fd_thread.ordinal = 0;
    __atomic_fetch_add(&page->processes, 1, __ATOMIC_ACQ_REL);
    if (page->settings.die_with_parent)
        prctl(PR_SET_PDEATHSIG, 9 /* SIGKILL */, 0, 0, 0);
    hold_core();
    fd_window_at_start(NULL);
    fd_path_start(NULL, NULL);
    fd_zone_hand_over(page);
    atomic_store_explicit(&fd_state, FD_STATE_ON, memory_order_release);
    REAL(setenv)(FD_ENV_PAGE, path, 1);
    narrow_lookups();
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

__attribute__((constructor)) static void loaded(void)
{
    fd_live_start();
    fd_real_resolve();
    fd_child_env_learn();
    fd_child_env_hashseed(more.hashseed);
    fd_child_env_put(more.put);
    narrow_lookups();
    if (fd_live_on()) {
        fd_late_look_up();
        fd_heap_start();
        fd_limits_start();
    }
    __register_atfork(before_fork, NULL, in_child, NULL);
}
