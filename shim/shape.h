#ifndef FD_SHAPE_H
#define FD_SHAPE_H
/* How data comes in over a stream socket (TCP, AF_UNIX; also within this machine): in how large
 * pieces, how late, and whether it goes on. Only inside the test's window. A correct reader does
 * not notice any of it but the reset. */
#include <sys/types.h>
#include <sys/uio.h>
#include "shim/live.h"

/* Could it matter how this descriptor is read and written? */
static inline bool fd_shape_on(void)
{
    return fd_live_on() && fd_live.open &&
           (__builtin_expect(fd_live_net() >= FD_NET_DELAY, 0) ||
            __builtin_expect(fd_live.page->settings.watch | fd_live.witness, 0));
}

struct fd_shape { /* one call under way */
    int fd, flags;
    bool stream;  /* nothing to be done, if not */
    size_t asked; /* bytes */
    struct fd_flow *flow;
};

/* Before a receive of s->asked bytes: s->asked is what it may ask for. False: it ends here, with
 * errno. */
bool fd_shape_receives(struct fd_shape *s);
void fd_shape_received(const struct fd_shape *s, ssize_t ret, const char *hook);

/* Around a send of s->asked bytes. */
void fd_shape_sends(struct fd_shape *s);
void fd_shape_sent(const struct fd_shape *s, ssize_t ret);

/* Bytes in the n pieces of v; 0 for what the call itself refuses. */
size_t fd_shape_length(const struct iovec *v, int n);

#endif
