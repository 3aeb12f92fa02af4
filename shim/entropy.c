/* The doors to the kernel's entropy that are functions. Contracts (flags, EFAULT, EINVAL, EIO) are
 * the kernel's own: it is asked for one byte, then the stream takes over. */
#include "shim/birth.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/stream.h"
#include "shim/syscall.h"
#include <errno.h>
#include <sys/random.h>

#define HASH_SECRET 24 /* bytes that CPython reads for its hash secret when it starts */
#define MOST 33554431  /* the kernel never hands out more in one call */

/* Belongs to the axis hashseed. os.urandom(24) may block, so it is never taken for it. */
static bool hash_secret(size_t n, unsigned int flags)
{
    static bool asked;
    return n == HASH_SECRET && flags == GRND_NONBLOCK &&
           !__atomic_exchange_n(&asked, true, __ATOMIC_RELAXED);
}

/* A child whose environment has no PYTHONHASHSEED, or who ignores it (python -I), asks for a
 * secret: it is given the one that PYTHONHASHSEED=seed stands for. CPython makes that with the
 * generator of Microsoft's C library, 0 stands for zeros (Python/bootstrap_hash.c). */
static ssize_t hash_secret_of(void *buf, unsigned int flags)
{
    long got = FD_SYS3(SYS_getrandom, buf, HASH_SECRET, flags);
    uint32_t x = (uint32_t)fd_live.page->settings.hash_seed;
    bool zero = x == 0;
    for (int i = 0; got == HASH_SECRET && i < HASH_SECRET; i++) {
        x = x * 214013 + 2531011;
        ((unsigned char *)buf)[i] = zero ? 0 : (unsigned char)(x >> 16);
    }
    return fd_raw_result(got);
}

/* Does the buffer end in another page than it begins? Then its end may be bad on its own. */
static bool other_page(const char *buf, size_t n)
{
    return ((uintptr_t)buf ^ (uintptr_t)(buf + n - 1)) >> 12;
}

static ssize_t draw(enum fd_door door, void *buf, size_t n, unsigned int flags)
{
    static const char *const names[] = {[FD_DOOR_GETRANDOM] = "getrandom",
                                        [FD_DOOR_SYSCALL] = "syscall"};
    bool on = fd_live_on();
    bool secret = hash_secret(n, flags);
    if (secret && on && fd_live_held(FD_AXIS_HASHSEED))
        return hash_secret_of(buf, flags);
    if (secret || !on)
        return fd_raw_result(FD_SYS3(SYS_getrandom, buf, n, flags));
    fd_touch(FD_AXIS_RNG, names[door]);
    ssize_t got;
    if (!fd_live_held(FD_AXIS_RNG) || !n) {
        got = fd_raw_result(FD_SYS3(SYS_getrandom, buf, n, flags));
    } else {
        n = n > MOST ? MOST : n;
        got = fd_raw_result(FD_SYS3(SYS_getrandom, buf, 1, flags));
        if (got == 1 && other_page(buf, n))
            got = fd_raw_result(FD_SYS3(SYS_getrandom, (char *)buf + n - 1, 1, flags));
        if (got == 1) {
            fd_stream_fill(door, buf, n);
            got = (ssize_t)n;
        }
    }
    fd_birth_remember(buf, got);
    return got;
}

FD_EXPORT ssize_t getrandom(void *buf, size_t n, unsigned int flags)
{
    return draw(FD_DOOR_GETRANDOM, buf, n, flags);
}

long fd_syscall_random(void *buf, unsigned long n, unsigned int flags)
{
    return draw(FD_DOOR_SYSCALL, buf, n, flags);
}

/* Real entropy without libc: arc4random_buf may not exist in it. */
static void fill_real(void *buf, size_t n)
{
    char *at = buf;
    while (n) {
        long got = FD_SYS3(SYS_getrandom, at, n, 0);
        if (got <= 0)
            continue; /* EINTR: nothing else can happen to a valid buffer */
        at += got;
        n -= (size_t)got;
    }
}

FD_EXPORT int getentropy(void *buf, size_t n)
{
    if (n > 256) {
        errno = EIO;
        return -1;
    }
    bool on = fd_live_on();
    if (on)
        fd_touch(FD_AXIS_RNG, "getentropy");
    if (!on || !fd_live_held(FD_AXIS_RNG)) {
        char *at = buf;
        for (size_t left = n; left;) {
            long got = FD_SYS3(SYS_getrandom, at, left, 0);
            if (got == -EINTR)
                continue;
            if (got < 0)
                return (int)fd_raw_result(got);
            at += got;
            left -= (size_t)got;
        }
        return 0;
    }
    fd_stream_fill(FD_DOOR_GETENTROPY, buf, n);
    return 0;
}

static void arc4(void *buf, size_t n)
{
    bool on = fd_live_on();
    if (on)
        fd_touch(FD_AXIS_RNG, "arc4random");
    if (on && fd_live_held(FD_AXIS_RNG))
        fd_stream_fill(FD_DOOR_ARC4RANDOM, buf, n);
    else if (REAL(arc4random_buf))
        real_arc4random_buf(buf, n);
    else
        fill_real(buf, n);
}

FD_EXPORT uint32_t arc4random(void)
{
    uint32_t n;
    arc4(&n, sizeof n);
    return n;
}

FD_EXPORT void arc4random_buf(void *buf, size_t n)
{
    arc4(buf, n);
}

/* Without bias: values below 2^32 mod `below` are drawn again. */
FD_EXPORT uint32_t arc4random_uniform(uint32_t below)
{
    uint32_t n, least = below > 1 ? (0u - below) % below : 0;
    if (below < 2)
        return 0;
    do
        arc4(&n, sizeof n);
    while (n < least);
    return n % below;
}
