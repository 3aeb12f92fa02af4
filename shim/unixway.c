#include "shim/unixway.h"
#include "shim/address.h"
#include "shim/text.h"
#include "shim/way.h"
#include <errno.h>
#include <stddef.h>

/* noinline: the buffers are on the stack only while they are needed. */
__attribute__((noinline)) static const struct sockaddr *
translated(const struct sockaddr *sa, socklen_t *len, struct sockaddr_un *room)
{
    struct fd_address a;
    char said[sizeof room->sun_path + 1], buf[FD_WAY_ROOM];
    if (!fd_address_read(&a, sa, *len) || a.where != FD_SOCKET || a.path_len >= sizeof said)
        return sa;
    fd_copy(said, a.path, a.path_len);
    said[a.path_len] = 0;
    const char *path = fd_path_real(said, buf, sizeof buf);
    if (path == said)
        return sa;
    size_t n = path ? fd_text_len(path) + 1 : sizeof room->sun_path + 1;
    if (n > sizeof room->sun_path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    room->sun_family = AF_UNIX;
    fd_copy(room->sun_path, path, n);
    *len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    return (const struct sockaddr *)room;
}

const struct sockaddr *fd_unix_way(const struct sockaddr *sa, socklen_t *len,
                                   struct sockaddr_un *room)
{
    return fd_way_translates() && sa ? translated(sa, len, room) : sa;
}
