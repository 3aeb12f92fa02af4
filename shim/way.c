#include "shim/way.h"
#include "shim/acts.h"
#include "shim/raw.h"
#include "shim/seen.h"
#include "shim/text.h"
#include "shim/way_impl.h"
#include <errno.h>

static size_t room_for(const char *path, const struct fd_place *pl, unsigned int how)
{
    size_t n = fd_text_len(path), room = pl->map->to.len + n - pl->rest + 1;
    if (n >= PATH_MAX || (how & FD_PROGRAM && fd_way_there(AT_FDCWD, path)) ||
        (how & FD_ASKS && how & FD_LAST && pl->map->link && !path[pl->rest]))
        return 0;
    if (room > FD_WAY_ROOM)
        return FD_WAY_ROOM;
    return fd_way_linked(path, pl, how) ? FD_WAY_DEEP : room;
}

/* noinline: the buffer is on the stack only while it is needed. */
__attribute__((noinline)) static size_t look_from(int at, const char *path, unsigned int how,
                                                  const char *hook)
{
    char name[FD_WAY_ROOM];
    struct fd_place pl;
    size_t base;
    bool private;
    if (!fd_way_join(at, path, name, &base, &private))
        return 0;
    if (!fd_way_place(name, &pl)) /* out of a private folder, so not where the kernel thinks */
        return private ? FD_WAY_DEEP : 0;
    fd_way_note(name, &pl, how, hook);
    if (!pl.map->to.len)
        return private ? FD_WAY_DEEP : 0;
    if (how & FD_PROGRAM && fd_way_there(at, path))
        return 0;
    if (private && pl.rest <= base && !fd_way_linked(name, &pl, how))
        return 0; /* below it all the way: the kernel finds it */
    return FD_WAY_DEEP;
}

size_t fd_way_look(int at, const char *path, unsigned int how, const char *hook)
{
    struct fd_place pl;
    if (!path || !*path)
        return 0;
    if (how & (FD_CHANGES | FD_MAKES) && fd_live.paths & FD_WAY_WATCHED)
        fd_act_file(at, path, how);
    if (fd_live.paths & FD_WAY_WATCHED)
        fd_ambient_note(at, path, how);
    if (fd_live.paths & FD_WAY_AMBIENT && fd_ambient_planted(at, path, how))
        return FD_WAY_PLANT;
    if (*path != '/' && fd_way_asks(at, path, how))
        return look_from(at, path, how, hook);
    if (*path != '/') {
        fd_ambient_touch(at, path, how, hook);
        return 0;
    }
    if (fd_thread.inside && fd_paths_below_to(&fd_paths, path))
        return 0;
    if (fd_live.paths & FD_WAY_WATCHED)
        fd_way_note_missing(path, how);
    if (fd_way_place(path, &pl)) {
        fd_way_note(path, &pl, how, hook);
        return pl.map->to.len ? room_for(path, &pl, how) : 0;
    }
    fd_ambient_touch(at, path, how, hook);
    fd_way_note_tmp(path, how);
    char none[1];
    return fd_live.paths & FD_WAY_TRANSLATED && fd_paths_around(&fd_paths, path, none, sizeof none)
               ? FD_WAY_DEEP
               : 0;
}

char *fd_way_make(int at, const char *path, unsigned int how, char *buf, size_t room)
{
    struct fd_place pl;
    if (room == FD_WAY_PLANT) {
        *buf = 0; /* not found, if it cannot be had */
        fd_thread.planted = fd_ambient_open(buf) + 1;
        return buf;
    }
    if (room == FD_WAY_DEEP)
        fd_way_resolve(at, path, how, buf);
    else if (fd_paths_find(&fd_paths, path, &pl)) /* look() said so */
        fd_way_compose(path, &pl, buf, room);
    return buf;
}

void fd_way_leave_plant(void)
{
    if (fd_thread.planted)
        (void)FD_SYS1(SYS_close, fd_thread.planted - 1);
    fd_thread.planted = 0;
}

const char *fd_path_real(const char *path, char *buf, size_t size)
{
    size_t room = fd_live.paths ? fd_way_look(AT_FDCWD, path, FD_FOLLOW, "socket") : 0;
    if (!room)
        return path;
    path = fd_way_make(AT_FDCWD, path, FD_FOLLOW, alloca(room), room);
    size_t n = fd_text_len(path) + 1;
    if (n > size) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    fd_copy(buf, path, n);
    return buf;
}

static bool runs(const char *path, char *buf, size_t size)
{
    size_t room = fd_way_look(AT_FDCWD, path, FD_PROGRAM, "exec");
    if (!room || room > size)
        return false;
    (void)fd_way_make(AT_FDCWD, path, FD_PROGRAM, buf, room);
    return FD_SYS3(SYS_faccessat, AT_FDCWD, buf, 1 /* X_OK */) == 0;
}

const char *fd_way_which(const char *file, char *const *envp, char *buf, size_t size)
{
    char path[512];
    const char *at = fd_text_env(envp, "PATH");
    if (!(fd_live.paths & FD_WAY_TRANSLATED) || fd_text_find(file, "/"))
        return NULL;
    while (at && *at) {
        struct fd_line l = {path, sizeof path, 0};
        for (; *at && *at != ':'; at++)
            fd_line_text(&l, (const char[2]){*at, 0});
        fd_line_text(&l, "/");
        fd_line_text(&l, file);
        if (*path == '/' && l.len + 1 < sizeof path && runs(path, buf, size))
            return buf;
        at += *at == ':';
    }
    return NULL;
}
