#include "shim/allow.h"
#include "shim/address.h"
#include "shim/text.h"

#define ROWS 64
#define LEARNT 256 /* addresses that allowed names were found to be; more cannot be reached */
#define TEXT 2048

static char kept[TEXT]; /* the names lie in it */

static struct row {
    const char *name; /* or NULL: the address */
    unsigned char ip[16];
    int bits; /* of the address that count */
    uint16_t port; /* 0: any */
} rows[ROWS];
static int count, names;

static struct learnt {
    uint32_t state; /* 0 free, 1 being written, 2 there */
    uint16_t port;
    unsigned char ip[16];
} learnt[LEARNT];

static bool read_port(const char *text, uint16_t *ret)
{
    uint64_t n;
    if (fd_text_u64(text, &n) || n < 1 || n > UINT16_MAX)
        return false;
    *ret = (uint16_t)n;
    return true;
}

/* Whose last label is not a mere number: "10.0.0" is a mistake and no name. */
static bool is_name(const char *text)
{
    bool letters = false;
    size_t n = 0;
    text += fd_text_starts(text, "*.") ? 2 : 0;
    for (; text[n]; n++) {
        char c = text[n];
        bool number = c >= '0' && c <= '9';
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
        bool dot = c == '.' && n && text[n - 1] != '.' && text[n + 1];
        if (!number && !letter && !dot)
            return false;
        letters = letter || (letters && !dot);
    }
    return letters;
}

static bool read_ip(const char *text, struct row *r)
{
    const char *slash = fd_text_find(text, "/");
    size_t len = slash ? (size_t)(slash - text) : fd_text_len(text);
    int family = fd_ip_parse(text, len, r->ip);
    uint64_t most = family == 4 ? 32 : 128, bits = most;
    if (!family || (slash && (fd_text_u64(slash + 1, &bits) || bits > most)))
        return false;
    r->bits = (int)(bits + 128 - most);
    return true;
}

/* Cuts `text` at its first `c`, if there is one, and returns what comes after it. */
static char *cut(char *text, char c)
{
    for (; *text; text++)
        if (*text == c) {
            *text = 0;
            return text + 1;
        }
    return NULL;
}

static bool read_row(char *text, struct row *r)
{
    const char *colon = fd_text_find(text, ":");
    char *host = text, *port = NULL;
    if (*text == '[') {
        port = cut(++host, ']');
        if (!port || (*port && *port != ':') || !read_ip(host, r))
            return false;
        port = *port ? port + 1 : NULL;
    } else if (colon && !fd_text_find(colon + 1, ":")) { /* more of them are an IPv6 address */
        port = cut(text, ':');
    }
    if (port && !read_port(port, &r->port))
        return false;
    if (read_ip(host, r))
        return true;
    r->name = host;
    return *text != '[' && is_name(host);
}

const char *fd_allow_read(const char *text)
{
    static char bad[96];
    struct fd_line l = {kept, sizeof kept, 0};
    fd_line_text(&l, text);
    count = names = 0;
    for (char *at = kept, *next; at; at = next) {
        struct row r = {.name = NULL};
        struct fd_line b = {bad, sizeof bad, 0};
        next = cut(at, ',');
        fd_line_text(&b, at);
        if (count == ROWS || text[l.len] || !read_row(at, &r))
            return bad;
        names += r.name != NULL;
        rows[count++] = r;
    }
    return NULL;
}

static bool names_it(const struct row *r, const char *name)
{
    size_t n = fd_text_len(name), len = r->name ? fd_text_len(r->name) : 0;
    n -= n && name[n - 1] == '.';
    if (len && *r->name == '*') /* what ends in ".example.com" and is more than that */
        return n > len - 1 && fd_text_equal_n(name + n - (len - 1), r->name + 1, len - 1);
    return len && n == len && fd_text_equal_n(name, r->name, n);
}

static bool within(const struct row *r, const unsigned char ip[16])
{
    for (int i = 0; i < 16; i++) {
        int left = r->bits - 8 * i;
        int mask = left >= 8 ? 0xff : left > 0 ? 0xff00 >> left & 0xff : 0;
        if ((r->ip[i] ^ ip[i]) & mask)
            return false;
    }
    return true;
}

static bool learnt_ip(const unsigned char ip[16], uint16_t port)
{
    for (int i = 0; i < LEARNT; i++) {
        const struct learnt *l = &learnt[i];
        uint32_t state = __atomic_load_n(&l->state, __ATOMIC_ACQUIRE);
        if (!state)
            return false;
        bool same = state == 2 && (!l->port || l->port == port);
        for (int k = 0; k < 16 && same; k++)
            same = l->ip[k] == ip[k];
        if (same)
            return true;
    }
    return false;
}

bool fd_allow_ip(const unsigned char ip[16], uint16_t port)
{
    for (int i = 0; i < count; i++)
        if (!rows[i].name && (!rows[i].port || rows[i].port == port) && within(&rows[i], ip))
            return true;
    return names && learnt_ip(ip, port);
}

bool fd_allow_name(const char *name)
{
    for (int i = 0; i < count; i++)
        if (names_it(&rows[i], name))
            return true;
    return false;
}

bool fd_allow_has_names(void)
{
    return names > 0;
}

static void learn(const unsigned char ip[16], uint16_t port)
{
    for (int i = 0; i < LEARNT; i++) {
        uint32_t free = 0;
        struct learnt *l = &learnt[i];
        if (!__atomic_compare_exchange_n(&l->state, &free, 1, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE))
            continue;
        l->port = port;
        fd_copy(l->ip, ip, sizeof l->ip);
        __atomic_store_n(&l->state, 2, __ATOMIC_RELEASE);
        return;
    }
}

void fd_allow_learn(const char *name, const unsigned char ip[16])
{
    for (int i = 0; i < count; i++)
        if (names_it(&rows[i], name) && !learnt_ip(ip, rows[i].port))
            learn(ip, rows[i].port);
}
