#include "shim/ambient.h"
#include "shim/acts.h"
#include "shim/raw.h"
#include "shim/text.h"
#include "shim/way.h"
#include "shim/way_impl.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* No parser takes it: not for INI (no section), JSON, YAML, TOML, XML, shell and dotenv (no "="),
 * a table of columns, a number or a pickle. It is text nevertheless: what cannot be decoded would
 * be another cause. */
static const char malformed[] =
    "]} this is no file of its kind: [<{\n\t\"unclosed 'quote\n&&& <>\n";

static enum fd_fs held(void)
{
    return fd_live_held(FD_AXIS_FS) ? (enum fd_fs)fd_live.page->settings.fs : FD_FS_REAL;
}

/* The path as an absolute one; FD_WAY_ROOM bytes. */
static bool absolute(int at, const char *path, char *ret)
{
    size_t base;
    bool private;
    if (!fd_way_join(at, path, ret, &base, &private))
        return false;
    fd_ambient_tidy(ret);
    return true;
}

/* What follows the folder in `path`, or NULL if it is not below it. */
static const char *below(const char *folder, const char *path)
{
    size_t n = fd_text_len(folder);
    return n > 1 && fd_text_starts(path, folder) && path[n] == '/' && path[n + 1] ? path + n + 1
                                                                                  : NULL;
}

static void name(const char *path, char *ret, size_t size)
{
    struct fd_line l = {ret, size, 0};
    const char *here = below(fd_ambient.stood, path), *own = below(fd_ambient.home, path);
    if (!here && own)
        fd_line_text(&l, "~/");
    fd_line_text(&l, here ? here : own ? own : path);
}

/* ---- what is looked for ---------------------------------------------------------------------- */

/* What Python's imports, pytest and libc look for by themselves. */
static bool is_machinery(const char *path)
{
    static const char *const ends[] = {".py",  ".pyc", ".pyi", ".so",       ".pth",
                                       ".zip", ".a",   "/",    ".egg-info", ".dist-info"};
    static const char *const parts[] = {"__pycache__", "site-packages", "dist-packages",
                                        "/lib/python", ".pytest_cache", "flaky_repro",
                                        "pyvenv.cfg",  ".egg-info/",   "terminfo",
                                        "inputrc",     "conda-meta/",  ".flaky-repro/"};
    static const char *const names[] = {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml",
                                        "pyproject.toml", "tox.ini", "setup.cfg", "__init__",
                                        ".coveragerc", "conftest"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (fd_text_ends(path, fd_text_len(path), ends[i]))
            return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (fd_text_find(path, parts[i]))
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fd_text_equal(fd_text_base(path), names[i]))
            return true;
    return false;
}

static bool is_of_interest(const char *named)
{
    static const char *const others[] = {"/etc/ld.so", "/etc/localtime", "/etc/timezone",
                                         "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/hosts",
                                         "/etc/passwd", "/etc/group", "/etc/host.conf"};
    if (*named == '/' && !fd_text_starts(named, "/etc/"))
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (fd_text_starts(named, others[i]))
            return false;
    return !is_machinery(named);
}

/* noinline: the buffers are on the stack only while they are needed. */
__attribute__((noinline)) static void note(int at, const char *path, bool makes)
{
    char whole[FD_WAY_ROOM], named[FD_PATH_MAX];
    if (!absolute(at, path, whole))
        return;
    name(whole, named, sizeof named);
    if (makes) {
        fd_seen_made(named);
        if (!fd_live.open)
            return;
        fd_seen_deed(*named == '/' || *named == '~' ? FD_DEED_WRITE : FD_DEED_SOURCE);
    } else if (is_of_interest(named)) {
        fd_seen_missed(named);
    }
}

void fd_ambient_note(int at, const char *path, unsigned int how)
{
    bool makes = how & (FD_NEW | FD_MAKES | FD_CHANGES);
    if (!fd_acting() || fd_live.inside || !(makes || how & FD_READS))
        return;
    if (makes || FD_SYS3(SYS_faccessat, at, path, F_OK) == -ENOENT)
        note(at, path, makes);
}

void fd_ambient_touch(int at, const char *path, unsigned int how, const char *hook)
{
    if (how & FD_READS && fd_live.open && !fd_live.inside &&
        (*path != '/' || below(fd_ambient.stood, path) || fd_text_starts(path, "/etc/")) &&
        FD_SYS3(SYS_faccessat, at, path, F_OK) == -ENOENT)
        fd_touch(FD_AXIS_FS, hook);
}

/* ---- what is planted ------------------------------------------------------------------------- */

__attribute__((noinline)) static bool is_wanted(int at, const char *path)
{
    char whole[FD_WAY_ROOM];
    return absolute(at, path, whole) && fd_text_equal(whole, fd_ambient.wanted);
}

