#include "shim/pace.h"

static int64_t times(int64_t n, int64_t by)
{
    int64_t product;
    if (__builtin_mul_overflow(n, by, &product))
        return n < 0 ? INT64_MIN : INT64_MAX;
    return product;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static int64_t factor(void) /* in thousandths */
{
    uint32_t n = fd_live.page->settings.speed;
    return n ? n : FD_SPEED_AS_EVER;
}

#define UNIT ((int64_t)FD_SPEED_AS_EVER)

static int64_t lengthened(int64_t n)
{
    int64_t by = factor();
    return plus(times(n / UNIT, by), n % UNIT * by / UNIT);
}

static int64_t shared_up(int64_t n) /* its inverse, never less */
{
    int64_t by = factor();
    return plus(times(n / by, UNIT), (n % by * UNIT + by - 1) / by);
}

void fd_pace_open(int64_t real_ns, int64_t mono_ns)
{
    struct fd_page *p = fd_live.page;
    int64_t none = 0;
    if (!fd_live.paced)
        return;
    __atomic_compare_exchange_n(&p->pace_real_ns, &none, real_ns, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    none = 0;
    __atomic_compare_exchange_n(&p->pace_mono_ns, &none, mono_ns, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
}

/* How far the shown clocks are from where they were when all began; `gone` really passed. */
static int64_t fine_since(int64_t gone)
{
    const struct fd_page *p = fd_live.page;
    return plus(lengthened(gone), __atomic_load_n(&p->skipped_ns, __ATOMIC_ACQUIRE));
}

static int64_t shown_since(int64_t gone)
{
    int64_t step = fd_live.page->settings.coarse_ns, ns = fine_since(gone);
    return step ? ns - ns % step : ns;
}

int64_t fd_pace_mono(int64_t mono_ns)
{
    int64_t since = fd_live.page->pace_mono_ns;
    return mono_ns <= since ? mono_ns : since + shown_since(mono_ns - since);
}

int64_t fd_pace_now(void)
{
    int64_t mono = fd_clock_mono();
    return fd_pace_on() ? fd_pace_mono(mono) : mono;
}

int64_t fd_pace_real(void)
{
    const struct fd_page *p = fd_live.page;
    int64_t gone = fd_clock_mono() - p->pace_mono_ns;
    return p->pace_real_ns + shown_since(gone > 0 ? gone : 0);
}

bool fd_pace_has(clockid_t id)
{
    return id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW || id == CLOCK_MONOTONIC_COARSE ||
           id == CLOCK_BOOTTIME;
}

int64_t fd_pace_clock(clockid_t id, int64_t real_ns)
{
    if (id == CLOCK_MONOTONIC)
        return fd_pace_mono(real_ns);
    int64_t mono = fd_clock_mono();
    return real_ns + (fd_pace_mono(mono) - mono);
}

int64_t fd_pace_of_stamp(int64_t real_ns)
{
    const struct fd_page *p = fd_live.page;
    int64_t gone = real_ns - p->pace_real_ns;
    return gone <= 0 ? real_ns : plus(p->pace_real_ns, fine_since(gone));
}

int64_t fd_pace_to_stamp(int64_t shown_ns)
{
    const struct fd_page *p = fd_live.page;
    int64_t ahead = shown_ns - p->pace_real_ns - p->skipped_ns;
    return ahead <= 0 ? shown_ns : p->pace_real_ns + shared_up(ahead);
}

int64_t fd_pace_span(int64_t ns)
{
    return ns <= 0 ? ns : shared_up(ns);
}

int64_t fd_pace_span_back(int64_t ns)
{
    return ns <= 0 ? ns : lengthened(ns);
}

/* Of any clock of ours: how far it is to go, from now on that clock. */
int64_t fd_pace_deadline(clockid_t id, int64_t shown_ns)
{
    struct timespec now;
    int64_t since = fd_live.page->pace_mono_ns, moved = fd_live.page->skipped_ns;
    if (id == CLOCK_MONOTONIC) {
        int64_t ahead = shown_ns - since;
        if (ahead <= 0)
            return shown_ns;
        return since + (ahead > moved ? shared_up(ahead - moved) : 0);
    }
    fd_clock_kernel(id, &now);
    int64_t real = fd_ns(&now), left = plus(shown_ns, -fd_pace_clock(id, real));
    return plus(real, left > 0 ? shared_up(left) : left);
}
