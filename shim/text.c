#include "shim/text.h"

size_t fd_text_len(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

bool fd_text_equal(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
}

bool fd_text_equal_n(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

bool fd_text_starts(const char *s, const char *with)
{
    while (*with && *s == *with) {
        s++;
        with++;
    }
    return !*with;
}

bool fd_text_ends(const char *s, size_t len, const char *with)
{
    size_t n = fd_text_len(with);
    return len >= n && fd_text_equal(s + len - n, with);
}

const char *fd_text_find(const char *s, const char *what)
{
    for (; *s; s++)
        if (*s == *what && fd_text_starts(s, what))
            return s;
    return NULL;
}

const char *fd_text_base(const char *path)
{
    const char *base = path;
    for (; *path; path++)
        if (*path == '/')
            base = path + 1;
    return base;
}

void fd_copy(void *to, const void *from, size_t n)
{
    char *t = to;
    const char *f = from;
    for (size_t i = 0; i < n; i++)
        t[i] = f[i];
}

void fd_move(void *to, const void *from, size_t n)
{
    char *t = to;
    const char *f = from;
    if (t <= f)
        fd_copy(to, from, n);
    else
        while (n--)
            t[n] = f[n];
}

uint64_t fd_text_hash(const char *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h;
}

const char *fd_text_env(char *const *envp, const char *name)
{
    size_t n = fd_text_len(name);
    for (; envp && *envp; envp++)
        if (fd_text_starts(*envp, name) && (*envp)[n] == '=')
            return *envp + n + 1;
    return NULL;
}

void fd_line_text(struct fd_line *l, const char *s)
{
    for (; *s && l->len + 1 < l->size; s++)
        l->at[l->len++] = *s;
    if (l->size)
        l->at[l->len] = 0;
}

void fd_line_number(struct fd_line *l, int64_t n)
{
    char digits[24];
    size_t i = sizeof digits;
    uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    digits[--i] = 0;
    do
        digits[--i] = (char)('0' + u % 10);
    while (u /= 10);
    if (n < 0)
        digits[--i] = '-';
    fd_line_text(l, digits + i);
}

void fd_line_hex(struct fd_line *l, uint64_t n)
{
    char digits[17];
    size_t i = sizeof digits;
    digits[--i] = 0;
    do
        digits[--i] = "0123456789abcdef"[n & 15];
    while (n >>= 4);
    fd_line_text(l, digits + i);
}

int fd_text_u64(const char *s, uint64_t *ret)
{
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    uint64_t base = hex ? 16 : 10, n = 0;
    s += hex ? 2 : 0;
    if (!*s)
        return -1;
    for (; *s; s++) {
        uint64_t digit;
        if (*s >= '0' && *s <= '9')
            digit = (uint64_t)(*s - '0');
        else if (hex && (*s | 32) >= 'a' && (*s | 32) <= 'f')
            digit = (uint64_t)((*s | 32) - 'a') + 10;
        else
            return -1;
        if (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, digit, &n))
            return -1;
    }
    *ret = n;
    return 0;
}
