#include "shim/entries.h"
#include "shim/live.h"
#include "shim/mix.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#define FIRST 65536 /* bytes of a first mapping: some 2,000 entries */
#define LEAST 32768 /* room that the kernel is given at a time, as by libc */
#define MOST ((size_t)1 << 31)

struct place { /* one entry in the index */
    uint64_t key;
    uint32_t from; /* of its record */
};

/* The kernel's record has the layout of libc's struct. */
_Static_assert(offsetof(struct dirent64, d_name) == 19 && offsetof(struct dirent64, d_off) == 8 &&
                   sizeof(struct dirent) == sizeof(struct dirent64), "struct linux_dirent64");

bool fd_entry_is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* The first bytes of a name as a number that sorts like them. */
static uint64_t head(const char *name)
{
    uint64_t n = 0;
    for (int i = 0; i < 8; i++)
        n = n << 8 | (unsigned char)(*name ? *name++ : 0);
    return n;
}

/* Smaller comes first. */
static uint64_t key_of(const char *name, uint64_t inode)
{
    const struct fd_settings *s = &fd_live.page->settings;
    switch ((enum fd_listing)s->listing) {
    case FD_LISTING_SEEDED:
        return fd_mix(s->listing_seed, fd_text_hash(name, fd_text_len(name)));
    case FD_LISTING_SORTED:
        return head(name);
    case FD_LISTING_REVERSE:
        return ~head(name);
    case FD_LISTING_OLDEST:
        return inode;
    case FD_LISTING_NEWEST:
        return ~inode;
    }
    return 0;
}

static int order(const char *a, uint64_t key_a, const char *b, uint64_t key_b)
{
    if (key_a != key_b)
        return key_a < key_b ? -1 : 1;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    int c = (unsigned char)*a - (unsigned char)*b;
    return fd_live.page->settings.listing == FD_LISTING_REVERSE ? -c : c;
}

int fd_entry_order(const char *a, uint64_t inode_a, const char *b, uint64_t inode_b)
{
    return order(a, key_of(a, inode_a), b, key_of(b, inode_b));
}

static struct place *places(const struct fd_entries *e)
{
    return (struct place *)(void *)(e->at + e->index);
}

static struct dirent64 *record(const struct fd_entries *e, size_t from)
{
    return (struct dirent64 *)(void *)(e->at + from);
}

struct dirent64 *fd_entry(const struct fd_entries *e, uint32_t i)
{
    return record(e, places(e)[i].from);
}

static bool before(const struct fd_entries *e, const struct place *a, const struct place *b)
{
    if (a->key != b->key) /* nearly always, and without a look at the names */
        return a->key < b->key;
    return order(record(e, a->from)->d_name, 0, record(e, b->from)->d_name, 0) < 0;
}

static void sink(const struct fd_entries *e, struct place *p, size_t at, size_t count)
{
    struct place moving = p[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(e, &p[child], &p[child + 1]))
            child++;
        if (!before(e, &moving, &p[child]))
            break;
        p[at] = p[child];
    }
    p[at] = moving;
}

/* Heapsort: in place, without recursion, and no order of names makes it slow. */
static void sort(const struct fd_entries *e, struct place *p, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sink(e, p, i, count);
    for (size_t left = count; left-- > 1;) {
        struct place last = p[left];
        p[left] = p[0];
        p[0] = last;
        sink(e, p, 0, left);
    }
}

static bool failed(long answer)
{
    return answer < 0 && answer > -4096;
}

/* One mapping that nobody uses, for the next directory: most are small, and read one by one. */
static _Atomic(char *) spare;

static int room(struct fd_entries *e, size_t need)
{
    size_t size = e->size ? e->size : FIRST;
    if (!e->size && (e->at = atomic_exchange(&spare, NULL)))
        e->size = FIRST;
    while (size < need)
        size *= 2;
    if (size == e->size)
        return 0;
    if (size > MOST)
        return -1;
    long at = e->size ? FD_SYS4(SYS_mremap, e->at, e->size, size, MREMAP_MAYMOVE)
                      : FD_SYS6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (failed(at))
        return -1;
    e->at = (char *)at; /* the kernel's address */
    e->size = size;
    return 0;
}

