#include "exec/sandbox_impl.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_AT 2000 /* some 4 ms; what is foreign is seldom deep only: a checkout, a volume */

static bool is_foreign(const struct stat *st)
{
    return st->st_uid != geteuid() || st->st_gid != getegid();
}

/* One folder of the walk; its subfolders join the queue. */
static bool look_into(const char *path, struct argv *queue, int *left)
{
    bool found = false;
    DIR *dir = opendir(path);
    struct stat st;
    while (dir && !found && *left > 0) {
        struct dirent *d = readdir(dir);
        if (!d)
            break;
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
            fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        --*left;
        found = is_foreign(&st);
        if (S_ISDIR(st.st_mode))
            argv_addf(queue, "%s/%s", path, d->d_name);
    }
    if (dir)
        closedir(dir);
    return found;
}

bool sandbox_foreign(const char *folder)
{
    struct stat st;
    int left = LOOK_AT;
    if (sandbox_may_mount() || stat(folder, &st) < 0)
        return false;
    bool found = is_foreign(&st);
    own_argv struct argv queue = {0};
    argv_add(&queue, folder);
    for (size_t i = 0; i < queue.n && left > 0 && !found; i++)
        found = look_into(queue.at[i], &queue, &left);
    return found;
}
