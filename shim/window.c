#include "shim/window.h"
#include "shim/clock.h"
#include "shim/collector.h"
#include "shim/heap.h"
#include "shim/live.h"
#include "shim/python.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <fcntl.h>

#define SLACK 2000000000LL /* file systems stamp in whole seconds, some in two */

uint64_t fd_window_node(const char *text)
{
    size_t end = fd_text_len(text), n = end;
    for (size_t i = end; i-- > 1;)
        if (text[i] == '(' && text[i - 1] == ' ') {
            n = i - 1;
            break;
        }
    return fd_text_hash(text, n);
}

static void note_sums(struct fd_page *p)
{
    for (int axis = 0; axis < FD_AXIS_COUNT; axis++) {
        uint64_t sum = 0;
        for (int i = 0; i < FD_SLOTS; i++)
            sum += __atomic_load_n(&p->slot[i].touched[axis], __ATOMIC_RELAXED);
        __atomic_store_n(&p->at_open[axis], sum, __ATOMIC_RELAXED);
    }
}

void fd_window_open(uint64_t node)
{
    struct fd_page *p = fd_live.page;
    note_sums(p);
    p->window_node = fd_live.node = node;
    fd_live.window++;
    fd_live.children = 0;
    p->stall_threads = 0;
    p->stalled_ns = 0;
    fd_clock_open(fd_clock_real(), fd_clock_mono());
    fd_live.open = true;
    fd_heap_window();
    __atomic_fetch_add(&p->windows, 1, __ATOMIC_ACQ_REL);
}

static uint64_t running; /* the test between its setup and its teardown, or 0 */

/* The phase is the last word: "tests/test_a.py::test_b (setup)". A test that runs pytest inside
 * itself announces other tests in between; only the outer one's window counts, until its own
 * teardown. */
void fd_window_announced(const char *value)
{
    size_t len = fd_text_len(value);
    uint64_t node = fd_window_node(value);
    if (fd_live.inside)
        return;
    if (fd_text_ends(value, len, " (setup)") && (!running || running == node)) {
        running = node;
        fd_live.node = node;
        fd_live.window++; /* its streams seed the generators; then they start once more */
        fd_python_seed();
        fd_collector_start();
        fd_window_open(node);
        fd_python_witness();
    } else if (fd_text_ends(value, len, " (call)") && running == node) {
        fd_heap_window(); /* between setup and call a plugin reports, each in its own way */
    } else if (fd_text_ends(value, len, " (teardown)") && running == node) {
        running = 0;
    }
}

/* "pytest", "py.test", "pytest-3.11" or "-mpytest", as a whole argument or after its last slash */
static bool names_pytest(const char *arg)
{
    const char *base = fd_text_base(arg);
    base += fd_text_starts(base, "-m") ? 2 : 0;
    if (fd_text_starts(base, "py.test"))
        base += 7;
    else if (fd_text_starts(base, "pytest"))
        base += 6;
    else
        return false;
    while ((*base >= '0' && *base <= '9') || *base == '.' || *base == '-')
        base++;
    return !*base || fd_text_ends(arg, fd_text_len(arg), "/pytest/__main__.py");
}

static bool argv_is_pytest(void)
{
    char buf[2048]; /* the word stands near the front: python -X dev -m pytest */
    long fd = FD_SYS4(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    long n = FD_SYS3(SYS_read, fd, buf, sizeof buf - 1);
    (void)FD_SYS1(SYS_close, fd);
    if (n <= 0)
        return false;
    buf[n] = 0;
    for (long i = 0; i < n; i += (long)fd_text_len(buf + i) + 1)
        if (names_pytest(buf + i))
            return true;
    return false;
}

static void join(bool inside)
{
    fd_live.inside = inside;
    fd_live.node = fd_live.page->window_node;
    fd_clock_join();
    fd_live.open = true;
}

/* FD_SINCE, written by the parent's exec hook while its window was open; NODE is 0 if no test
 * opened it. */
static bool since(const char *text, uint64_t ret[4])
{
    for (int i = 0; i < 4; i++) {
        char number[24];
        size_t n = 0;
        for (; *text && *text != '/' && n + 1 < sizeof number; text++)
            number[n++] = *text;
        number[n] = 0;
        if (fd_text_u64(number, &ret[i]) || *text != (i < 3 ? '/' : 0))
            return false;
        text += i < 3;
    }
    return true;
}

static void start_by_hand(char *const *envp)
{
    struct fd_page *p = fd_live.page;
    const char *text = fd_text_env(envp, FD_ENV_SINCE);
    uint64_t at[4];
    bool told = text && since(text, at), inside = told && at[3];
    fd_live.birth_ns = fd_clock_real();
    fd_live.newer_ns = told ? (int64_t)at[2] : fd_live.birth_ns - SLACK;
    fd_live.pytest = !inside && argv_is_pytest();
    if (fd_live.pytest)
        return;
    if (!told) {
        fd_window_open(0);
        return;
    }
    p->window_mono_ns = (int64_t)at[0];
    p->window_real_ns = (int64_t)at[1];
    p->window_node = at[3];
    p->windows = 1;
    join(inside);
}

void fd_window_at_start(char *const *envp)
{
    struct fd_page *p = fd_live.page;
    const char *test = envp ? fd_text_env(envp, FD_ENV_CURRENT_TEST) : NULL;
    int64_t none = 0;
    if (fd_live.by_hand) {
        start_by_hand(envp);
        return;
    }
    running = 0;
    fd_live.pytest = p->settings.pytest;
    fd_live.newer_ns = p->settings.newer_ns;
    __atomic_compare_exchange_n(&p->birth_real_ns, &none, fd_clock_real(), false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    fd_live.birth_ns = p->birth_real_ns;
    bool child = envp && fd_text_env(envp, FD_ENV_ORDINAL);
    if (__atomic_load_n(&p->windows, __ATOMIC_ACQUIRE))
        join(test || (child && p->window_node));
    else if (!fd_live.pytest)
        fd_window_open(0);
}
