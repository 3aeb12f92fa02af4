#ifndef FD_RAW_H
#define FD_RAW_H
/* System calls without libc: no errno, no cancellation, nothing that could be interposed. They
 * return the kernel's answer, so -1 to -4095 is an error. Safe anywhere, also in a vfork child. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long fd_sys(long n, const long a[6])
{
#if defined(__x86_64__)
    long ret;
    register long r10 __asm__("r10") = a[3];
    register long r8 __asm__("r8") = a[4];
    register long r9 __asm__("r9") = a[5];
    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(n), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = n;
    register long x0 __asm__("x0") = a[0];
    register long x1 __asm__("x1") = a[1];
    register long x2 __asm__("x2") = a[2];
    register long x3 __asm__("x3") = a[3];
    register long x4 __asm__("x4") = a[4];
    register long x5 __asm__("x5") = a[5];
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#else
#error "libfd knows x86-64 and aarch64"
#endif
}

#define FD_SYS6(n, a, b, c, d, e, f) \
    fd_sys(n, (const long[6]){(long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)})
#define FD_SYS5(n, a, b, c, d, e) FD_SYS6(n, a, b, c, d, e, 0)
#define FD_SYS4(n, a, b, c, d) FD_SYS6(n, a, b, c, d, 0, 0)
#define FD_SYS3(n, a, b, c) FD_SYS6(n, a, b, c, 0, 0, 0)
#define FD_SYS2(n, a, b) FD_SYS6(n, a, b, 0, 0, 0, 0)
#define FD_SYS1(n, a) FD_SYS6(n, a, 0, 0, 0, 0, 0)

/* May the bytes be read? The kernel is asked, because a hook must not die of a pointer for which
 * the call it stands for returns EFAULT. */
bool fd_readable(const void *at, size_t n);

/* Turns the kernel's answer into libc's: -1 and errno. */
long fd_raw_result(long answer);

#endif
