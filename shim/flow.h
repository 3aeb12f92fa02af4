#ifndef FD_FLOW_H
#define FD_FLOW_H
/* Where the sends of a stream ended, kept on the page for whoever receives them: the kernel glues
 * together what waits to be received. Both ends must be processes of the trial. */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "shim/wire.h"

/* The direction that is sent to, or received from, by the stream socket `fd`. NULL: not known, or
 * no room. */
struct fd_flow *fd_flow_out(int fd);
struct fd_flow *fd_flow_in(int fd);

void fd_flow_sends(struct fd_flow *f, size_t n);
void fd_flow_sent(struct fd_flow *f, size_t n, ssize_t ret);

/* How many of n bytes belong to the send that is to be received next; n if nothing is known. */
size_t fd_flow_most(const struct fd_flow *f, size_t n);
void fd_flow_received(struct fd_flow *f, size_t n);

#endif
