#ifndef FD_LIMITS_H
#define FD_LIMITS_H
/* The limits that are held: of open files, memory and stack by setrlimit, soft; the number of
 * processors only in what a program is told, since one of them would also be a slower machine. */

void fd_limits_start(void); /* in the constructor of each process */

#endif
