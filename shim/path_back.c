/* Where the kernel answers with a path: the program is told the name that it knows it by, so that
 * getcwd, realpath and what it was given agree. */
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/text.h"
#include "shim/way.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Exchanges the beginning of `text`, `len` bytes in a buffer of `size`, in place. The new length
 * may be more than `size`: then it is only told. */
static size_t exchange(char *text, size_t len, const struct fd_place *pl, size_t size)
{
    const struct fd_folder *to = &pl->map->to;
    size_t tail = len - pl->rest;
    if (to->len + tail <= size) {
        fd_move(text + to->len, text + pl->rest, tail);
        fd_copy(text, to->at, to->len);
    }
    return to->len + tail;
}

/* The folder the process stands in, as it knows it; its length, or 0 if the kernel's name will do.
 * FD_WAY_ROOM bytes. */
static size_t standing(char *ret)
{
    struct fd_place pl;
    long n = FD_SYS2(SYS_getcwd, ret, PATH_MAX);
    if (n <= 1 || !fd_paths_find_back(&fd_paths, ret, (size_t)n - 1, &pl))
        return 0;
    size_t len = exchange(ret, (size_t)n - 1, &pl, PATH_MAX);
    if (len >= PATH_MAX)
        return 0;
    ret[len] = 0;
    return len;
}

static char *failed(int err)
{
    errno = err;
    return NULL;
}

/* These allocate for the program where its own contract says so. */
__attribute__((noinline)) static char *standing_in(char *buf, size_t size)
{
    char at[FD_WAY_ROOM];
    size_t len = standing(at);
    if (!len)
        return REAL(getcwd)(buf, size);
    if (buf && !size)
        return failed(EINVAL);
    if (size ? len >= size : buf != NULL)
        return failed(ERANGE);
    char *to = buf ? buf : malloc(size ? size : len + 1);
    if (to)
        fd_copy(to, at, len + 1);
    return to;
}

FD_EXPORT char *getcwd(char *buf, size_t size)
{
    return fd_way_translates() ? standing_in(buf, size) : REAL(getcwd)(buf, size);
}

FD_EXPORT char *__getcwd_chk(char *buf, size_t size, size_t room)
{
    return fd_way_translates() && size <= room ? standing_in(buf, size)
                                               : REAL(__getcwd_chk)(buf, size, room);
}

FD_EXPORT char *getwd(char *buf)
{
    return fd_way_translates() ? standing_in(buf, PATH_MAX) : REAL(getwd)(buf);
}

/* libc's own looks at $PWD, in the real HOME. */
__attribute__((noinline)) static char *standing_by_name(void)
{
    char at[FD_WAY_ROOM], there[FD_WAY_ROOM];
    struct fd_place pl;
    const char *said = fd_text_env(environ, "PWD");
    if (!standing(at))
        return REAL(get_current_dir_name)();
    if (said && *said == '/' && fd_paths_find(&fd_paths, said, &pl)) {
        struct fd_line l = {there, sizeof there, 0};
        fd_line_text(&l, pl.map->to.at);
        fd_line_text(&l, said + pl.rest);
        long n = FD_SYS2(SYS_getcwd, at, PATH_MAX);
        if (n > 0 && fd_text_equal(at, there))
            return strdup(said);
    }
    return standing_in(NULL, 0);
}

FD_EXPORT char *get_current_dir_name(void)
{
    return fd_way_translates() ? standing_by_name() : REAL(get_current_dir_name)();
}

/* A path that libc wrote into the caller's PATH_MAX bytes, or allocated. */
static char *known(char *path, bool owned)
{
    struct fd_place pl;
    if (!path || !fd_way_translates())
        return path;
    size_t len = fd_text_len(path);
    if (!fd_paths_find_back(&fd_paths, path, len, &pl))
        return path;
    size_t size = owned ? len + 1 : PATH_MAX, want = exchange(path, len + 1, &pl, size);
    if (want <= size)
        return path;
    if (!owned)
        return failed(ENAMETOOLONG);
    char *longer = realloc(path, want);
    if (longer)
        (void)exchange(longer, len + 1, &pl, want);
    else
        free(path);
    return longer;
}

FD_EXPORT char *realpath(const char *path, char *buf)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "realpath");
    return known(REAL(realpath)(path, buf), !buf);
}

FD_EXPORT char *__realpath_chk(const char *path, char *buf, size_t room)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "realpath");
    return known(REAL(__realpath_chk)(path, buf, room), !buf);
}

FD_EXPORT char *canonicalize_file_name(const char *path)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "canonicalize_file_name");
    return known(REAL(canonicalize_file_name)(path), true);
}

FD_EXPORT char *tempnam(const char *path, const char *prefix)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "tempnam");
    return known(REAL(tempnam)(path, prefix), true);
}

/* A link's text has no end of its own and may be cut: it is read again, whole. */
__attribute__((noinline)) static ssize_t read_again(int at, const char *path, char *buf,
                                                    size_t size)
{
    char text[FD_WAY_ROOM];
    struct fd_place pl;
    long n = FD_SYS4(SYS_readlinkat, at, path, text, PATH_MAX);
    if (n <= 0 || !fd_paths_find_back(&fd_paths, text, (size_t)n, &pl))
        return -1;
    size_t len = exchange(text, (size_t)n, &pl, sizeof text);
    if (len > sizeof text)
        return -1;
    len = len < size ? len : size;
    fd_copy(buf, text, len);
    return (ssize_t)len;
}

static ssize_t link_known(int at, const char *path, char *buf, ssize_t n, size_t size)
{
    if (n <= 0 || *buf != '/' || !fd_way_translates())
        return n;
    ssize_t len = read_again(at, path, buf, size);
    return len < 0 ? n : len;
}

FD_EXPORT ssize_t readlink(const char *path, char *buf, size_t size)
{
    FD_WAY(AT_FDCWD, path, FD_LAST | FD_ASKS, "readlink");
    return link_known(AT_FDCWD, path, buf, REAL(readlink)(path, buf, size), size);
}

FD_EXPORT ssize_t readlinkat(int fd, const char *path, char *buf, size_t size)
{
    FD_WAY(fd, path, FD_LAST | FD_ASKS, "readlinkat");
    return link_known(fd, path, buf, REAL(readlinkat)(fd, path, buf, size), size);
}

FD_EXPORT ssize_t __readlink_chk(const char *path, char *buf, size_t size, size_t room)
{
    FD_WAY(AT_FDCWD, path, FD_LAST | FD_ASKS, "readlink");
    return link_known(AT_FDCWD, path, buf, REAL(__readlink_chk)(path, buf, size, room), size);
}

FD_EXPORT ssize_t __readlinkat_chk(int fd, const char *path, char *buf, size_t size, size_t room)
{
    FD_WAY(fd, path, FD_LAST | FD_ASKS, "readlinkat");
    return link_known(fd, path, buf, REAL(__readlinkat_chk)(fd, path, buf, size, room), size);
}
