#ifndef FD_COND_H
#define FD_COND_H
#include <pthread.h>
#include <time.h>

/* The clock of a condition variable, which its deadlines are meant on. */
clockid_t fd_cond_clock(const pthread_cond_t *c, const struct timespec *deadline);

#endif
