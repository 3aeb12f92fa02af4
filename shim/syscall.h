#ifndef FD_SYSCALL_H
#define FD_SYSCALL_H
/* What syscall() does differently for the numbers that read a held clock or entropy. */
long fd_syscall_clock(long n, long a, long b);
long fd_syscall_random(void *buf, unsigned long n, unsigned int flags);
#endif
