#ifndef FR_STATS_RANDOM_H
#define FR_STATS_RANDOM_H
/* Random numbers that a seed fixes for good: the same on every machine, and part of what a seed in
 * a report promises, so neither the generator nor the order of its draws may change.
 *
 * xoshiro256** (D. Blackman & S. Vigna, ACM Trans. Math. Softw. 47 (2021) 36), its four words
 * filled by SplitMix64 (G. Steele, D. Lea & C. Flood, OOPSLA 2014) from the seed.  Not for secrets.
 * One generator per thread; different ones are independent. */
#include <stdint.h>

struct rng {
    uint64_t s[4];
};

static inline struct rng rng_of(uint64_t seed)
{
    struct rng r;

    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        r.s[i] = z ^ (z >> 31);
    }
    return r;
}

static inline uint64_t rng_rotated(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

/* All 2^64 values alike. */
static inline uint64_t rng_next(struct rng *r)
{
    uint64_t ret = rng_rotated(r->s[1] * 5, 7) * 9;
    uint64_t t = r->s[1] << 17;

    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = rng_rotated(r->s[3], 45);
    return ret;
}

/* In [0, 1): a whole multiple of 2^-53. */
static inline double rng_uniform(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

#endif
