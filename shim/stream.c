#include "shim/stream.h"
#include "shim/mix.h"

static uint64_t key(enum fd_door door, const struct fd_thread *t)
{
    uint64_t k = fd_mix(fd_live.seed, fd_live.node);
    k = fd_mix(k, (uint64_t)door + 1);
    k = fd_mix(k, fd_live.ordinal);
    return fd_mix(k, t->ordinal);
}

/* The counter moves before the first byte is written: a signal handler that draws in between
 * takes the next words, never the same ones. */
static uint64_t take(enum fd_door door, struct fd_thread *t, uint64_t words)
{
    return __atomic_fetch_add(&t->drawn[door], words, __ATOMIC_RELAXED);
}

void fd_stream_fill(enum fd_door door, void *buf, size_t n)
{
    struct fd_thread *t = fd_thread_now();
    unsigned char *to = buf;
    uint64_t at = key(door, t) + take(door, t, n / 8 + (n % 8 != 0)) * FD_GOLDEN;
    while (n) {
        uint64_t word = fd_finish(at += FD_GOLDEN);
        for (int i = 0; i < 8 && n; i++, n--, word >>= 8)
            *to++ = (unsigned char)word;
    }
}

uint64_t fd_stream_word(enum fd_door door)
{
    struct fd_thread *t = fd_thread_now();
    return fd_finish(key(door, t) + (take(door, t, 1) + 1) * FD_GOLDEN);
}
