#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void out_of_memory(void)
{
    static const char line[] = "flaky-repro: out of memory\n";
    (void)!write(STDERR_FILENO, line, sizeof line - 1);
    _exit(70);
}

void *mem_or_die(size_t n)
{
    void *p = calloc(1, n ? n : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *mem_grow_or_die(void *p, size_t n)
{
    void *q = realloc(p, n ? n : 1);
    if (!q)
        out_of_memory();
    return q;
}

char *str_or_die(const char *s)
{
    char *copy = strdup(s);
    if (!copy)
        out_of_memory();
    return copy;
}

void text_done(struct text *t)
{
    free(t->at);
    *t = (struct text){0};
}

const char *text_str(const struct text *t)
{
    return t->at ? t->at : "";
}

char *text_take(struct text *t)
{
    char *s = t->at ? t->at : str_or_die("");
    *t = (struct text){0};
    return s;
}

void text_clear(struct text *t)
{
    text_cut(t, 0);
}

static void reserve(struct text *t, size_t more)
{
    if (more > SIZE_MAX / 2 - t->len)
        out_of_memory();
    size_t need = t->len + more + 1;
    if (need <= t->room)
        return;
    size_t room = t->room ? t->room : 64;
    while (room < need)
        room *= 2;
    t->at = mem_grow_or_die(t->at, room);
    t->room = room;
}

void text_addn(struct text *t, const char *s, size_t n)
{
    reserve(t, n);
    memcpy(t->at + t->len, s, n);
    t->len += n;
    t->at[t->len] = 0;
}

void text_add(struct text *t, const char *s)
{
    text_addn(t, s, strlen(s));
}

void text_addc(struct text *t, char c)
{
    text_addn(t, &c, 1);
}

void text_addv(struct text *t, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n > 0) {
        reserve(t, (size_t)n);
        vsnprintf(t->at + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    }
    va_end(again);
}

void text_addf(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_addv(t, fmt, ap);
    va_end(ap);
}

void text_cut(struct text *t, size_t len)
{
    if (len >= t->len)
        return;
    t->len = len;
    t->at[len] = 0;
}

void text_add_quoted(struct text *t, const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=,+@%";
    if (*s && s[strspn(s, plain)] == 0) {
        text_add(t, s);
        return;
    }
    /* Inside double quotes a shell still sees these ('!' only an interactive one). */
    if (!strpbrk(s, "\"$`\\!")) {
        text_addf(t, "\"%s\"", s);
        return;
    }
    text_addc(t, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            text_add(t, "'\\''");
        else
            text_addc(t, *s);
    }
    text_addc(t, '\'');
}

void text_copy(char *buf, size_t size, const char *s)
{
    size_t n = strlen(s);
    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80) /* inside a UTF-8 sequence */
            n--;
    }
    memmove(buf, s, n);
    buf[n] = 0;
}

unsigned text_distance(const char *a, const char *b)
{
    enum { MAX = 32 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= MAX || m >= MAX)
        return MAX;
    unsigned d[MAX + 1][MAX + 1];
    for (unsigned i = 0; i <= n; i++)
        d[i][0] = i;
    for (unsigned j = 0; j <= m; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[n][m];
}

bool text_ends(const char *s, const char *tail)
{
    size_t n = strlen(s), m = strlen(tail);
    return n >= m && strcmp(s + n - m, tail) == 0;
}

bool text_starts(const char *s, const char *head)
{
    return strncmp(s, head, strlen(head)) == 0;
}
