#include "shim/address.h"
#include "shim/raw.h"
#include <linux/if_packet.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sys/un.h>

#define LO 1         /* index of the loopback interface in every network namespace */
#define VSOCK_HERE 1 /* VMADDR_CID_LOCAL, which headers before Linux 5.6 lack */

static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

bool fd_ip_is4(const unsigned char ip[16])
{
    for (size_t i = 0; i < sizeof mapped; i++)
        if (ip[i] != mapped[i])
            return false;
    return true;
}

void fd_ip_from4(unsigned char ret[16], const void *in_addr)
{
    fd_copy(ret, mapped, sizeof mapped);
    fd_copy(ret + sizeof mapped, in_addr, 4);
}

bool fd_ip_here(const unsigned char ip[16])
{
    unsigned int sum = 0;
    for (int i = 0; i < 15; i++)
        sum |= ip[i];
    if (!sum) /* :: and ::1 */
        return ip[15] <= 1;
    return fd_ip_is4(ip) && (ip[12] == 127 || !(ip[12] | ip[13] | ip[14] | ip[15]));
}

/* Servers of names that listen on loopback and ask others: systemd-resolved's, Docker's. */
static bool forwards(const unsigned char ip[16], uint16_t port)
{
    return port == 53 && fd_ip_is4(ip) && ip[12] == 127 && !ip[13] && !ip[14] &&
           (ip[15] == 53 || ip[15] == 54 || ip[15] == 11);
}

static bool read_ip(struct fd_address *a, const struct sockaddr *sa, socklen_t len)
{
    if (a->family == AF_INET6) {
        const struct sockaddr_in6 *s6 = (const void *)sa;
        if (len < offsetof(struct sockaddr_in6, sin6_scope_id)) /* it came later, RFC 2133 */
            return false;
        fd_copy(a->ip, &s6->sin6_addr, sizeof a->ip);
        a->port = (uint16_t)(s6->sin6_port << 8 | s6->sin6_port >> 8);
        a->scope = len >= sizeof *s6 ? s6->sin6_scope_id : 0;
    } else {
        const struct sockaddr_in *s4 = (const void *)sa;
        if (len < sizeof *s4)
            return false;
        fd_ip_from4(a->ip, &s4->sin_addr);
        a->port = (uint16_t)(s4->sin_port << 8 | s4->sin_port >> 8);
    }
    a->where = fd_ip_here(a->ip) && !forwards(a->ip, a->port) ? FD_HERE : FD_AWAY;
    return true;
}

static bool read_unix(struct fd_address *a, const struct sockaddr *sa, socklen_t len)
{
    const struct sockaddr_un *un = (const void *)sa;
    a->path = un->sun_path;
    a->path_len = len - offsetof(struct sockaddr_un, sun_path);
    if (a->path_len && !a->path[0]) {
        a->where = FD_ABSTRACT;
    } else if (a->path_len) {
        a->where = FD_SOCKET;
        for (size_t n = 0; n < a->path_len; n++)
            if (!a->path[n])
                a->path_len = n;
    }
    return len <= sizeof *un;
}

bool fd_address_read(struct fd_address *a, const struct sockaddr *sa, socklen_t len)
{
    if (len < sizeof sa->sa_family || len > sizeof(struct sockaddr_storage) ||
        !fd_readable(sa, len))
        return false;
    *a = (struct fd_address){.family = sa->sa_family};
    if (a->family == AF_INET || a->family == AF_INET6)
        return read_ip(a, sa, len);
    if (a->family == AF_UNSPEC && len >= sizeof(struct sockaddr_in)) /* UDP sends there: IPv4 */
        return read_ip(a, sa, len);
    if (a->family == AF_UNIX)
        return read_unix(a, sa, len);
    if (a->family == AF_VSOCK && len >= sizeof(struct sockaddr_vm)) {
        const struct sockaddr_vm *vm = (const void *)sa;
        a->scope = vm->svm_cid;
        a->port = (uint16_t)vm->svm_port;
        a->where = vm->svm_cid == VSOCK_HERE ? FD_ELSEWHERE : FD_AWAY;
    }
    if (a->family == AF_PACKET && len >= sizeof(struct sockaddr_ll)) {
        a->scope = (uint32_t)((const struct sockaddr_ll *)(const void *)sa)->sll_ifindex;
        a->where = a->scope > LO ? FD_AWAY : FD_ELSEWHERE;
    }
    return true;
}