/* All records, one behind the other; false without memory. */
static bool records(struct fd_entries *e, int fd)
{
    for (e->index = 0;;) {
        if (room(e, e->index + LEAST))
            return false;
        long got = FD_SYS3(SYS_getdents64, fd, e->at + e->index, e->size - e->index);
        if (got > 0) {
            e->index += (size_t)got;
        } else if (got != -EINTR) {
            e->err = got == -ENOENT ? 0 : (int)-got; /* a directory that is gone has an end too */
            return true;
        }
    }
}

static void gather(struct fd_entries *e, bool dots)
{
    for (size_t from = 0; from < e->index; from += record(e, from)->d_reclen) {
        const struct dirent64 *d = record(e, from);
        if (d->d_ino && fd_entry_is_dot(d->d_name) == dots) /* 0: removed, libc skips it too */
            places(e)[e->count++] = (struct place){key_of(d->d_name, d->d_ino), (uint32_t)from};
    }
}

/* The index behind the records; false without memory. */
static bool indexed(struct fd_entries *e)
{
    size_t n = 0;
    for (size_t from = 0; from < e->index; from += record(e, from)->d_reclen)
        n++;
    if (room(e, e->index + n * sizeof(struct place)))
        return false;
    gather(e, true);
    uint32_t dots = e->count;
    struct place *p = places(e), first = *p;
    if (dots == 2 && fd_entry(e, 0)->d_name[1]) {
        p[0] = p[1];
        p[1] = first;
    }
    gather(e, false);
    e->named = e->count - dots;
    sort(e, p + dots, e->named);
    for (uint32_t i = 0; i < e->count; i++)
        fd_entry(e, i)->d_off = (off64_t)i + 1;
    return true;
}

int fd_entries_read(struct fd_entries *e, int fd)
{
    long start = FD_SYS3(SYS_lseek, fd, 0, SEEK_CUR);
    e->count = e->named = 0;
    e->err = 0;
    if (!records(e, fd) || !indexed(e)) {
        (void)FD_SYS3(SYS_lseek, fd, start, SEEK_SET);
        return -1;
    }
    return 0;
}

void fd_entries_free(struct fd_entries *e)
{
    char *none = NULL;
    bool kept = e->size == FIRST && atomic_compare_exchange_strong(&spare, &none, e->at);
    if (e->size && !kept)
        (void)FD_SYS2(SYS_munmap, e->at, e->size);
    *e = (struct fd_entries){.at = NULL};
}

bool fd_listing_exempt(int fd)
{
    static const char *const roots[] = {"/usr/", "/lib/", "/lib64/", "/lib32/", "/libx32/",
                                        "/bin/", "/sbin/", "/proc/", "/sys/", "/dev/", "/etc/"};
    static const char *const parts[] = {"/site-packages/", "/dist-packages/", "/__pycache__/",
                                        "/lib/python3", "/lib/pypy3"};
    char link[32], path[1024];
    struct fd_line l = {link, sizeof link, 0};
    fd_line_text(&l, "/proc/self/fd/");
    fd_line_number(&l, fd);
    long n = FD_SYS4(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 2);
    if (n <= 0)
        return false; /* without /proc nobody can tell */
    path[n] = '/'; /* so that every component ends in one */
    path[n + 1] = 0;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (fd_text_starts(path, roots[i]))
            return !fd_text_starts(path, "/usr/src/"); /* where images of Python keep the program */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (fd_text_find(path, parts[i]))
            return true;
    return false;
}

bool fd_listing_exempt_path(const char *path)
{
    long fd = FD_SYS4(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);
    if (failed(fd))
        return false;
    bool is = fd_listing_exempt((int)fd);
    (void)FD_SYS1(SYS_close, fd);
    return is;
}
