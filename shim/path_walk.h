#ifndef FD_PATH_WALK_H
#define FD_PATH_WALK_H
/* libc's own ftw and nftw, of a path that may lie below a private HOME: the names that they call
 * back with are those that the program knows. */
#include <ftw.h>
#include <sys/stat.h>

int fd_path_ftw(const char *path, int (*call)(const char *, const struct stat *, int), int n);
int fd_path_ftw64(const char *path, int (*call)(const char *, const struct stat64 *, int), int n);
int fd_path_nftw(const char *path,
                 int (*call)(const char *, const struct stat *, int, struct FTW *), int n,
                 int flags);
int fd_path_nftw64(const char *path,
                   int (*call)(const char *, const struct stat64 *, int, struct FTW *), int n,
                   int flags);

#endif
