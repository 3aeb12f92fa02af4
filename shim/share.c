#include "shim/share.h"
#include "shim/page.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/un.h>

/* Paths that are of no file, and what Python compiles for itself. */
static bool is_no_file(const char *path)
{
    return (fd_text_starts(path, "/dev/") && !fd_text_starts(path, "/dev/shm/")) ||
           fd_text_starts(path, "/proc/") || fd_text_starts(path, "/sys/") ||
           fd_text_find(path, "/__pycache__/");
}

/* Bytes of `page` up to the end of the folder of all trials, "/tmp/fr-a1b2c3"; 0: it is none. */
static size_t all_trials(const char *page)
{
    const char *mark = fd_text_find(page, "/fr-");
    size_t n = mark ? (size_t)(mark - page) + 1 : 0;
    while (n && page[n] && page[n] != '/')
        n++;
    return n;
}

static bool same(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Below the folder of all trials, where pytest's cache lies too, but for the folders that stand for
 * HOME and /tmp there; or in the folder `t` beside the page: the trial's own temporary one. */
static bool is_own(const char *page, const char *path)
{
    size_t n = all_trials(page);
    if (n && same(path, page, n) && path[n] == '/')
        return !fd_text_find(path + n, "/tmp/") && !fd_text_find(path + n, "/home/");
    n = (size_t)(fd_text_base(page) - page);
    return same(path, page, n) && path[n] == 't' && (path[n + 1] == '/' || !path[n + 1]);
}

/* The path of the page, or NULL: by hand nobody asks. */
static const char *page_path(void)
{
    const char *entry = fd_page_entry();
    return entry ? entry + sizeof FD_ENV_PAGE : NULL;
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
__attribute__((noinline)) static bool is_shared_from(const char *page, int at,
                                                     const char *path)
{
    char whole[PATH_MAX + 1];
    if (!folder_of(at, whole, sizeof whole))
        return true;
    struct fd_line l = {whole, sizeof whole, fd_text_len(whole)};
    fd_line_text(&l, path);
    return !is_no_file(whole) && !is_own(page, whole);
}

void fd_share_path_look(int at, const char *path, const char *hook)
{
    const char *page = page_path();
    if (!page || !fd_readable(path, 1) || !*path)
        return;
    if (*path == '/' ? !is_no_file(path) && !is_own(page, path) : is_shared_from(page, at, path))
        fd_touch(FD_AXIS_WORKERS, hook);
}

void fd_share_bound(const struct sockaddr *sa, socklen_t len)
{
    if (!fd_share_counts() || !page_path() || !sa)
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
