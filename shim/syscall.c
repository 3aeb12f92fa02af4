/* syscall(): assembler, so that every number we do not know passes with its six arguments untouched
 * and a few compares dearer than in libc. The known ones jump to C. */
#include "shim/syscall.h"
#include "shim/clock.h"
#include "shim/live.h"
#include "shim/pace.h"
#include "shim/raw.h"
#include "shim/real.h"
#include <errno.h>
#include <linux/futex.h>

#ifndef FUTEX_LOCK_PI2 /* Linux 5.14 */
#define FUTEX_LOCK_PI2 13
#endif

__attribute__((used)) long fd_syscall_hook(long n, long a, long b, long c, long d, long e, long f);
__attribute__((used)) long fd_syscall_error(long number);

#if defined(__x86_64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    cmp $228, %edi\n" /* clock_gettime */
        "    je fd_syscall_hook\n"
        "    cmp $318, %edi\n" /* getrandom */
        "    je fd_syscall_hook\n"
        "    cmp $96, %edi\n" /* gettimeofday */
        "    je fd_syscall_hook\n"
        "    cmp $201, %edi\n" /* time */
        "    je fd_syscall_hook\n"
        "    cmp $202, %edi\n" /* futex */
        "    je fd_syscall_hook\n"
        "    cmp $230, %edi\n" /* clock_nanosleep */
        "    je fd_syscall_hook\n"
        "    cmp $42, %edi\n" /* connect */
        "    je fd_syscall_hook\n"
        "    cmp $44, %edi\n" /* sendto */
        "    je fd_syscall_hook\n"
        "    cmp $46, %edi\n" /* sendmsg */
        "    je fd_syscall_hook\n"
        "    cmp $307, %edi\n" /* sendmmsg */
        "    je fd_syscall_hook\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "    cmp $-4095, %rax\n"
        "    jae 1f\n"
        "    ret\n"
        "1:  neg %rax\n"
        "    mov %rax, %rdi\n"
        "    jmp fd_syscall_error\n"
        ".cfi_endproc\n"
        ".size syscall, .-syscall\n");
_Static_assert(SYS_clock_gettime == 228 && SYS_getrandom == 318 && SYS_gettimeofday == 96 &&
                   SYS_time == 201 && SYS_clock_nanosleep == 230 && SYS_futex == 202,
               "numbers in the assembler");
_Static_assert(SYS_connect == 42 && SYS_sendto == 44 && SYS_sendmsg == 46 && SYS_sendmmsg == 307,
               "numbers in the assembler");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl syscall\n"
        ".type syscall, %function\n"
        "syscall:\n"
        ".cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    cmp w0, #113\n" /* clock_gettime */
        "    b.eq fd_syscall_hook\n"
        "    cmp w0, #278\n" /* getrandom */
        "    b.eq fd_syscall_hook\n"
        "    cmp w0, #169\n" /* gettimeofday */
        "    b.eq fd_syscall_hook\n"
        "    cmp w0, #98\n" /* futex */
        "    b.eq fd_syscall_hook\n"
        "    cmp w0, #115\n" /* clock_nanosleep */
        "    b.eq fd_syscall_hook\n"
        "    cmp w0, #203\n" /* connect */
        "    b.eq fd_syscall_hook\n"
        "    cmp w0, #206\n" /* sendto */
        "    b.eq fd_syscall_hook\n"
        "    cmp w0, #211\n" /* sendmsg */
        "    b.eq fd_syscall_hook\n"
        "    cmp w0, #269\n" /* sendmmsg */
        "    b.eq fd_syscall_hook\n"
        "    uxtw x8, w0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    mov x4, x5\n"
        "    mov x5, x6\n"
        "    svc #0\n"
        "    cmn x0, #4095\n"
        "    b.cs 1f\n"
        "    ret\n"
        "1:  neg x0, x0\n"
        "    b fd_syscall_error\n"
        ".cfi_endproc\n"
        ".size syscall, .-syscall\n");
_Static_assert(SYS_clock_gettime == 113 && SYS_getrandom == 278 && SYS_gettimeofday == 169 &&
                   SYS_clock_nanosleep == 115 && SYS_futex == 98, "numbers in the assembler");
_Static_assert(SYS_connect == 203 && SYS_sendto == 206 && SYS_sendmsg == 211 && SYS_sendmmsg == 269,
               "numbers in the assembler");
#endif

long fd_syscall_error(long number)
{
    errno = (int)number;
    return -1;
}

/* The locks of Rust and libstdc++. FUTEX_WAIT counts from now, the others to an instant. */
static long futex(const long a[6])
{
    int op = (int)a[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    bool from_now = op == FUTEX_WAIT, until = op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI ||
                                              op == FUTEX_LOCK_PI2 || op == FUTEX_WAIT_REQUEUE_PI;
    const struct timespec *t = (const struct timespec *)a[3];
    if (!(from_now || until) || !t || !fd_live_on() || !fd_live.altered ||
        !fd_readable(t, sizeof *t) || t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec > 999999999)
        return fd_sys(SYS_futex, a);
    bool wall = op == FUTEX_LOCK_PI || ((int)a[1] & FUTEX_CLOCK_REALTIME && until);
    struct timespec room = *t;
    if (until && wall)
        room = fd_timespec(fd_clock_deadline(fd_ns(t)));
    else if (fd_pace_on())
        room = fd_timespec(until ? fd_pace_deadline(CLOCK_MONOTONIC, fd_ns(t))
                                 : fd_pace_span(fd_ns(t)));
    return fd_sys(SYS_futex, (const long[6]){a[0], a[1], a[2], (long)&room, a[4], a[5]});
}

/* Jumped to with the caller's arguments as they stand, the seventh on its stack. */
long fd_syscall_hook(long n, long a, long b, long c, long d, long e, long f)
{
    switch ((int)n) {
    case SYS_getrandom:
        return fd_syscall_random((void *)a, (unsigned long)b, (unsigned int)c);
    case SYS_futex:
        return fd_raw_result(futex((const long[6]){a, b, c, d, e, f}));
    case SYS_clock_nanosleep: {
        int err = clock_nanosleep((clockid_t)a, (int)b, (const struct timespec *)c,
                                  (struct timespec *)d);
        return err ? fd_syscall_error(err) : 0;
    }
    case SYS_connect:
        return connect((int)a, (const struct sockaddr *)b, (socklen_t)c);
    case SYS_sendto:
        return sendto((int)a, (const void *)b, (size_t)c, (int)d, (const struct sockaddr *)e,
                      (socklen_t)f);
    case SYS_sendmsg:
        return sendmsg((int)a, (const struct msghdr *)b, (int)c);
    case SYS_sendmmsg:
        return sendmmsg((int)a, (struct mmsghdr *)b, (unsigned int)c, (int)d);
    default:
        return fd_syscall_clock((int)n, a, b);
    }
}
