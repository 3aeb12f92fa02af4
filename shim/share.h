#ifndef FD_SHARE_H
#define FD_SHARE_H
/* What a second copy of the test would use too: files that it makes, changes or takes away outside
 * of its own temporary folder, fixed ports. Counted for the axis `workers`, under a page only. Safe
 * in a signal handler and in a vfork child; errno is kept. */
#include "shim/live.h"
#include <sys/socket.h>

void fd_share_path_look(int at, const char *path, const char *hook);
void fd_share_bound(const struct sockaddr *sa, socklen_t len);

static inline bool fd_share_counts(void)
{
    return fd_live_on() && (fd_live.open || fd_live.inside);
}

/* A path at which something is about to change. */
static inline void fd_share_path(int at, const char *path, const char *hook)
{
    if (fd_share_counts() && path)
        fd_share_path_look(at, path, hook);
}

#endif
