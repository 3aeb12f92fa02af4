#include "shim/timing.h"
#include "shim/instant.h"
#include "shim/text.h"

#define SPEED_MOST 1000
#define SPEED_UNIT 1000 /* what is told of a fraction: a thousandth */
#define DELAY_MOST INT64_C(10000000000)
#define COARSE_MOST INT64_C(1000000000)

static int held(struct fd_settings *s)
{
    s->held |= 1u << FD_AXIS_TIMING;
    return 0;
}

/* "x20", "x0.25": thousandths in *ret. */
static bool factor(const char *text, uint64_t *ret)
{
    char whole[8];
    size_t n = 0;
    uint64_t unit = SPEED_UNIT;
    for (; text[n] && text[n] != '.' && n + 1 < sizeof whole; n++)
        whole[n] = text[n];
    whole[n] = 0;
    if (whole[0] == '0' && n > 1)
        return false;
    if (fd_text_u64(whole, ret) || *ret > SPEED_MOST)
        return false;
    *ret *= SPEED_UNIT;
    text += n;
    if (*text == '.' && !*++text)
        return false;
    for (; *text >= '0' && *text <= '9' && unit > 1; text++)
        *ret += (uint64_t)(*text - '0') * (unit /= 10);
    return !*text && *ret <= SPEED_MOST * SPEED_UNIT;
}

int fd_speed_parse(const char *text, struct fd_settings *s)
{
    uint64_t n;
    if (*text != 'x' || !factor(text + 1, &n) || n < FD_SPEED_LEAST)
        return -1;
    s->speed = (uint32_t)n;
    return held(s);
}

int fd_sleep_parse(const char *text, struct fd_settings *s)
{
    if (!fd_text_equal(text, "real") && !fd_text_equal(text, "skip"))
        return -1;
    s->skip_sleeps = fd_text_equal(text, "skip");
    return held(s);
}

int fd_coarse_parse(const char *text, struct fd_settings *s)
{
    int64_t ns;
    if (fd_span_parse(text, &ns) || ns < 1 || ns > COARSE_MOST)
        return -1;
    s->coarse_ns = ns;
    return held(s);
}

/* The word before the colon: which places, of the threads which one. */
static bool where(const char *word, struct fd_settings *s)
{
    static const char *const words[FD_STALL_COUNT] = {[FD_STALL_THREAD] = "threads",
                                                      [FD_STALL_WAKE] = "wakes",
                                                      [FD_STALL_LOOP] = "loop",
                                                      [FD_STALL_IO] = "io"};
    uint64_t n;
    s->stall_nth = s->stall_seeded = 0;
    s->stall_seed = 0;
    for (unsigned int i = 0; i < FD_STALL_COUNT; i++)
        if (fd_text_equal(word, words[i])) {
            s->stalls = 1u << i;
            return true;
        }
    if (fd_text_starts(word, "thread") && !fd_text_u64(word + 6, &n) && n > 0 && n <= UINT32_MAX) {
        s->stalls = 1u << FD_STALL_THREAD;
        s->stall_nth = (uint32_t)n;
        return true;
    }
    s->stalls = FD_STALLS_ALL;
    s->stall_seeded = 1;
    return !fd_text_u64(word, &s->stall_seed);
}

int fd_delay_parse(const char *text, struct fd_settings *s)
{
    struct fd_settings new = *s;
    char word[24];
    size_t n = 0;
    for (; text[n] && text[n] != ':' && n + 1 < sizeof word; n++)
        word[n] = text[n];
    word[n] = 0;
    if (text[n] != ':' || !where(word, &new) || fd_span_parse(text + n + 1, &new.stall_ns) ||
        new.stall_ns < 1 || new.stall_ns > DELAY_MOST)
        return -1;
    *s = new;
    return held(s);
}

int fd_timing_parse(const char *text, struct fd_settings *s)
{
    if (fd_text_equal(text, "real"))
        return held(s);
    if (fd_text_equal(text, "onecore")) {
        s->one_core = 1;
        return held(s);
    }
    if (fd_text_starts(text, "speed:"))
        return fd_speed_parse(text + 6, s);
    if (fd_text_starts(text, "delay:"))
        return fd_delay_parse(text + 6, s);
    if (fd_text_starts(text, "coarse:"))
        return fd_coarse_parse(text + 7, s);
    return -1;
}
