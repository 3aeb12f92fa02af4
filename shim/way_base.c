/* Relative paths. Most need no look at where they start: the kernel stands where chdir, or the
 * opening of the folder, was translated to. What is left is ".." out of there, a start above or in
 * the real HOME, and links. */
#include "shim/raw.h"
#include "shim/text.h"
#include "shim/way_impl.h"

enum stand {
    STAND_ELSEWHERE, /* no name can lead below a `from` but by ".." */
    STAND_ABOVE,     /* "u/x" in /home may */
    STAND_BELOW,     /* below a `from`, really: started there, or by nobody that we know */
    STAND_PRIVATE,   /* below a `to` */
};
static uint32_t stand;

static bool is_up(const char *name)
{
    return name[0] == '.' && name[1] == '.' && (!name[2] || name[2] == '/');
}

static bool is_last_name(const char *name, size_t n, const struct fd_folder *f)
{
    const char *last = fd_text_base(f->at);
    return fd_text_len(last) == n && fd_text_starts(name, last);
}

/* Does it go up, or name a folder of a pair? */
static bool may_lead_below(const char *path, bool by_name)
{
    for (const char *at = path; *at;) {
        size_t n = 0;
        while (at[n] && at[n] != '/')
            n++;
        if (is_up(at))
            return true;
        for (unsigned int i = 0; by_name && i < fd_paths.maps; i++)
            if (is_last_name(at, n, &fd_paths.map[i].from))
                return true;
        at += n + (at[n] == '/');
    }
    return false;
}

bool fd_way_asks(int at, const char *path, unsigned int how)
{
    if (at == AT_FDCWD)
        return __atomic_load_n(&stand, __ATOMIC_RELAXED) != STAND_ELSEWHERE ||
               may_lead_below(path, false);
    if (!(fd_live.paths & FD_WAY_TRANSLATED)) /* the folder was counted when it was opened */
        return false;
    return !(how & FD_LAST) || fd_text_find(path, "/") || may_lead_below(path, true);
}

/* The kernel's name for it, 0-terminated, or -1. */
static long kernel_name(int at, char *buf, size_t size)
{
    if (at == AT_FDCWD) {
        long n = FD_SYS2(SYS_getcwd, buf, size);
        return n > 1 && *buf == '/' ? n - 1 : -1;
    }
    char link[40];
    struct fd_line l = {link, sizeof link, 0};
    fd_line_text(&l, "/proc/self/fd/");
    fd_line_number(&l, at);
    long n = FD_SYS4(SYS_readlinkat, AT_FDCWD, link, buf, size - 1);
    if (n <= 0 || *buf != '/')
        return -1;
    buf[n] = 0;
    return n;
}

bool fd_way_join(int at, const char *path, char *ret, size_t *ret_base, bool *ret_private)
{
    struct fd_place pl;
    *ret_base = 0;
    *ret_private = false;
    if (*path != '/') {
        long n = kernel_name(at, ret, PATH_MAX);
        if (n < 0)
            return false;
        *ret_private = fd_paths_find_back(&fd_paths, ret, (size_t)n, &pl);
        if (*ret_private) {
            size_t tail = (size_t)n - pl.rest, head = pl.map->to.len;
            if (head + tail >= PATH_MAX)
                return false;
            fd_move(ret + head, ret + pl.rest, tail + 1);
            fd_copy(ret, pl.map->to.at, head);
            n = (long)(head + tail);
        }
        *ret_base = (size_t)n;
    }
    struct fd_line l = {ret, FD_WAY_ROOM, *ret_base};
    fd_line_text(&l, *path == '/' ? "" : "/");
    fd_line_text(&l, path);
    return l.len < PATH_MAX;
}

static bool lies_below(const struct fd_folder *f, const char *folder, size_t len)
{
    return f->len > len && fd_text_starts(f->at, folder) && (f->at[len] == '/' || len == 1);
}

__attribute__((noinline)) static enum stand standing(void)
{
    char at[PATH_MAX];
    struct fd_place pl;
    long n = FD_SYS2(SYS_getcwd, at, sizeof at);
    if (n <= 1 || *at != '/')
        return STAND_ELSEWHERE;
    if (fd_paths_find_back(&fd_paths, at, (size_t)n - 1, &pl))
        return STAND_PRIVATE;
    if (fd_way_place(at, &pl))
        return STAND_BELOW;
    for (unsigned int i = 0; i < fd_paths.maps; i++)
        if (lies_below(&fd_paths.map[i].from, at, (size_t)n - 1))
            return STAND_ABOVE;
    return STAND_ELSEWHERE;
}

void fd_way_stand(void)
{
    if ((int32_t)FD_SYS1(SYS_getpid, 0) != fd_live.pid)
        return; /* a vfork child: what it would write is its parent's */
    __atomic_store_n(&stand, standing(), __ATOMIC_RELAXED);
}
