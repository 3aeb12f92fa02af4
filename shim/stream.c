#include "shim/stream.h"

#define GOLDEN 0x9e3779b97f4a7c15u /* 2^64 / golden ratio: the step of SplitMix64 */

static uint64_t finish(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t fd_mix(uint64_t a, uint64_t b)
{
    return finish(finish(a + GOLDEN) ^ (b * 0xd1342543de82ef95u + GOLDEN));
}

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
    uint64_t at = key(door, t) + take(door, t, n / 8 + (n % 8 != 0)) * GOLDEN;
    while (n) {
        uint64_t word = finish(at += GOLDEN);
        for (int i = 0; i < 8 && n; i++, n--, word >>= 8)
            *to++ = (unsigned char)word;
    }
}

uint64_t fd_stream_word(enum fd_door door)
{
    struct fd_thread *t = fd_thread_now();
    return finish(key(door, t) + (take(door, t, 1) + 1) * GOLDEN);
}