static int digit(char c)
{
    char low = (char)(c | 32);
    return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

static bool parse4(const char *text, size_t len, unsigned char ret[4])
{
    for (int part = 0; part < 4; part++) {
        int n = 0, digits = 0;
        for (; len && *text >= '0' && *text <= '9' && digits < 4; text++, len--, digits++)
            n = n * 10 + digit(*text);
        bool dot = len && *text == '.';
        if (digits < 1 || digits > 3 || n > 255 || dot != (part < 3))
            return false;
        ret[part] = (unsigned char)n;
        text += dot;
        len -= dot;
    }
    return !len;
}

/* One group of an IPv6 address, or a dotted quad at its end; returns the bytes it gave, or 0. */
static size_t group(const char *text, size_t len, bool last, unsigned char *ret)
{
    int n = 0;
    if (last && parse4(text, len, ret))
        return 4;
    if (len < 1 || len > 4)
        return 0;
    for (size_t i = 0; i < len; i++) {
        if (digit(text[i]) < 0)
            return 0;
        n = n * 16 + digit(text[i]);
    }
    ret[0] = (unsigned char)(n >> 8);
    ret[1] = (unsigned char)n;
    return 2;
}

static bool parse6(const char *text, size_t len, unsigned char ret[16])
{
    unsigned char out[20];
    size_t n = 0, gap = sizeof out, at; /* gap: where `::` stands in `out` */
    if (len >= 2 && text[0] == ':' && text[1] == ':')
        gap = 0;
    at = gap ? 0 : 2;
    while (at < len) {
        size_t end = at;
        while (end < len && text[end] != ':')
            end++;
        size_t got = group(text + at, end - at, end == len, out + n);
        if (!got || (n += got) > 16 || end + 1 == len)
            return false;
        at = end + (end < len);
        if (at < len && text[at] == ':') {
            if (gap < sizeof out)
                return false;
            gap = n;
            at++;
        }
    }
    if (gap == sizeof out ? n != 16 : n > 14)
        return false;
    for (size_t i = 0; i < 16; i++)
        ret[i] = i < gap && i < n ? out[i] : i >= 16 - n + gap ? out[i + n - 16] : 0;
    return true;
}

int fd_ip_parse(const char *text, size_t len, unsigned char ret[16])
{
    unsigned char quad[4];
    if (parse4(text, len, quad)) {
        fd_ip_from4(ret, quad);
        return 4;
    }
    return parse6(text, len, ret) ? 6 : 0;
}

void fd_ip_text(const unsigned char ip[16], struct fd_line *l)
{
    if (fd_ip_is4(ip)) {
        for (int i = 12; i < 16; i++) {
            fd_line_text(l, i > 12 ? "." : "");
            fd_line_number(l, ip[i]);
        }
        return;
    }
    int from = 16, zeros = 1; /* the longest run of zero groups becomes `::`, a single one not */
    for (int i = 0, n = 0; i < 16; i += 2) {
        n = ip[i] | ip[i + 1] ? 0 : n + 1;
        if (n > zeros) {
            zeros = n;
            from = i - 2 * (n - 1);
        }
    }
    for (int i = 0; i < 16; i += 2) {
        if (i == from) {
            fd_line_text(l, "::");
            i += 2 * (zeros - 1);
            continue;
        }
        fd_line_text(l, i && i != from + 2 * zeros ? ":" : "");
        fd_line_hex(l, (uint64_t)(ip[i] << 8 | ip[i + 1]));
    }
}

static void unix_text(const struct fd_address *a, struct fd_line *l)
{
    for (size_t i = 0; i < a->path_len; i++) {
        char c = a->path[i];
        const char one[2] = {c ? c : '@', 0};
        fd_line_text(l, one);
    }
}

void fd_address_text(const struct fd_address *a, struct fd_line *l)
{
    if (a->family == AF_UNIX) {
        unix_text(a, l);
        return;
    }
    if (a->family == AF_PACKET || a->family == AF_VSOCK) {
        fd_line_text(l, a->family == AF_VSOCK ? "vsock " : "interface ");
        fd_line_number(l, a->scope);
    } else if (fd_ip_is4(a->ip)) {
        fd_ip_text(a->ip, l);
    } else {
        fd_line_text(l, "[");
        fd_ip_text(a->ip, l);
        fd_line_text(l, "]");
    }
    if (a->family == AF_PACKET)
        return;
    fd_line_text(l, ":");
    fd_line_number(l, a->port);
}
