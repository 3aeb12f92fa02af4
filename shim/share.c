#include "shim/share.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/un.h>

static char own[PATH_MAX]; /* "/tmp/fr-a1b2c3/7/t"; "": there is no page */

void fd_share_own(const char *page_path)
{
    struct fd_line l = {own, sizeof own, 0};
    fd_line_text(&l, page_path);
    while (l.len && own[l.len - 1] != '/')
        l.len--;
    own[l.len] = 0;
    fd_line_text(&l, "t");
}

/* Paths that are of no file, and what Python compiles for itself. */
static bool is_no_file(const char *path)
{
    return (fd_text_starts(path, "/dev/") && !fd_text_starts(path, "/dev/shm/")) ||
           fd_text_starts(path, "/proc/") || fd_text_starts(path, "/sys/") ||
           fd_text_find(path, "/__pycache__/");
}

static bool is_own(const char *path)
{
    size_t n = fd_text_len(own);
    return fd_text_starts(path, own) && (path[n] == '/' || !path[n]);
}

/* The folder that a relative path starts from, with a slash behind it; false: nobody knows. */
static bool folder_of(int at, char *buf, size_t size)
{
    char link[40];
    long n;
    if (at == AT_FDCWD) {
        n = FD_SYS2(SYS_getcwd, buf, size - 1);
        n = n > 0 ? n - 1 : n; /* with its NUL */
    } else {
        struct fd_line l = {link, sizeof link, 0};
        fd_line_text(&l, "/proc/self/fd/");
        fd_line_number(&l, at);
        n = FD_SYS4(SYS_readlinkat, AT_FDCWD, link, buf, size - 2);
    }
    if (n <= 0 || *buf != '/')
        return false;
    buf[n] = '/';
    buf[n + 1] = 0;
    return true;
}

/* noinline: the buffer is on the stack only while it is needed. */
__attribute__((noinline)) static bool is_shared_from(int at, const char *path)
{
    char whole[PATH_MAX + 1];
    if (!folder_of(at, whole, sizeof whole))
        return true;
    struct fd_line l = {whole, sizeof whole, fd_text_len(whole)};
    fd_line_text(&l, path);
    return !is_no_file(whole) && !is_own(whole);
}

void fd_share_path_look(int at, const char *path, const char *hook)
{
    if (!*own || !fd_readable(path, 1) || !*path)
        return;
    if (*path == '/' ? !is_no_file(path) && !is_own(path) : is_shared_from(at, path))
        fd_touch(FD_AXIS_WORKERS, hook);
}

void fd_share_bound(const struct sockaddr *sa, socklen_t len)
{
    if (!fd_share_counts() || !*own || !sa)
        return;
    /* The port is in one place for both families. */
    if ((sa->sa_family == AF_INET || sa->sa_family == AF_INET6) &&
        len >= offsetof(struct sockaddr_in, sin_addr)) {
        if (((const struct sockaddr_in *)(const void *)sa)->sin_port)
            fd_touch(FD_AXIS_WORKERS, "bind");
    } else if (sa->sa_family == AF_UNIX && len > offsetof(struct sockaddr_un, sun_path)) {
        const struct sockaddr_un *un = (const void *)sa;
        if (*un->sun_path)
            fd_share_path(AT_FDCWD, un->sun_path, "bind");
        else
            fd_touch(FD_AXIS_WORKERS, "bind");
    }
}
