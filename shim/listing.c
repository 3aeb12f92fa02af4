/* Directory streams. libc reads a DIR chunk by chunk; a held one is read whole at its first
 * readdir, into memory of our own, and handed out in order. The rest of the DIR stays libc's: its
 * descriptor, its rewinding, its end.
 *
 * Held are directories opened by these hooks, outside the system's own. In the others, and where
 * the axis is free, entries are counted until there are two whose order could matter. Readers
 * below libc's own readdir are not reached: getdents64() and its raw system call. */
#include "shim/entries.h"
#include "shim/live.h"
#include "shim/mix.h"
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/text.h"
#include "shim/way.h"
#include <errno.h>

#define CELLS 1024u /* directories open at once; more are left alone */
#define REACH 16u   /* cells in which a DIR may stand: two cache lines */

enum { NEW, NATURAL, COUNTED, HELD }; /* below 0: process -state is reading it now */

static struct stream {
    struct fd_entries e;
    _Atomic int32_t state;
    _Atomic uint32_t next; /* entry that is returned next */
    uint32_t named;        /* entries seen in natural order, until they are counted */
    bool too_long;         /* readdir_r had to leave one out */
} streams[CELLS];

/* Which DIR each stream belongs to. Nothing is locked: who opens a DIR also closes it, and a cell
 * is cleaned before it is given back. */
static _Atomic(const DIR *) dirs[CELLS] __attribute__((aligned(64)));

/* The cell near `d`'s place that holds `what`, or -1. */
static int cell(const DIR *d, const DIR *what)
{
    uint32_t from = (uint32_t)fd_finish((uintptr_t)d) / REACH * REACH;
    for (uint32_t i = 0; i < REACH; i++)
        if (atomic_load_explicit(&dirs[(from + i) % CELLS], memory_order_acquire) == what)
            return (int)((from + i) % CELLS);
    return -1;
}

static struct stream *find(const DIR *d)
{
    int at = fd_live_on() && d ? cell(d, d) : -1;
    return at < 0 ? NULL : &streams[at];
}

static void forget(const DIR *d)
{
    struct stream *s = find(d);
    if (!s)
        return;
    fd_entries_free(&s->e);
    s->named = 0;
    s->next = 0;
    s->state = NEW;
    atomic_store_explicit(&dirs[s - streams], NULL, memory_order_release);
}

static DIR *remember(DIR *d)
{
    if (!d || !fd_live_on())
        return d;
    forget(d); /* one that was closed past us */
    for (int at; (at = cell(d, NULL)) >= 0;) {
        const DIR *none = NULL;
        if (atomic_compare_exchange_strong(&dirs[at], &none, d))
            break;
    }
    return d;
}

FD_EXPORT DIR *opendir(const char *path)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "opendir");
    return remember(REAL(opendir)(path));
}

FD_EXPORT DIR *fdopendir(int fd)
{
    return remember(REAL(fdopendir)(fd));
}

FD_EXPORT int closedir(DIR *d)
{
    forget(d); /* before its address is free for another thread's opendir */
    return REAL(closedir)(d);
}

static int32_t begin(struct stream *s, int fd)
{
    s->named = 0;
    s->too_long = false;
    if (!fd_live_held(FD_AXIS_LISTING))
        return NATURAL;
    if (fd_listing_exempt(fd))
        return COUNTED;
    if (fd_entries_read(&s->e, fd))
        return NATURAL;
    if (s->e.named > 1)
        fd_touch(FD_AXIS_LISTING, "readdir");
    return HELD;
}

/* Is the stream read in our order? Decided, and the directory read, when this is asked first.
 * Threads that share a DIR (readdir_r allows it) wait for the one that reads, as for libc's lock;
 * a child that was forked meanwhile does not. */
static bool held(struct stream *s, DIR *d)
{
    const int32_t me = -fd_live.pid;
    for (;;) {
        int32_t now = NEW;
        if (atomic_compare_exchange_strong(&s->state, &now, me)) {
            now = begin(s, dirfd(d));
            atomic_store_explicit(&s->state, now, memory_order_release);
        }
        if (now >= NATURAL || (now < 0 && now != me))
            return now == HELD;
        (void)FD_SYS1(SYS_sched_yield, 0);
    }
}

static struct dirent64 *next(struct stream *s)
{
    if (atomic_load_explicit(&s->next, memory_order_relaxed) >= s->e.count)
        return NULL;
    uint32_t i = atomic_fetch_add(&s->next, 1);
    return i < s->e.count ? fd_entry(&s->e, i) : NULL;
}

static void saw(struct stream *s, DIR *d, const char *name)
{
    if (s->state == COUNTED || fd_entry_is_dot(name) || ++s->named < 2)
        return;
    if (!fd_listing_exempt(dirfd(d)))
        fd_touch(FD_AXIS_LISTING, "readdir");
    s->state = COUNTED;
}

#define READDIR(name, entry)                                            \
    FD_EXPORT struct entry *name(DIR *d)                                \
    {                                                                   \
        struct stream *s = find(d);                                     \
        if (!s)                                                         \
            return REAL(name)(d);                                       \
        if (held(s, d)) {                                               \
            struct dirent64 *e = next(s);                               \
            if (!e && s->e.err) /* at a mere end errno stays */         \
                errno = s->e.err;                                       \
            return (struct entry *)e;                                   \
        }                                                               \
        struct entry *e = REAL(name)(d);                                \
        if (e)                                                          \
            saw(s, d, e->d_name);                                       \
        return e;                                                       \
    }

READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

static int copy_next(struct stream *s, void *room, void **result)
{
    struct dirent64 *e;
    while ((e = next(s)) && e->d_reclen > sizeof *e)
        s->too_long = true;
    *result = NULL;
    if (!e)
        return s->e.err ? s->e.err : s->too_long ? ENAMETOOLONG : 0;
    fd_copy(room, e, e->d_reclen);
    *result = room;
    return 0;
}

#define READDIR_R(name, entry)                                          \
    FD_EXPORT int name(DIR *d, struct entry *room, struct entry **result) \
    {                                                                   \
        struct stream *s = find(d);                                     \
        if (s && held(s, d))                                            \
            return copy_next(s, room, (void **)result);                 \
        int err = REAL(name)(d, room, result);                          \
        if (s && !err && *result)                                       \
            saw(s, d, room->d_name);                                    \
        return err;                                                     \
    }

READDIR_R(readdir_r, dirent)
READDIR_R(readdir64_r, dirent64)

/* The directory is read again: what was made since appears, what was removed is gone. The memory
 * stays, a caller may still look at the last entry. */
FD_EXPORT void rewinddir(DIR *d)
{
    struct stream *s = find(d);
    REAL(rewinddir)(d);
    if (!s)
        return;
    s->next = 0;
    s->state = NEW;
}

/* A position is the number of the entry that comes next; 0 is the beginning and reads again. */
FD_EXPORT long telldir(DIR *d)
{
    struct stream *s = find(d);
    if (!s || s->state != HELD)
        return REAL(telldir)(d);
    return s->next < s->e.count ? (long)s->next : (long)s->e.count;
}

FD_EXPORT void seekdir(DIR *d, long to)
{
    struct stream *s = find(d);
    if (s && to == 0)
        rewinddir(d);
    else if (s && held(s, d))
        s->next = to > 0 && to < (long)s->e.count ? (uint32_t)to : s->e.count;
    else
        REAL(seekdir)(d, to);
}
