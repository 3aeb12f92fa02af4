#include "shim/seen.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <fcntl.h>
#include <sys/stat.h>

/* Whoever sets the bit owns the text. Its first byte is written last: a reader finds it whole or
 * empty, and a writer that is killed in between loses the text but never the need. */
void fd_seen_need(enum fd_need need, const char *what)
{
    struct fd_seen *seen = &fd_live.page->seen;
    uint32_t bit = 1u << need;
    if (__atomic_load_n(&seen->needs, __ATOMIC_RELAXED) & bit ||
        __atomic_fetch_or(&seen->needs, bit, __ATOMIC_ACQ_REL) & bit || !*what)
        return;
    char *text = seen->what[need];
    struct fd_line rest = {text + 1, sizeof seen->what[need] - 1, 0};
    fd_line_text(&rest, what + 1);
    __atomic_store_n(text, *what, __ATOMIC_RELEASE);
}

void fd_seen_read(enum fd_axis axis)
{
    (void)__atomic_fetch_or(&fd_live.page->seen.reads, 1u << axis, __ATOMIC_RELAXED);
}

bool fd_seen_before(int dirfd, const char *path)
{
    struct stat s;
    return FD_SYS4(SYS_newfstatat, dirfd, path, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
           s.st_ctim.tv_sec * INT64_C(1000000000) + s.st_ctim.tv_nsec <
               fd_live.page->settings.newer_ns;
}

static void lift(uint32_t *count, uint32_t to)
{
    uint32_t have = __atomic_load_n(count, __ATOMIC_RELAXED);
    while (have < to && !__atomic_compare_exchange_n(count, &have, to, false, __ATOMIC_ACQ_REL,
                                                     __ATOMIC_RELAXED))
        ;
}

/* The tables hold numbers that are never 0. An entry is taken by its own compare-and-swap and the
 * count raised after it, so that a writer killed in between is made good by the next one. */
#define TABLE(name, type, table, count, room)                                                 \
    static bool name##_there(struct fd_seen *seen, type n, bool put)                          \
    {                                                                                         \
        for (uint32_t i = 0; i < (room); i++) {                                               \
            type have = __atomic_load_n(&seen->table[i], __ATOMIC_ACQUIRE);                   \
            if (!have && put)                                                                 \
                have = __atomic_compare_exchange_n(&seen->table[i], &have, n, false,          \
                                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)        \
                           ? n                                                                \
                           : have;                                                            \
            if (!have)                                                                        \
                return false;                                                                 \
            if (have != n)                                                                    \
                continue;                                                                     \
            if (put)                                                                          \
                lift(&seen->count, i + 1);                                                    \
            return true;                                                                      \
        }                                                                                     \
        return false;                                                                         \
    }

TABLE(port, uint16_t, port, ports, FD_PORTS)
TABLE(name, uint64_t, name, names, FD_PORTS)
TABLE(fixed, uint16_t, fixed, fixed_ports, FD_FIXED)
TABLE(make, uint64_t, made, makes, FD_MADE)

/* A table of texts. As in what[], the first byte is written last; an entry is taken by its second
 * byte. A text of one letter is none. */
struct texts {
    char *at;
    uint32_t *used;
    uint32_t entries;
    size_t size; /* of each; `text` fits */
};

/* The first byte, once whoever took the entry has written it; waited for a little only: the writer
 * may be the thread that a signal handler interrupted. */
static char first_byte(const char *entry)
{
    char first = 0;
    for (int i = 0; i < 2000 && !first; i++)
        first = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
    return first;
}

static void note(struct texts t, const char *text)
{
    for (uint32_t i = 0; i < t.entries; i++) {
        char *entry = t.at + i * t.size, none = 0;
        if (__atomic_compare_exchange_n(entry + 1, &none, text[1], false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            struct fd_line rest = {entry + 1, t.size - 1, 0};
            fd_line_text(&rest, text + 1);
            __atomic_store_n(entry, *text, __ATOMIC_RELEASE);
        } else if (first_byte(entry) != *text || !fd_text_equal(entry, text)) {
            continue;
        }
        lift(t.used, i + 1);
        return;
    }
    lift(t.used, t.entries + 1);
}

/* One that is longer than an entry is known by its beginning. */
void fd_seen_path(const char *path)
{
    struct fd_seen *seen = &fd_live.page->seen;
    char cut[FD_PATH_MAX];
    struct fd_line whole = {cut, sizeof cut, 0};
    fd_line_text(&whole, path);
    note((struct texts){seen->path[0], &seen->paths, FD_PATHS, FD_PATH_MAX}, cut);
}

void fd_seen_env(char kind, const char *name)
{
    struct fd_seen *seen = &fd_live.page->seen;
    const char first[2] = {kind, 0};
    char text[FD_ENV_MAX];
    struct fd_line whole = {text, sizeof text, 0};
    if (!*name || fd_text_len(name) + 1 >= sizeof text)
        return;
    fd_line_text(&whole, first);
    fd_line_text(&whole, name);
    note((struct texts){seen->env[0], &seen->envs, FD_ENVS, FD_ENV_MAX}, text);
    fd_seen_read(FD_AXIS_ENV);
}

void fd_seen_bind_port(uint16_t port)
{
    if (port)
        (void)port_there(&fd_live.page->seen, port, true);
}

bool fd_seen_port_bound(uint16_t port)
{
    return port_there(&fd_live.page->seen, port, false);
}

void fd_seen_bind_name(uint64_t hash)
{
    (void)name_there(&fd_live.page->seen, hash | 1, true);
}

bool fd_seen_name_bound(uint64_t hash)
{
    return name_there(&fd_live.page->seen, hash | 1, false);
}

void fd_seen_deed(enum fd_deed deed)
{
    uint32_t *deeds = &fd_live.page->seen.deeds;
    if (!(__atomic_load_n(deeds, __ATOMIC_RELAXED) >> deed & 1))
        __atomic_fetch_or(deeds, 1u << deed, __ATOMIC_ACQ_REL);
}

void fd_seen_fixed_port(uint16_t port)
{
    if (port)
        (void)fixed_there(&fd_live.page->seen, port, true);
}

static uint64_t hash_of(const char *path)
{
    return fd_text_hash(path, fd_text_len(path)) | 1;
}

void fd_seen_missed(const char *path)
{
    struct fd_seen *seen = &fd_live.page->seen;
    if (fd_text_len(path) < FD_PATH_MAX && !make_there(seen, hash_of(path), false))
        note((struct texts){seen->missed[0], &seen->misses, FD_MISSES, FD_PATH_MAX}, path);
}

void fd_seen_made(const char *path)
{
    struct fd_seen *seen = &fd_live.page->seen;
    if (!make_there(seen, hash_of(path), true))
        lift(&seen->makes, FD_MADE + 1);
    uint32_t n = __atomic_load_n(&seen->misses, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < FD_MISSES; i++)
        if (fd_text_equal(seen->missed[i], path))
            __atomic_fetch_or(&seen->found, 1u << i, __ATOMIC_ACQ_REL);
}
