/* Functions that are given a path and nothing else of ours: one row each. Those that also do
 * something else (open, stat, utime, exec, dlopen) have files of their own. */
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/seen.h"
#include "shim/way.h"
#include <sys/types.h>

/* Where relative paths start. */
FD_EXPORT int chdir(const char *path)
{
    FD_WAY(AT_FDCWD, path, FD_FOLLOW, "chdir");
    int ret = REAL(chdir)(path);
    if (!ret && fd_way_on())
        fd_way_stand();
    return ret;
}

FD_EXPORT int fchdir(int fd)
{
    int ret = REAL(fchdir)(fd);
    if (!ret && fd_way_on())
        fd_way_stand();
    return ret;
}

/* ONE: a path from where the process stands; AT: one from a folder's descriptor `fd`. */
#define ONE(type, name, params, args, how)      \
    FD_EXPORT type name params                  \
    {                                           \
        FD_WAY(AT_FDCWD, path, how, #name);     \
        FD_DENY(AT_FDCWD, path, how, (type)-1); \
        return REAL(name) args;                 \
    }
#define AT(type, name, params, args, how)       \
    FD_EXPORT type name params                  \
    {                                           \
        FD_WAY(fd, path, how, #name);           \
        FD_DENY(fd, path, how, (type)-1);       \
        return REAL(name) args;                 \
    }

/* Is it there, what is it */
ONE(int, access, (const char *path, int mode), (path, mode), FD_FOLLOW | FD_ASKS | FD_READS)
ONE(int, eaccess, (const char *path, int mode), (path, mode), FD_FOLLOW | FD_ASKS | FD_READS)
ONE(int, euidaccess, (const char *path, int mode), (path, mode), FD_FOLLOW | FD_ASKS | FD_READS)
AT(int, faccessat, (int fd, const char *path, int mode, int flags), (fd, path, mode, flags),
   FD_NOFOLLOW(flags) | FD_ASKS | FD_READS)
ONE(int, statfs, (const char *path, struct statfs *s), (path, s), FD_FOLLOW)
ONE(int, statfs64, (const char *path, struct statfs64 *s), (path, s), FD_FOLLOW)
ONE(int, __statfs, (const char *path, struct statfs *s), (path, s), FD_FOLLOW)
ONE(int, statvfs, (const char *path, struct statvfs *s), (path, s), FD_FOLLOW)
ONE(int, statvfs64, (const char *path, struct statvfs64 *s), (path, s), FD_FOLLOW)
ONE(long, pathconf, (const char *path, int name), (path, name), FD_FOLLOW)
ONE(key_t, ftok, (const char *path, int id), (path, id), FD_FOLLOW)
ONE(int, inotify_add_watch, (int fd, const char *path, uint32_t mask), (fd, path, mask),
    mask &IN_DONT_FOLLOW ? FD_LAST : FD_FOLLOW)
AT(int, name_to_handle_at,
   (int fd, const char *path, struct file_handle *handle, int *mount, int flags),
   (fd, path, handle, mount, flags), flags &AT_SYMLINK_FOLLOW ? FD_FOLLOW : FD_LAST)

/* Making and taking away */
#define MADE (FD_LAST | FD_NEW | FD_MAKES)
ONE(int, mkdir, (const char *path, mode_t mode), (path, mode), MADE)
AT(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode), MADE)
ONE(int, mkfifo, (const char *path, mode_t mode), (path, mode), MADE)
AT(int, mkfifoat, (int fd, const char *path, mode_t mode), (fd, path, mode), MADE)
ONE(int, rmdir, (const char *path), (path), FD_LAST | FD_CHANGES)
ONE(int, unlink, (const char *path), (path), FD_LAST | FD_CHANGES)
AT(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), FD_LAST | FD_CHANGES)
ONE(int, remove, (const char *path), (path), FD_LAST | FD_CHANGES)
ONE(int, truncate, (const char *path, off_t size), (path, size), FD_FOLLOW | FD_CHANGES)
ONE(int, truncate64, (const char *path, off64_t size), (path, size), FD_FOLLOW | FD_CHANGES)

/* A link's text is the program's own; only the place where it lies is translated. */
ONE(int, symlink, (const char *text, const char *path), (text, path), MADE)
AT(int, symlinkat, (const char *text, int fd, const char *path), (text, fd, path), MADE)

/* Who may, and whose it is */
ONE(int, chmod, (const char *path, mode_t mode), (path, mode), FD_FOLLOW | FD_CHANGES)
ONE(int, lchmod, (const char *path, mode_t mode), (path, mode), FD_LAST | FD_CHANGES)
AT(int, fchmodat, (int fd, const char *path, mode_t mode, int flags), (fd, path, mode, flags),
   FD_NOFOLLOW(flags) | FD_CHANGES)
