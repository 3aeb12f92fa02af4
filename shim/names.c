/* Look-ups of names and of addresses. What libc's files answer works as ever; what would go to a
 * name server fails in a blocked network as it does where no server can be reached: at once, and
 * for the time being (EAI_AGAIN, TRY_AGAIN). */
#include "shim/names.h"
#include "shim/acts.h"
#include "shim/address.h"
#include "shim/allow.h"
#include "shim/hosts.h"
#include "shim/live.h"
#include "shim/real.h"
#include "shim/seen.h"
#include <errno.h>
#include <netinet/in.h>

/* A look-up that needs a name server: counted; true if it must fail. */
static bool refused(const char *hook, const char *name, const char *shown)
{
    fd_touch(FD_AXIS_NETWORK, hook);
    if (fd_watching()) {
        fd_seen_need(FD_NEED_OUTSIDE, shown);
        fd_act_outside(shown);
    }
    bool open = fd_live_net() != FD_NET_BLOCK && fd_live_net() != FD_NET_NXDOMAIN &&
                fd_live_net() != FD_NET_NOHOST;
    return !open && !(name && fd_allow_name(name));
}

/* The name of this machine, which it does not always know. */
static bool own_refused(const char *hook, const char *name)
{
    if (!fd_live.open || !fd_hosts_is_own(name))
        return false;
    fd_touch(FD_AXIS_NETWORK, hook);
    if (fd_watching())
        fd_seen_deed(FD_DEED_OWN_NAME);
    return fd_live_net() == FD_NET_NOHOST;
}

bool fd_name_refused(const char *hook, const char *name)
{
    return fd_live_on() && !fd_thread.lookup &&
           refused(hook, name, name ? name : "a name server");
}

static bool name_refused(const char *hook, const char *name)
{
    return fd_live_on() && !fd_thread.lookup &&
           (own_refused(hook, name) ||
            (fd_hosts_asks_for(name) && refused(hook, name, name)));
}

static bool ip_refused(const char *hook, const unsigned char ip[16])
{
    char text[64];
    struct fd_line l = {text, sizeof text, 0};
    if (!fd_live_on() || fd_thread.lookup || !fd_hosts_asks_about(ip))
        return false;
    fd_ip_text(ip, &l);
    return refused(hook, NULL, text);
}

/* Something is known of the name, but not this: a server would be asked for it. */
static bool asks_further(const char *name)
{
    return fd_live_on() && fd_live_blocked() && !fd_thread.lookup && fd_hosts_is_name(name) &&
           !fd_allow_name(name);
}

/* No server answers, or one says that there is no such name. */
static int again(void)
{
    int err = fd_live_blocked() ? EAI_AGAIN : EAI_NONAME;
    fd_injected(FD_AXIS_NETWORK, err);
    errno = fd_live_blocked() ? EAGAIN : ENOENT;
    return err;
}

static int trouble(void) /* the same, as h_errno */
{
    return fd_live_blocked() ? TRY_AGAIN : HOST_NOT_FOUND;
}

static void learn_list(const char *name, const struct addrinfo *list)
{
    if (!fd_live_blocked() || !fd_allow_name(name))
        return;
    for (; list; list = list->ai_next) {
        struct fd_address a;
        if (list->ai_addr && fd_address_read(&a, list->ai_addr, list->ai_addrlen))
            fd_allow_learn(name, a.ip);
    }
}

FD_EXPORT int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                          struct addrinfo **ret)
{
    struct addrinfo numeric = {.ai_family = AF_UNSPEC};
    if (!fd_live_on() || !name || (hints && hints->ai_flags & AI_NUMERICHOST))
        return REAL(getaddrinfo)(name, service, hints, ret);
    if (name_refused("getaddrinfo", name)) {
        numeric = hints ? *hints : numeric; /* what else may be wrong comes first */
        numeric.ai_flags |= AI_NUMERICHOST;
        int err = REAL(getaddrinfo)(name, service, &numeric, ret);
        return err == EAI_NONAME ? again() : err;
    }
    int err = FD_LOOK_UP(REAL(getaddrinfo)(name, service, hints, ret));
    bool none = err == EAI_NONAME || err == EAI_NODATA || err == EAI_ADDRFAMILY;
    if (none && asks_further(name))
        return again();
    if (!err)
        learn_list(name, *ret);
    return err;
}

FD_EXPORT int getnameinfo(const struct sockaddr *sa, socklen_t len, char *host, socklen_t host_len,
                          char *service, socklen_t service_len, int flags)
{
    struct fd_address a;
    bool asks = fd_live_on() && host && host_len && !(flags & NI_NUMERICHOST) &&
                fd_address_read(&a, sa, len) && (a.family == AF_INET || a.family == AF_INET6);
    if (asks && ip_refused("getnameinfo", a.ip)) {
        bool numbers = !fd_live_blocked() && !(flags & NI_NAMEREQD);
        flags = (flags & ~NI_NAMEREQD) | NI_NUMERICHOST;
        int err = REAL(getnameinfo)(sa, len, host, host_len, service, service_len, flags);
        return err || numbers ? err : again();
    }
    return FD_LOOK_UP(REAL(getnameinfo)(sa, len, host, host_len, service, service_len, flags));
}

