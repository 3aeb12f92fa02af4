/* Links below a `to`. Their text is what the program wrote and names the world as it knows it, so
 * the kernel must not follow them by itself: "$HOME/b -> $HOME/a" would lead to the real HOME. */
#include "shim/raw.h"
#include "shim/text.h"
#include "shim/way_impl.h"
#include <errno.h>

#define MOST_LINKS 40 /* the kernel's own limit */

struct link {
    char *text; /* what it says, 0-terminated */
    size_t size;
    size_t start, end; /* its name in the path */
    long err;          /* where there is none: why the way ends here */
};

/* The first link in path[from...] that would be followed. */
static bool first_link(char *path, size_t from, unsigned int how, struct link *ret)
{
    for (size_t end = from; path[end];) {
        while (path[end] == '/')
            end++;
        size_t start = end;
        while (path[end] && path[end] != '/')
            end++;
        if (end == start || (!path[end] && how & FD_LAST))
            return false;
        char kept = path[end];
        path[end] = 0;
        long n = FD_SYS4(SYS_readlinkat, AT_FDCWD, path, ret->text, ret->size - 1);
        path[end] = kept;
        if (n > 0) {
            ret->text[n] = 0;
            ret->start = start;
            ret->end = end;
            return true;
        }
        ret->err = n;
        if (n != -EINVAL)
            return false;
    }
    return false;
}

bool fd_way_linked(const char *path, const struct fd_place *pl, unsigned int how)
{
    size_t size = pl->map->to.len + fd_text_len(path) - pl->rest + 1;
    char *to = alloca(size), text[2]; /* that it is one is all we ask */
    struct link l = {.text = text, .size = sizeof text};
    fd_way_compose(path, pl, to, size);
    return first_link(to, pl->map->to.len, how, &l);
}

/* Puts a link's text in the place of its name. False if that becomes too long. */
static bool replace(char *path, const struct link *l)
{
    size_t head = *l->text == '/' ? 0 : l->start, n = fd_text_len(l->text);
    size_t tail = fd_text_len(path + l->end) + 1;
    if (head + n + tail > PATH_MAX)
        return false;
    fd_move(path + head + n, path + l->end, tail);
    fd_copy(path + head, l->text, n);
    return true;
}

bool fd_way_real(const char *path, char *ret)
{
    char text[PATH_MAX];
    struct link l = {.text = text, .size = sizeof text};
    struct fd_line whole = {ret, PATH_MAX, 0};
    fd_line_text(&whole, path);
    for (int i = 0; i < MOST_LINKS; i++) {
        l.err = -EINVAL;
        if (!first_link(ret, 0, FD_FOLLOW, &l))
            return l.err == -EINVAL;
        if (!replace(ret, &l))
            return false;
    }
    return false;
}

__attribute__((noinline)) void fd_way_resolve(int at, const char *path, unsigned int how,
                                              char *buf)
{
    char name[FD_WAY_ROOM], text[PATH_MAX];
    struct link l = {.text = text, .size = sizeof text};
    struct fd_place pl;
    size_t base;
    bool private;
    struct fd_line as_is = {buf, FD_WAY_ROOM, 0};
    if (!fd_way_join(at, path, name, &base, &private)) {
        fd_line_text(&as_is, path);
        return;
    }
    for (int i = 0; i < MOST_LINKS; i++) {
        if (!fd_way_place(name, &pl) || !pl.map->to.len) {
            if (!fd_paths_around(&fd_paths, name, buf, FD_WAY_ROOM))
                fd_line_text(&as_is, name);
            return;
        }
        fd_way_compose(name, &pl, buf, FD_WAY_ROOM);
        if (!first_link(buf, pl.map->to.len, how, &l))
            return;
        l.start = l.start - pl.map->to.len + pl.rest;
        l.end = l.end - pl.map->to.len + pl.rest;
        if (!replace(name, &l))
            return;
    }
}
