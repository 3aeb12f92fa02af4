#ifndef FD_ADDRESS_H
#define FD_ADDRESS_H
/* Where a socket address leads. IPv4 is kept as IPv6 does, ::ffff:a.b.c.d, so that there is one
 * kind of address to compare. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include "shim/text.h"

enum fd_where {
    FD_ELSEWHERE, /* of no interest: netlink, AF_UNSPEC, a family that never leaves */
    FD_HERE,      /* loopback or "any": this machine, also with no network but lo */
    FD_AWAY,      /* through another interface, also if it is our own; or to who asks further */
    FD_SOCKET,    /* AF_UNIX, a path */
    FD_ABSTRACT,  /* AF_UNIX, an abstract name */
};

struct fd_address {
    enum fd_where where;
    int family;
    uint16_t port;
    uint32_t scope;       /* interface: IPv6 and AF_PACKET; context: AF_VSOCK */
    unsigned char ip[16]; /* IPv4 and IPv6 */
    const char *path;     /* AF_UNIX, within the caller's struct; may lack the NUL */
    size_t path_len;
};

/* False for what the kernel would refuse to look at: too short, too long, not readable. */
bool fd_address_read(struct fd_address *ret, const struct sockaddr *sa, socklen_t len);

/* Loopback or "any". */
bool fd_ip_here(const unsigned char ip[16]);
bool fd_ip_is4(const unsigned char ip[16]);

/* From the text of a dotted quad or of an IPv6 address that is `len` long: 4, 6, or 0. */
int fd_ip_parse(const char *text, size_t len, unsigned char ret[16]);

/* From what in_addr and in6_addr hold. */
void fd_ip_from4(unsigned char ret[16], const void *in_addr);

/* "10.1.2.3:443", "[fd00::1]:80", "@name", "/run/x", "vsock 2:1024". */
void fd_address_text(const struct fd_address *a, struct fd_line *l);
void fd_ip_text(const unsigned char ip[16], struct fd_line *l);

#endif
