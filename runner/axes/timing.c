/* How fast the machine is, and where it stalls. Values are those of shim/timing.h, and "load:" with
 * a number of busy processes beside the trial. */
#include "axes/axis.h"

#include "shim/timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_MOST    64
#define THREADS_MOST 4 /* threads of which each is tried late alone */
#define SEEDS_MOST   6

/* What a loaded machine really shows, most likely cause first: a thread, a wake-up or a turn of an
 * event loop that comes late by the time slice of others, work that takes several times as long.
 * Nothing here is so slow that any test of time would break of it. `of`: the place it acts at, and
 * so in vain where the test never was; FD_STALL_COUNT: anywhere. */
enum { CLOCK = FD_STALL_COUNT + 1 };
static const struct {
    int of;
    const char *value;
} values[] = {
    {FD_STALL_THREAD, "delay:threads:100ms"},
    {FD_STALL_LOOP, "delay:loop:6ms"},
    {FD_STALL_WAKE, "delay:wakes:20ms"},
    {FD_STALL_COUNT, "speed:x10"},
    {FD_STALL_THREAD, "delay:threads:200ms"},
    {FD_STALL_WAKE, "delay:wakes:60ms"},
    {FD_STALL_LOOP, "delay:loop:20ms"},
    {FD_STALL_IO, "delay:io:60ms"},
    {FD_STALL_COUNT, "speed:x20"},
    {CLOCK, "coarse:16ms"},
    {FD_STALL_LOOP, "delay:loop:60ms"},
    {FD_STALL_WAKE, "delay:wakes:200ms"},
    {FD_STALL_IO, "delay:io:200ms"},
};
#define VALUES (sizeof values / sizeof *values)

static uint32_t seen_at(const struct axis_view *v, int of)
{
    const struct fd_seen *seen = v->watched;
    uint32_t n = 0;
    if (!seen || of == FD_STALL_COUNT)
        return 1;
    if (of == CLOCK)
        return seen->clock_reads || v->seen->clock_reads > 1;
    for (int i = 0; i < FD_STALL_COUNT; i++)
        n += i == of ? seen->stalled[i] : 0;
    return n;
}

/* The nth of the values that act where the test was seen, or *nth less as many as there are. */
static bool fixed(const struct axis_view *v, size_t *nth, char *ret_value)
{
    for (size_t i = 0; i < VALUES; i++) {
        if (!seen_at(v, values[i].of) || (*nth)-- > 0)
            continue;
        text_copy(ret_value, SETTING_VALUE_MAX, values[i].value);
        return true;
    }
    return false;
}

/* One thread late and the others not: their order is another one. */
static bool one_thread(const struct axis_view *v, size_t *nth, char *ret_value)
{
    static const int ms[] = {100, 200};
    uint32_t threads = seen_at(v, FD_STALL_THREAD);
    size_t n = threads < 2 ? 0 : threads < THREADS_MOST ? threads : THREADS_MOST;
    for (size_t i = 0; i < sizeof ms / sizeof *ms; i++) {
        if (*nth < n) {
            snprintf(ret_value, SETTING_VALUE_MAX, "delay:thread%zu:%dms", *nth + 1, ms[i]);
            return true;
        }
        *nth -= n;
    }
    return false;
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    static const int ms[SEEDS_MOST] = {20, 60, 200, 60, 200, 60};
    static const char *const machine[] = {"onecore", "load:4"};
    if (fixed(v, &nth, ret_value) || one_thread(v, &nth, ret_value))
        return true;
    if (nth < SEEDS_MOST) {
        snprintf(ret_value, SETTING_VALUE_MAX, "delay:%zu:%dms", nth + 1, ms[nth]);
        return true;
    }
    nth -= SEEDS_MOST;
    if (nth >= sizeof machine / sizeof *machine)
        return false;
    text_copy(ret_value, SETTING_VALUE_MAX, machine[nth]);
    return true;
}

/* As things are; where they are not good enough, because the machine is slow by nature, a machine
 * that is faster. */
