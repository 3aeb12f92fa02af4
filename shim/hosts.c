#include "shim/hosts.h"
#include "shim/address.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <nss.h>
#include <sys/utsname.h>

#define NAME_MOST 253  /* RFC 1035, without the last dot */
#define LABEL_MOST 63

struct reader {
    long fd, have, at;
    char buf[1024];
};

static int next_char(struct reader *r)
{
    if (r->at == r->have) {
        r->at = 0;
        r->have = FD_SYS3(SYS_read, r->fd, r->buf, sizeof r->buf);
    }
    return r->have > 0 ? (unsigned char)r->buf[r->at++] : -1;
}

static bool same_name(const char *a, const char *b)
{
    size_t n = fd_text_len(a);
    return n == fd_text_len(b) && fd_text_equal_n(a, b, n);
}

/* One word of the line, into `word`; what does not fit is cut. Returns the character after it:
 * a blank, or '\n' at the end of the line's text, or -1 at the end of the file. */
static int next_word(struct reader *r, char *word, size_t size)
{
    size_t n = 0;
    int c = next_char(r);
    while (c == ' ' || c == '\t' || c == '\r')
        c = next_char(r);
    for (; c > ' ' && c != '#'; c = next_char(r))
        if (n + 1 < size)
            word[n++] = (char)c;
    word[n] = 0;
    while (c == '#' || (c != '\n' && c >= 0 && !n))
        for (c = next_char(r); c >= 0 && c != '\n'; c = next_char(r))
            ;
    return c;
}

/* Does a line give `name`, or a name to `ip`? */
static bool listed(const char *name, const unsigned char *ip)
{
    struct reader r = {FD_SYS4(SYS_openat, AT_FDCWD, "/etc/hosts", O_RDONLY | O_CLOEXEC, 0), 0, 0,
                       ""};
    char word[NAME_MOST + 3];
    bool found = false;
    int end = r.fd < 0 ? -1 : 0;
    while (end >= 0 && !found) {
        unsigned char line[16];
        end = next_word(&r, word, sizeof word);
        bool valid = fd_ip_parse(word, fd_text_len(word), line) != 0;
        for (int i = 0; i < 16 && ip && valid; i++)
            valid = ip[i] == line[i];
        while (end != '\n' && end >= 0) {
            end = next_word(&r, word, sizeof word);
            found |= valid && *word && (ip || same_name(word, name));
        }
    }
    if (r.fd >= 0)
        (void)FD_SYS1(SYS_close, r.fd);
    return found;
}

/* Is the module among the sources of names in nsswitch.conf? */
static bool myhostname(void)
{
    char text[4096];
    long fd = FD_SYS4(SYS_openat, AT_FDCWD, "/etc/nsswitch.conf", O_RDONLY | O_CLOEXEC, 0);
    long n = fd < 0 ? 0 : FD_SYS3(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        (void)FD_SYS1(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    for (char *line = text; *line;) {
        char *end = line;
        while (*end && *end != '\n')
            end++;
        bool last = !*end;
        *end = 0;
        if (fd_text_starts(line, "hosts:"))
            return fd_text_find(line, "myhostname") != NULL;
        line = end + !last;
    }
    return false;
}

/* Names that libc takes to a name server: the others it refuses itself. */
static bool plausible(const char *name)
{
    size_t len = 0, label = 0;
    if (*name == '-')
        return false;
    for (; name[len]; len++) {
        char c = name[len];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (c == '.' && (label || !name[1]))
            label = 0;
        else if ((letter || c == '-' || c == '_') && label < LABEL_MOST)
            label++;
        else
            return false;
    }
    return len && len <= NAME_MOST + 1;
}

/* What the module answers: the machine's own name, and what means this machine anywhere. */
static bool own_name(const char *name)
{
    struct utsname u;
    size_t len = fd_text_len(name);
    if (!same_name(name, "localhost") && !fd_text_ends(name, len, ".localhost") &&
        (FD_SYS1(SYS_uname, &u) || !same_name(name, u.nodename)))
        return false;
    return myhostname();
}

/* Its node name, by itself or with a domain behind it. */
bool fd_hosts_is_own(const char *name)
{
    struct utsname u;
    if (FD_SYS1(SYS_uname, &u) || !*u.nodename || same_name(u.nodename, "localhost"))
        return false;
    size_t n = fd_text_len(u.nodename);
    return fd_text_len(name) >= n && fd_text_equal_n(name, u.nodename, n) &&
           (!name[n] || name[n] == '.');
}

bool fd_hosts_is_name(const char *name)
{
    struct in_addr old; /* "127.1" and "0x7f000001" are numbers too; IPv6 has colons */
    return plausible(name) && !inet_aton(name, &old);
}

bool fd_hosts_asks_for(const char *name)
{
    return fd_hosts_is_name(name) && !listed(name, NULL) && !own_name(name);
}

bool fd_hosts_asks_about(const unsigned char ip[16])
{
    return !listed(NULL, ip);
}

void fd_hosts_only_files(void)
{
    __nss_configure_lookup("hosts", myhostname() ? "files myhostname" : "files");
}
