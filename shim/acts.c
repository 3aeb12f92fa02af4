#include "shim/acts.h"
#include "shim/raw.h"
#include "shim/text.h"
#include "shim/way.h"
#include "shim/way_impl.h"
#include <fcntl.h>
#include <sys/stat.h>

enum { MOST_ARGS = 8 };

static void lift(uint32_t *count, uint32_t to)
{
    uint32_t have = __atomic_load_n(count, __ATOMIC_RELAXED);
    while (have < to && !__atomic_compare_exchange_n(count, &have, to, false, __ATOMIC_ACQ_REL,
                                                     __ATOMIC_RELAXED))
        ;
}

/* As in seen.c, the first byte is written last: a reader finds the text whole or empty. */
static void note(enum fd_act_kind kind, const char *text)
{
    struct fd_seen *seen = &fd_live.page->seen;
    uint64_t hash = fd_text_hash(text, fd_text_len(text)) ^ kind * UINT64_C(0x9e3779b97f4a7c15);
    hash |= 1;
    for (uint32_t i = 0; i < FD_ACTS; i++) {
        struct fd_act *a = &seen->act[i];
        uint64_t have = 0;
        if (__atomic_compare_exchange_n(&a->hash, &have, hash, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            struct fd_line rest = {a->text + 1, sizeof a->text - 1, 0};
            a->kind = kind;
            fd_line_text(&rest, *text ? text + 1 : text);
            __atomic_store_n(a->text, *text, __ATOMIC_RELEASE);
        } else if (have != hash) {
            continue;
        }
        lift(&seen->acts, i + 1);
        return;
    }
    lift(&seen->acts, FD_ACTS + 1);
}

void fd_act_own(bool own)
{
    if (fd_watching())
        __atomic_store_n(&fd_live.page->seen.own, own, __ATOMIC_RELAXED);
}

void fd_act_outside(const char *what)
{
    if (fd_acting())
        note(FD_ACT_OUTSIDE, what);
}

static void note_program(const char *path, char *const *argv)
{
    char text[FD_PATH_MAX];
    struct fd_line l = {text, sizeof text, 0};
    fd_line_text(&l, path);
    for (int i = 1; argv && argv[0] && argv[i] && i <= MOST_ARGS; i++) {
        fd_line_text(&l, "\x1f");
        fd_line_text(&l, argv[i]);
    }
    note(FD_ACT_PROGRAM, text);
}

void fd_act_program(const char *path, char *const *argv)
{
    /* Callers look for it in one folder of PATH after another. */
    if (fd_acting() && path && FD_SYS3(SYS_faccessat, AT_FDCWD, path, 1 /* X_OK */) == 0)
        note_program(path, argv);
}

void fd_act_program_at(int fd, const char *path, char *const *argv)
{
    char name[FD_WAY_ROOM], link[40];
    struct fd_line l = {link, sizeof link, 0};
    size_t base;
    bool private;
    if (!fd_acting())
        return;
    if (*path == '/' || (*path && fd_way_join(fd, path, name, &base, &private))) {
        fd_act_program(*path == '/' ? path : name, argv);
        return;
    }
    fd_line_text(&l, "/proc/self/fd/");
    fd_line_number(&l, fd);
    long n = FD_SYS4(SYS_readlinkat, AT_FDCWD, link, name, sizeof name - 1);
    if (*path || n <= 0)
        return;
    name[n] = 0;
    note_program(name, argv);
}

void fd_act_shell(const char *command)
{
    union { /* execve's own type: nobody writes there */
        const char *from;
        char *to;
    } words[] = {{"sh"}, {"-c"}, {command}};
    char *argv[] = {words[0].to, words[1].to, words[2].to, NULL};
    fd_act_program("/bin/sh", argv);
}

static bool is_below(const char *path, const char *folder)
{
    const struct fd_folder f = {folder, fd_text_len(folder)};
    return fd_folder_rest(&f, path) >= 0;
}

/* A temporary place, what only looks like a file, what Python and pytest keep for themselves, or
 * the test's own. */
static bool is_nobodys(const char *path)
{
    static const char *const folders[] = {"/tmp", "/var/tmp", "/dev", "/proc"};
    static const char *const names[] = {"/__pycache__", "/.pytest_cache"};
    const struct fd_seen *s = &fd_live.page->seen;
    for (unsigned int i = 0; i < sizeof folders / sizeof *folders; i++)
        if (is_below(path, folders[i]))
            return true;
    for (unsigned int i = 0; i < sizeof names / sizeof *names; i++)
        if (fd_text_find(path, names[i]))
            return true;
    for (unsigned int i = 0; i < FD_FOLDERS && s->may_write[i][0]; i++)
        if (is_below(path, s->may_write[i]))
            return true;
    return false;
}

static bool writable(const char *path)
{
    return FD_SYS3(SYS_faccessat, AT_FDCWD, path, 2 /* W_OK */) == 0;
}

static bool folder_writable(const char *path, size_t len)
{
    char folder[FD_WAY_ROOM];
    while (len > 1 && path[len - 1] == '/')
        len--;
    while (len > 1 && path[len - 1] != '/')
        len--;
    fd_copy(folder, path, len);
    folder[len] = 0;
    return writable(folder);
}

/* Would it come to anything? What is not there is not removed, what is there is not made. */
static bool works(const char *path, unsigned int how)
{
    struct stat s;
    int flags = how & FD_LAST ? AT_SYMLINK_NOFOLLOW : 0;
    if (FD_SYS4(SYS_newfstatat, AT_FDCWD, path, &s, flags))
        return how & FD_MAKES && folder_writable(path, fd_text_len(path));
    if (!(how & FD_CHANGES) || !(S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || S_ISLNK(s.st_mode)))
        return false;
    return how & FD_LAST ? folder_writable(path, fd_text_len(path)) : writable(path);
}

/* noinline: the buffer is on the stack only while it is needed. */
__attribute__((noinline)) static void act_on(int at, const char *path, unsigned int how)
{
    char name[FD_WAY_ROOM];
    size_t base;
    bool private;
    if (*path == '/') {
        struct fd_line l = {name, sizeof name, 0};
        fd_line_text(&l, path);
    } else if (!fd_way_join(at, path, name, &base, &private)) {
        return;
    }
    if (!is_nobodys(name) && works(name, how))
        note(how & FD_MAKES || !(how & FD_LAST) ? FD_ACT_WRITES : FD_ACT_REMOVES, name);
}

void fd_act_file(int at, const char *path, unsigned int how)
{
    if (fd_acting())
        act_on(at, path, how);
}
