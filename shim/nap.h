#ifndef FD_NAP_H
#define FD_NAP_H
/* A call that only waits for time to pass, whatever its name: sleeps, and polls of nothing. */
#include <stdbool.h>
#include <stdint.h>

struct fd_nap {
    bool on;
    int64_t since; /* of a sleep that a standing clock must follow, or 0 */
};

void fd_nap_begin(struct fd_nap *n, const char *hook);
bool fd_nap_skip(struct fd_nap *n, int64_t for_ns); /* true: it is over, the clocks have moved */
void fd_nap_end(const struct fd_nap *n, bool slept);

#endif