static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    static const char *const passing[] = {"real", "speed:x0.2", "speed:x0.1"};
    (void)v;
    nth += failing && strcmp(failing, "real") == 0;
    if (!failing || nth >= sizeof passing / sizeof *passing)
        return false;
    text_copy(ret_value, SETTING_VALUE_MAX, passing[nth]);
    return true;
}

/* "load:4"; 0: it is none. */
static unsigned load_of(const char *value)
{
    char *end;
    if (!text_starts(value, "load:") || value[5] < '1' || value[5] > '9')
        return 0;
    unsigned long n = strtoul(value + 5, &end, 10);
    return *end || n > LOAD_MOST ? 0 : (unsigned)n;
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    unsigned load = load_of(value);
    if (load) {
        r->load = load;
        r->page.held |= axis_bit(FD_AXIS_TIMING);
        return 0;
    }
    if (fd_timing_parse(value, &r->page) < 0)
        return err_set(e, ERR_USAGE,
                       "timing=\"%s\" is not real, speed:x20, delay:threads:60ms, delay:7:200ms, "
                       "coarse:16ms, onecore or load:4",
                       value);
    return 0;
}

/* A load cannot be put into words in front of a command: such a finding is played again. */
static void command(const char *value, struct text *out)
{
    if (strcmp(value, "real") == 0)
        text_add(out, "FD_SPEED=x1 ");
    else if (text_starts(value, "speed:"))
        text_addf(out, "FD_SPEED=%s ", value + 6);
    else if (text_starts(value, "delay:"))
        text_addf(out, "FD_DELAY=%s ", value + 6);
    else if (text_starts(value, "coarse:"))
        text_addf(out, "FD_COARSE=%s ", value + 7);
    else if (strcmp(value, "onecore") == 0)
        text_add(out, "taskset -c 0 ");
}

static void stall_meaning(const struct fd_settings *s, struct text *out)
{
    static const char *const places[FD_STALL_COUNT] = {
        [FD_STALL_THREAD] = "every thread that is started begins its work",
        [FD_STALL_WAKE] = "whoever waited for a lock or slept goes on",
        [FD_STALL_LOOP] = "every turn of an event loop, every poll, ends",
        [FD_STALL_IO] = "every read from a pipe or a socket begins"};
    int64_t ms = s->stall_ns / 1000000;
    if (s->stall_seeded)
        text_addf(out,
                  "threads, wake-ups, event loops and reads come late by a drawn time of at most "
                  "%" PRId64 " ms",
                  ms);
    else if (s->stall_nth)
        text_addf(out, "thread number %u of those started begins its work %" PRId64 " ms late",
                  s->stall_nth, ms);
    for (int i = 0; i < FD_STALL_COUNT && !s->stall_seeded && !s->stall_nth; i++)
        if (s->stalls >> i & 1)
            text_addf(out, "%s %" PRId64 " ms late", places[i], ms);
}

static void meaning(const char *value, struct text *out)
{
    struct fd_settings s = {0};
    unsigned load = load_of(value);
    if (!load && (fd_timing_parse(value, &s) < 0 || strcmp(value, "real") == 0))
        return;
    text_addf(out, "With %s ", value);
    if (load)
        text_addf(out, "%u busy processes run beside the test", load);
    else if (s.speed)
        text_addf(out, "all work takes %g times as long, timeouts and sleeps do not",
                  s.speed / (double)FD_SPEED_AS_EVER);
    else if (s.coarse_ns)
        text_addf(out, "clocks move in steps of %" PRId64 " ms", s.coarse_ns / 1000000);
    else if (s.one_core)
        text_add(out, "all threads and processes share one core");
    stall_meaning(&s, out);
    text_addf(out, ": so it is on a machine with %s.",
              s.coarse_ns ? "a coarse timer" : "much else to do");
}

const struct axis axis_TIMING = {
    .catches = "timeouts that are too tight, sleeps instead of waiting, an order that is assumed",
    .held_by = "clocks and timeouts that run faster than the work, delays, load",
    .by_hand = "FD_SPEED, FD_DELAY, FD_COARSE, FD_SLEEP",
    .has_hook = true,
    .provoke = provoke,
    .benign = benign,
    .apply = apply,
    .command = command,
    .meaning = meaning,
    .needs_shim = true,
    .alone = true,
};