static void learn_host(const char *name, const struct hostent *h)
{
    if (!fd_live_blocked() || !fd_allow_name(name))
        return;
    for (char **at = h->h_addr_list; *at; at++) {
        unsigned char ip[16];
        if (h->h_addrtype == AF_INET)
            fd_ip_from4(ip, *at);
        else
            fd_copy(ip, *at, sizeof ip);
        fd_allow_learn(name, ip);
    }
}

static struct hostent *no_host(void)
{
    (void)again();
    h_errno = trouble();
    return NULL;
}

static struct hostent *found(const char *name, struct hostent *h)
{
    bool none = !h && (h_errno == HOST_NOT_FOUND || h_errno == NO_DATA);
    if (none && asks_further(name))
        return no_host();
    if (h && fd_live_on())
        learn_host(name, h);
    return h;
}

FD_EXPORT struct hostent *gethostbyname(const char *name)
{
    if (name_refused("gethostbyname", name))
        return no_host();
    return found(name, FD_LOOK_UP(REAL(gethostbyname)(name)));
}

FD_EXPORT struct hostent *gethostbyname2(const char *name, int family)
{
    if (name_refused("gethostbyname2", name))
        return no_host();
    return found(name, FD_LOOK_UP(REAL(gethostbyname2)(name, family)));
}

static int no_host_r(struct hostent **ret, int *ret_h_errno)
{
    (void)no_host(); /* callers look at the global one too, Python among them */
    *ret = NULL;
    *ret_h_errno = trouble();
    return fd_live_blocked() ? EAGAIN : 0;
}

static int found_r(const char *name, int err, struct hostent **ret, int *ret_h_errno)
{
    bool none = !err && !*ret && (*ret_h_errno == HOST_NOT_FOUND || *ret_h_errno == NO_DATA);
    if (none && asks_further(name))
        return no_host_r(ret, ret_h_errno);
    if (!err && *ret && fd_live_on())
        learn_host(name, *ret);
    return err;
}

FD_EXPORT int gethostbyname_r(const char *name, struct hostent *room, char *buf, size_t n,
                              struct hostent **ret, int *ret_h_errno)
{
    if (name_refused("gethostbyname_r", name))
        return no_host_r(ret, ret_h_errno);
    int err = FD_LOOK_UP(REAL(gethostbyname_r)(name, room, buf, n, ret, ret_h_errno));
    return found_r(name, err, ret, ret_h_errno);
}

FD_EXPORT int gethostbyname2_r(const char *name, int family, struct hostent *room, char *buf,
                               size_t n, struct hostent **ret, int *ret_h_errno)
{
    if (name_refused("gethostbyname2_r", name))
        return no_host_r(ret, ret_h_errno);
    int err = FD_LOOK_UP(REAL(gethostbyname2_r)(name, family, room, buf, n, ret, ret_h_errno));
    return found_r(name, err, ret, ret_h_errno);
}

static bool host_refused(const char *hook, const void *addr, socklen_t len, int family)
{
    unsigned char ip[16];
    if (family == AF_INET && len == 4)
        fd_ip_from4(ip, addr);
    else if (family == AF_INET6 && len == sizeof ip)
        fd_copy(ip, addr, sizeof ip);
    else
        return false; /* libc will say what is wrong */
    return ip_refused(hook, ip);
}

/* Unlike those by name, these leave errno and return 0. */
FD_EXPORT struct hostent *gethostbyaddr(const void *addr, socklen_t len, int family)
{
    if (!host_refused("gethostbyaddr", addr, len, family))
        return FD_LOOK_UP(REAL(gethostbyaddr)(addr, len, family));
    fd_injected(FD_AXIS_NETWORK, EAI_AGAIN);
    h_errno = trouble();
    return NULL;
}

FD_EXPORT int gethostbyaddr_r(const void *addr, socklen_t len, int family, struct hostent *room,
                              char *buf, size_t n, struct hostent **ret, int *ret_h_errno)
{
    if (!host_refused("gethostbyaddr_r", addr, len, family))
        return FD_LOOK_UP(
            REAL(gethostbyaddr_r)(addr, len, family, room, buf, n, ret, ret_h_errno));
    fd_injected(FD_AXIS_NETWORK, EAI_AGAIN);
    *ret = NULL;
    *ret_h_errno = h_errno = trouble();
    return 0;
}
