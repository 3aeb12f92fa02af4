#ifndef FD_ALLOW_H
#define FD_ALLOW_H
/* FD_NET_ALLOW: what a blocked network still reaches.
 *
 *   list  = entry { "," entry }
 *   entry = host [ ":" port ]
 *   host  = name | "*." name | IPv4 [ "/" bits ] | IPv6 [ "/" bits ], in [brackets] before a port
 *
 * A name may be looked up, and what it was found to be may be reached by this process and those
 * it forks. Set once, before the first hook asks; learning is lock-free and bounded. */
#include <stdbool.h>
#include <stdint.h>

/* Returns NULL, or the entry that cannot be used, in a buffer of its own. */
const char *fd_allow_read(const char *text);

bool fd_allow_ip(const unsigned char ip[16], uint16_t port);
bool fd_allow_name(const char *name);
bool fd_allow_has_names(void);

/* `name` was found to be `ip`. */
void fd_allow_learn(const char *name, const unsigned char ip[16]);

#endif