bool fd_ambient_planted(int at, const char *path, unsigned int how)
{
    return held() == FD_FS_PLANT && how & FD_READS &&
           fd_text_equal(fd_text_base(path), fd_text_base(fd_ambient.wanted)) &&
           is_wanted(at, path) && !fd_way_there(at, path);
}

/* A file of its own for each call, gone with it: nothing is written anywhere. It is a day old. */
int fd_ambient_open(char ret[FD_AMBIENT_NAME])
{
    long fd = FD_SYS2(SYS_memfd_create, "planted", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    enum fd_plant kind = fd_live.page->settings.plant;
    struct timespec old = {.tv_sec = fd_live.birth_ns / 1000000000 - 86400};
    const struct timespec times[2] = {old, old};
    if (kind == FD_PLANT_MALFORMED)
        (void)FD_SYS3(SYS_write, fd, malformed, sizeof malformed - 1);
    (void)FD_SYS2(SYS_fchmod, fd, kind == FD_PLANT_UNREADABLE ? 0 : 0644);
    (void)FD_SYS4(SYS_utimensat, fd, NULL, times, 0);
    struct fd_line l = {ret, FD_AMBIENT_NAME, 0};
    fd_line_text(&l, "/proc/self/fd/");
    fd_line_number(&l, fd);
    return (int)fd;
}

/* ---- what takes no more ---------------------------------------------------------------------- */

__attribute__((noinline)) static bool is_source(int at, const char *path)
{
    char whole[FD_WAY_ROOM];
    return *fd_ambient.stood && absolute(at, path, whole) && below(fd_ambient.stood, whole);
}

static bool fails(int err)
{
    fd_injected(FD_AXIS_FS, err);
    errno = err;
    return true;
}

bool fd_ambient_denies(bool planted, int at, const char *path, unsigned int how)
{
    if (planted) /* the rights of root would not mind */
        return fd_live.page->settings.plant == FD_PLANT_UNREADABLE && !(how & FD_ASKS) &&
               fails(EACCES);
    if (held() != FD_FS_READONLY || !(how & (FD_CHANGES | FD_MAKES)) || !fd_live.open || !path ||
        !is_source(at, path))
        return false;
    fd_touch(FD_AXIS_FS, "write");
    return fails(EROFS);
}

static bool is_temporary(int fd)
{
    char link[40], path[PATH_MAX];
    struct fd_line l = {link, sizeof link, 0};
    struct stat s;
    fd_line_text(&l, "/proc/self/fd/");
    fd_line_number(&l, fd);
    long n = FD_SYS4(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (n <= 0 || FD_SYS2(SYS_fstat, fd, &s) || !S_ISREG(s.st_mode))
        return false;
    path[n] = 0;
    return !below(fd_ambient.stood, path) && !below(fd_ambient.home, path) &&
           !fd_text_starts(path, "/memfd:");
}

size_t fd_ambient_rest(int from, const int64_t *at, size_t n)
{
    struct stat s;
    if ((at && !fd_readable(at, sizeof *at)) || FD_SYS2(SYS_fstat, from, &s) || !S_ISREG(s.st_mode))
        return n;
    int64_t begin = at ? *at : FD_SYS3(SYS_lseek, from, 0, SEEK_CUR);
    int64_t left = begin >= 0 && begin < s.st_size ? s.st_size - begin : 0;
    return (uint64_t)left < n ? (size_t)left : n;
}

/* By how much a write of n bytes at `at` makes the file longer: what is written over needs no room.
 * A hole counts like what is in it. */
static uint64_t growth(int fd, size_t n, int64_t at)
{
    struct stat s;
    if (FD_SYS2(SYS_fstat, fd, &s))
        return 0;
    if (at == FD_AT_POSITION) {
        long flags = FD_SYS2(SYS_fcntl, fd, F_GETFL);
        at = flags > 0 && flags & O_APPEND ? s.st_size : FD_SYS3(SYS_lseek, fd, 0, SEEK_CUR);
    }
    uint64_t end;
    return at >= 0 && !__builtin_add_overflow((uint64_t)at, n, &end) && end > (uint64_t)s.st_size
               ? end - (uint64_t)s.st_size
               : 0;
}

bool fd_ambient_full(int fd, size_t n, int64_t at)
{
    if (held() != FD_FS_FULL || !fd_live.open || !is_temporary(fd))
        return false;
    uint64_t more = growth(fd, n, at), *used = &fd_live.page->full_used;
    if (more == 0)
        return false;
    if (__atomic_add_fetch(used, more, __ATOMIC_RELAXED) <= fd_live.page->settings.full_bytes)
        return false;
    __atomic_fetch_sub(used, more, __ATOMIC_RELAXED); /* what has no room takes none */
    return fails(ENOSPC);
}