ONE(int, chown, (const char *path, uid_t uid, gid_t gid), (path, uid, gid), FD_FOLLOW | FD_CHANGES)
ONE(int, lchown, (const char *path, uid_t uid, gid_t gid), (path, uid, gid), FD_LAST | FD_CHANGES)
AT(int, fchownat, (int fd, const char *path, uid_t uid, gid_t gid, int flags),
   (fd, path, uid, gid, flags), FD_NOFOLLOW(flags) | FD_CHANGES)

/* Extended attributes */
#define XATTR(prefix, how)                                                                        \
    ONE(ssize_t, prefix##getxattr, (const char *path, const char *key, void *buf, size_t n),      \
        (path, key, buf, n), how)                                                                 \
    ONE(int, prefix##setxattr,                                                                    \
        (const char *path, const char *key, const void *buf, size_t n, int flags),                \
        (path, key, buf, n, flags), (how) | FD_CHANGES)                                           \
    ONE(ssize_t, prefix##listxattr, (const char *path, char *buf, size_t n), (path, buf, n), how) \
    ONE(int, prefix##removexattr, (const char *path, const char *key), (path, key),                \
        (how) | FD_CHANGES)
XATTR(, FD_FOLLOW)
XATTR(l, FD_LAST)

/* What posix_spawn will do in the child, said beforehand: opened and stood in like by open and
 * chdir, or one name would be two files in one program. */
ONE(int, posix_spawn_file_actions_addopen,
    (posix_spawn_file_actions_t *fa, int fd, const char *path, int flags, mode_t mode),
    (fa, fd, path, flags, mode),
    FD_FOLLOW | (flags & (O_WRONLY | O_RDWR) ? FD_CHANGES : 0) | (flags &O_CREAT ? FD_MAKES : 0))
ONE(int, posix_spawn_file_actions_addchdir_np,
    (posix_spawn_file_actions_t *fa, const char *path), (fa, path), FD_FOLLOW)

/* Two paths. A macro again, because each has its room on the stack of the hook. */
#define TWO(name, params, args, at, to_at, how)                                       \
    FD_EXPORT int name params                                                         \
    {                                                                                 \
        FD_WAY(at, path, how, #name);                                                 \
        FD_WAY(to_at, to, FD_LAST | FD_NEW | FD_MAKES | ((how) & FD_CHANGES), #name); \
        FD_DENY(at, path, how, -1);                                                   \
        FD_DENY(to_at, to, FD_MAKES, -1);                                             \
        return REAL(name) args;                                                       \
    }
TWO(rename, (const char *path, const char *to), (path, to), AT_FDCWD, AT_FDCWD,
    FD_LAST | FD_CHANGES)
TWO(renameat, (int fd, const char *path, int to_fd, const char *to), (fd, path, to_fd, to), fd,
    to_fd, FD_LAST | FD_CHANGES)
TWO(renameat2, (int fd, const char *path, int to_fd, const char *to, unsigned int flags),
    (fd, path, to_fd, to, flags), fd, to_fd, FD_LAST | FD_CHANGES)
TWO(link, (const char *path, const char *to), (path, to), AT_FDCWD, AT_FDCWD, FD_LAST)
TWO(linkat, (int fd, const char *path, int to_fd, const char *to, int flags),
    (fd, path, to_fd, to, flags), fd, to_fd, flags &AT_SYMLINK_FOLLOW ? FD_FOLLOW : FD_LAST)

/* mknod was no function of its own before 2.33, and __xmknod is none for programs built since. */
#define MKNOD(name, params, args, at, device)                                              \
    FD_EXPORT int name params                                                              \
    {                                                                                      \
        FD_WAY(at, path, MADE, #name);                                                     \
        FD_DENY(at, path, MADE, -1);                                                       \
        return REAL(name) ? real_##name args                                               \
                          : (int)fd_raw_result(FD_SYS4(SYS_mknodat, at, path, mode, device)); \
    }
MKNOD(mknod, (const char *path, mode_t mode, dev_t dev), (path, mode, dev), AT_FDCWD, dev)
MKNOD(mknodat, (int fd, const char *path, mode_t mode, dev_t dev), (fd, path, mode, dev), fd, dev)
MKNOD(__xmknod, (int v, const char *path, mode_t mode, dev_t *dev), (v, path, mode, dev),
      ((void)v, AT_FDCWD), *dev)
MKNOD(__xmknodat, (int v, int fd, const char *path, mode_t mode, dev_t *dev),
      (v, fd, path, mode, dev), ((void)v, fd), *dev)
