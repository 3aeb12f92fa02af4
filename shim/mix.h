#ifndef FD_MIX_H
#define FD_MIX_H
/* Mixing for streams and ordinals: SplitMix64's finisher. The results are part of what a seed
 * means: a change here changes every recorded failure. */
#include <stdint.h>

#define FD_GOLDEN 0x9e3779b97f4a7c15u /* 2^64 / golden ratio: the step between a stream's words */

static inline uint64_t fd_finish(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A keyed child of a: different for every b. */
static inline uint64_t fd_mix(uint64_t a, uint64_t b)
{
    return fd_finish(fd_finish(a + FD_GOLDEN) ^ (b * 0xd1342543de82ef95u + FD_GOLDEN));
}

#endif
