#include "axes/axis.h"

uint64_t axes_mix(uint64_t seed, uint64_t salt)
{
    uint64_t z = seed + (salt + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
