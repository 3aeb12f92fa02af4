#ifndef FD_NETWATCH_H
#define FD_NETWATCH_H
/* What a watched run needs of the network: the ports and abstract names that its processes bind,
 * and whether they reach others. Called while fd_watching(); errno is kept. */
#include "shim/address.h"
#include <sys/types.h>

void fd_netwatch_away(const struct fd_address *a);
void fd_netwatch_connected(int fd, const struct fd_address *a, int ret);
void fd_netwatch_sends(int fd, const struct fd_address *a); /* before */
void fd_netwatch_sent(const struct fd_address *a, ssize_t ret);
void fd_netwatch_bound(int fd);

#endif
