#include "shim/raw.h"
#include "shim/seen.h"
#include "shim/text.h"
#include "shim/way_impl.h"

struct fd_paths fd_paths;

bool fd_way_there(int at, const char *path)
{
    return FD_SYS3(SYS_faccessat, at, path, 0) == 0;
}

/* A folder of packages that a test makes for itself is a file like others. */
static bool packages_are_there(const char *path, size_t end)
{
    char *folder = alloca(end + 1);
    fd_copy(folder, path, end);
    folder[end] = 0;
    return fd_way_there(AT_FDCWD, folder);
}

bool fd_way_place(const char *path, struct fd_place *ret)
{
    struct fd_place pl;
    if (!fd_paths_find(&fd_paths, path, &pl))
        return false;
    if (pl.packages && (!pl.map->to.len || packages_are_there(path, pl.packages)))
        return false;
    *ret = pl;
    return true;
}

static void watch(enum fd_need need, const char *path, unsigned int how)
{
    if (how & FD_NEW || !fd_seen_before(AT_FDCWD, path))
        return;
    fd_seen_need(need, path);
    fd_seen_path(path);
}

void fd_way_note(const char *path, const struct fd_place *pl, unsigned int how, const char *hook)
{
    if (!fd_path_names(path + pl->rest))
        return; /* HOME itself */
    fd_touch(FD_AXIS_FS, hook);
    if (fd_live.paths & FD_WAY_WATCHED && !pl->map->to.len)
        watch(FD_NEED_HOME, path, how);
}

/* noinline: the buffer is on the stack only while it is needed. */
__attribute__((noinline)) static void note_real(const char *rest, unsigned int how)
{
    char path[FD_WAY_ROOM];
    struct fd_line l = {path, sizeof path, 0};
    fd_line_text(&l, fd_paths.stands_for.to.at);
    fd_line_text(&l, rest);
    watch(FD_NEED_HOME, path, how);
}

void fd_way_note_missing(const char *path, unsigned int how)
{
    if (!fd_paths.stands_for.home)
        return;
    long rest = fd_folder_rest(&fd_paths.stands_for.from, path);
    if (rest >= 0 && fd_path_names(path + rest) && !fd_way_there(AT_FDCWD, path))
        note_real(path + rest, how);
}

void fd_way_compose(const char *path, const struct fd_place *pl, char *buf, size_t room)
{
    struct fd_line l = {buf, room, 0};
    fd_line_text(&l, pl->map->to.at);
    fd_line_text(&l, path + pl->rest);
}

void fd_way_note_tmp(const char *path, unsigned int how)
{
    if (fd_live.paths & FD_WAY_WATCHED && fd_paths_in_tmp(&fd_paths, path))
        watch(FD_NEED_TMP, path, how);
}
