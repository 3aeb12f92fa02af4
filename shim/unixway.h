#ifndef FD_UNIXWAY_H
#define FD_UNIXWAY_H
#include <sys/socket.h>
#include <sys/un.h>

/* The way that the path of an AF_UNIX address takes (way.h): the address itself where nothing is
 * translated, else one in `room` with its length in *len; NULL with ENAMETOOLONG where the path
 * does not fit in one. Safe in a signal handler. */
const struct sockaddr *fd_unix_way(const struct sockaddr *sa, socklen_t *len,
                                   struct sockaddr_un *room);

#endif
