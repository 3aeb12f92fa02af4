/* probe_path WHERE SHOWN KERNEL: every function that takes a path, given one below SHOWN, must reach
 * the file below KERNEL, where raw system calls have put it; alone the two are one folder. WHERE is
 * main, thread, fork, exec or signal. Prints the names of those that do not; exit status 1 then. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static const char *shown, *kernel;
static int folder = -1; /* SHOWN, opened */
static int bad, tried, in_handler;

/* Texts that live as long as a row needs them. */
static char *path(const char *base, const char *name)
{
    static char ring[128][PATH_MAX];
    static int next;
    char *to = ring[next++ % 128];
    strcpy(to, base);
    if (*name)
        strcat(strcat(to, "/"), name);
    return to;
}
#define S(name) path(shown, name)
#define K(name) path(kernel, name)

static int there(const char *name)
{
    struct stat s;
    return syscall(SYS_newfstatat, AT_FDCWD, K(name), &s, AT_SYMLINK_NOFOLLOW) == 0;
}

static void put(const char *name, const char *text)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, K(name), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0 || syscall(SYS_write, fd, text, strlen(text)) < 0)
        abort();
    syscall(SYS_close, fd);
}

/* f, d/g, l -> f, a -> SHOWN/f, o -> SHOWN/d */
static void fixture(void)
{
    const char *const files[] = {"new", "f", "l", "a", "o", "d/g", "d/new"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        syscall(SYS_unlinkat, AT_FDCWD, K(files[i]), 0);
    syscall(SYS_unlinkat, AT_FDCWD, K("new"), AT_REMOVEDIR);
    syscall(SYS_mkdirat, AT_FDCWD, K("d"), 0700);
    put("f", "hello");
    put("d/g", "there");
    syscall(SYS_symlinkat, "f", AT_FDCWD, K("l"));
    syscall(SYS_symlinkat, S("f"), AT_FDCWD, K("a"));
    syscall(SYS_symlinkat, S("d"), AT_FDCWD, K("o"));
}

static int reads(int fd, const char *want)
{
    char buf[16] = "";
    long n = fd < 0 ? -1 : read(fd, buf, sizeof buf - 1);
    if (fd >= 0)
        close(fd);
    return n == (long)strlen(want) && !strcmp(buf, want);
}

static int reads_file(FILE *f, const char *want)
{
    char buf[16] = "";
    if (!f)
        return 0;
    int fine = fgets(buf, sizeof buf, f) && !strcmp(buf, want);
    fclose(f);
    return fine;
}

static int closes(int fd)
{
    return fd >= 0 && close(fd) == 0;
}

static int frees(char *text, const char *want)
{
    int fine = text && !strcmp(text, want);
    free(text);
    return fine;
}

static int starts(char *text, const char *want)
{
    int fine = text && !strncmp(text, want, strlen(want));
    free(text);
    return fine;
}

static int lists(DIR *d, const char *name)
{
    struct dirent *e = NULL;
    if (!d)
        return 0;
    while ((e = readdir(d)) && strcmp(e->d_name, name))
        ;
    closedir(d);
    return e != NULL;
}

/* A name that headers or libc may not have: NULL is "not here", and passes. */
#define MAY(type, name, params, args, result) \
    ({                                        \
        type(*f_) params;                     \
        *(void **)&f_ = dlsym(RTLD_DEFAULT, #name); \
        !f_ || (f_ args) result;              \
    })

static void row(const char *name, int fine)
{
    tried++;
    if (fine)
        return;
    bad = 1;
    printf("%s\n", name);
}
#define ROW(name, fine) (fixture(), row(#name, (fine)))

static void opening(void)
{
    ROW(open, reads(open(S("f"), O_RDONLY), "hello"));
    ROW(open link, reads(open(S("l"), O_RDONLY), "hello"));
    ROW(open absolute link, reads(open(S("a"), O_RDONLY), "hello"));
    ROW(open below absolute link, reads(open(S("o/g"), O_RDONLY), "there"));
    ROW(open no link, open(S("a"), O_RDONLY | O_NOFOLLOW) < 0 && errno == ELOOP);
    ROW(open new, closes(open(S("new"), O_CREAT | O_WRONLY, 0600)) && there("new"));
    ROW(open excl, open(S("a"), O_CREAT | O_EXCL | O_WRONLY, 0600) < 0 && errno == EEXIST);
    ROW(open dots, reads(open(S("d/../f"), O_RDONLY), "hello"));
    ROW(open through, reads(open(path(shown, "d/../../kept/x"), O_RDONLY), ""));
    ROW(open64, reads(open64(S("f"), O_RDONLY), "hello"));
    ROW(openat, reads(openat(AT_FDCWD, S("f"), O_RDONLY), "hello"));
    ROW(openat folder, reads(openat(folder, "f", O_RDONLY), "hello"));
    ROW(openat folder link, reads(openat(folder, "a", O_RDONLY), "hello"));
    ROW(openat folder absolute, reads(openat(folder, S("f"), O_RDONLY), "hello"));
    ROW(openat64, reads(openat64(AT_FDCWD, S("f"), O_RDONLY), "hello"));
    ROW(__open_2, MAY(int, __open_2, (const char *, int), (S("f"), O_RDONLY), >= 0));
    ROW(__open64_2, MAY(int, __open64_2, (const char *, int), (S("f"), O_RDONLY), >= 0));
    ROW(__openat_2, MAY(int, __openat_2, (int, const char *, int), (-100, S("f"), 0), >= 0));
    ROW(__openat64_2, MAY(int, __openat64_2, (int, const char *, int), (-100, S("f"), 0), >= 0));
    ROW(__open, MAY(int, __open, (const char *, int, ...), (S("f"), O_RDONLY), >= 0));
    ROW(__open64, MAY(int, __open64, (const char *, int, ...), (S("f"), O_RDONLY), >= 0));
    ROW(creat, closes(creat(S("new"), 0600)) && there("new"));
    ROW(creat64, closes(creat64(S("new"), 0600)) && there("new"));
}

static void asking(void)
{
    struct stat s;
    struct stat64 s64;
    struct statx x;
    ROW(stat, !stat(S("f"), &s) && s.st_size == 5);
    ROW(stat64, !stat64(S("a"), &s64) && s64.st_size == 5);
    ROW(lstat, !lstat(S("a"), &s) && S_ISLNK(s.st_mode));
    ROW(lstat64, !lstat64(S("f"), &s64) && s64.st_size == 5);
    ROW(fstatat, !fstatat(AT_FDCWD, S("f"), &s, 0) && s.st_size == 5);
    ROW(fstatat link, !fstatat(AT_FDCWD, S("a"), &s, AT_SYMLINK_NOFOLLOW) && S_ISLNK(s.st_mode));
    ROW(fstatat folder, !fstatat(folder, "o/g", &s, 0) && s.st_size == 5);
    ROW(fstatat64, !fstatat64(AT_FDCWD, S("f"), &s64, 0) && s64.st_size == 5);
    ROW(statx, !statx(AT_FDCWD, S("f"), 0, STATX_SIZE, &x) && x.stx_size == 5);
    ROW(__xstat, MAY(int, __xstat, (int, const char *, struct stat *), (1, S("f"), &s), == 0));
    ROW(__xstat64, MAY(int, __xstat64, (int, const char *, struct stat *), (1, S("f"), &s), == 0));
    ROW(__lxstat, MAY(int, __lxstat, (int, const char *, struct stat *), (1, S("a"), &s), == 0));
    ROW(__lxstat64,
        MAY(int, __lxstat64, (int, const char *, struct stat *), (1, S("a"), &s), == 0));
    ROW(__fxstatat, MAY(int, __fxstatat, (int, int, const char *, struct stat *, int),
                        (1, -100, S("f"), &s, 0), == 0));
    ROW(__fxstatat64, MAY(int, __fxstatat64, (int, int, const char *, struct stat *, int),
                          (1, -100, S("f"), &s, 0), == 0));
    ROW(access, !access(S("f"), R_OK));
    ROW(access absent, access(S("none"), F_OK) && errno == ENOENT);
    ROW(faccessat, !faccessat(AT_FDCWD, S("a"), R_OK, 0));
    ROW(eaccess, !eaccess(S("f"), R_OK));
    ROW(euidaccess, !euidaccess(S("f"), R_OK));
    struct statfs fs;
    struct statfs64 fs64;
    struct statvfs v;
    struct statvfs64 v64;
    ROW(statfs, !statfs(S("f"), &fs));
    ROW(statfs64, !statfs64(S("f"), &fs64));
    ROW(__statfs, MAY(int, __statfs, (const char *, struct statfs *), (S("f"), &fs), == 0));
    ROW(statvfs, !statvfs(S("f"), &v));
    ROW(statvfs64, !statvfs64(S("f"), &v64));
    ROW(pathconf, pathconf(S("f"), _PC_LINK_MAX) > 0);
}

static void changing(void)
{
    struct stat s;
    ROW(mkdir, !mkdir(S("new"), 0700) && there("new"));
    ROW(mkdirat, !mkdirat(folder, "new", 0700) && there("new"));
    ROW(mkfifo, !mkfifo(S("new"), 0600) && there("new"));
    ROW(mkfifoat, !mkfifoat(AT_FDCWD, S("new"), 0600) && there("new"));
    ROW(mknod, !mknod(S("new"), S_IFIFO | 0600, 0) && there("new"));
    ROW(mknodat, !mknodat(AT_FDCWD, S("new"), S_IFIFO | 0600, 0) && there("new"));
    dev_t none = 0;
    ROW(__xmknod, MAY(int, __xmknod, (int, const char *, mode_t, dev_t *),
                      (0, S("new"), S_IFIFO | 0600, &none), == 0 && there("new")));
    ROW(__xmknodat, MAY(int, __xmknodat, (int, int, const char *, mode_t, dev_t *),
                        (0, -100, S("new"), S_IFIFO | 0600, &none), == 0 && there("new")));
    ROW(rmdir, !unlink(S("d/g")) && !rmdir(S("d")) && !there("d"));
    ROW(unlink, !unlink(S("a")) && !there("a") && there("f"));
    ROW(unlinkat, !unlinkat(AT_FDCWD, S("f"), 0) && !there("f"));
    ROW(remove, !remove(S("f")) && !there("f"));
    ROW(rename, !rename(S("f"), S("new")) && there("new") && !there("f"));
    ROW(renameat, !renameat(folder, "f", AT_FDCWD, S("d/new")) && there("d/new"));
    ROW(renameat2, !renameat2(AT_FDCWD, S("f"), AT_FDCWD, S("new"), 0) && there("new"));
    ROW(link, !link(S("f"), S("new")) && there("new"));
    ROW(linkat, !linkat(AT_FDCWD, S("a"), AT_FDCWD, S("new"), AT_SYMLINK_FOLLOW) && there("new"));
    ROW(symlink, !symlink(S("f"), S("new")) && there("new"));
    ROW(symlinkat, !symlinkat("f", AT_FDCWD, S("new")) && there("new"));
    ROW(truncate, !truncate(S("f"), 2) && !stat(S("f"), &s) && s.st_size == 2);
    ROW(truncate64, !truncate64(S("a"), 3) && !stat(S("f"), &s) && s.st_size == 3);
    ROW(chmod, !chmod(S("f"), 0640) && !stat(S("f"), &s) && (s.st_mode & 0777) == 0640);
    ROW(fchmodat, !fchmodat(AT_FDCWD, S("a"), 0644, 0));
    ROW(lchmod, !lchmod(S("f"), 0600) || errno == EOPNOTSUPP || errno == ENOSYS);
    ROW(chown, !chown(S("f"), getuid(), getgid()));
    ROW(lchown, !lchown(S("a"), getuid(), getgid()));
    ROW(fchownat, !fchownat(AT_FDCWD, S("f"), getuid(), getgid(), 0));
    struct timespec ts[2] = {{.tv_sec = 9}, {.tv_sec = 10}};
    struct timeval tv[2] = {{.tv_sec = 9}, {.tv_sec = 11}};
    struct utimbuf u = {9, 12};
    ROW(utimensat, !utimensat(AT_FDCWD, S("f"), ts, 0) && !stat(S("f"), &s) && s.st_mtime == 10);
    ROW(utimes, !utimes(S("a"), tv) && !stat(S("f"), &s) && s.st_mtime == 11);
    ROW(lutimes, !lutimes(S("f"), tv) && !stat(S("f"), &s) && s.st_mtime == 11);
    ROW(futimesat, !futimesat(AT_FDCWD, S("f"), tv) && !stat(S("f"), &s) && s.st_mtime == 11);
    ROW(utime, !utime(S("f"), &u) && !stat(S("f"), &s) && s.st_mtime == 12);
}

static void answering(void)
{
    static char buf[PATH_MAX], name[PATH_MAX], link[40];
    const char *want = strcpy(name, S("f"));
    ssize_t n = (ssize_t)strlen(want);
    ROW(readlink, readlink(S("a"), buf, sizeof buf) == n && !memcmp(buf, want, (size_t)n));
    ROW(readlinkat, readlinkat(folder, "a", buf, sizeof buf) == n);
    ROW(__readlink_chk, MAY(ssize_t, __readlink_chk, (const char *, char *, size_t, size_t),
                            (S("a"), buf, sizeof buf, sizeof buf), == n));
    ROW(__readlinkat_chk,
        MAY(ssize_t, __readlinkat_chk, (int, const char *, char *, size_t, size_t),
            (-100, S("a"), buf, sizeof buf, sizeof buf), == n));
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    n = (ssize_t)strlen(shown);
    ROW(readlink of a descriptor, readlink(link, buf, sizeof buf) == n && !memcmp(buf, shown, (size_t)n));
    ROW(readlink cut, readlink(link, buf, 3) == 3 && !memcmp(buf, shown, 3));
    ROW(chdir getcwd, !chdir(S("d")) && getcwd(buf, sizeof buf) && !strcmp(buf, S("d")));
    ROW(relative, reads(open("g", O_RDONLY), "there") && reads(open("../f", O_RDONLY), "hello") &&
                      reads(open("../a", O_RDONLY), "hello"));
    ROW(relative out, access("../../kept/x", F_OK) == 0);
    ROW(getcwd small, !getcwd(buf, strlen(shown) + 2) && errno == ERANGE);
    ROW(getcwd exact, getcwd(buf, strlen(shown) + 3) != NULL);
    ROW(__getcwd_chk, MAY(char *, __getcwd_chk, (char *, size_t, size_t),
                          (buf, sizeof buf, sizeof buf), == buf && !strcmp(buf, S("d"))));
    ROW(chdir dots, !chdir("..") && getcwd(buf, sizeof buf) && !strcmp(buf, shown));
    ROW(fchdir, !chdir("/") && !fchdir(folder) && getcwd(buf, sizeof buf) && !strcmp(buf, shown));
    ROW(relative link, reads(open("a", O_RDONLY), "hello"));
    if (chdir("/"))
        abort();
}

/* What allocates or keeps state of its own has no place in a signal handler. */
static int seen;
static char want_seen[PATH_MAX];
static int on_ftw(const char *p, const struct stat *s, int flag)
{
    (void)s;
    (void)flag;
    seen += !strcmp(p, want_seen);
    return 0;
}
static int on_ftw64(const char *p, const struct stat64 *s, int flag)
{
    return on_ftw(p, (const struct stat *)s, flag);
}
static int on_nftw(const char *p, const struct stat *s, int flag, struct FTW *f)
{
    (void)s;
    (void)flag;
    /* its own opens are translated, though it is called from inside a call of ours */
    seen += !strcmp(p, want_seen) && !strcmp(p + f->base, "g") && reads(open(S("f"), O_RDONLY), "hello");
    return 0;
}
static int on_nftw64(const char *p, const struct stat64 *s, int flag, struct FTW *f)
{
    return on_nftw(p, (const struct stat *)s, flag, f);
}

static int globs(int ret, glob_t *g, const char *want)
{
    int fine = ret == 0 && g->gl_pathc == 1 && !strcmp(g->gl_pathv[0], want);
    if (!ret)
        globfree(g);
    return fine;
}

static int spawns(posix_spawn_file_actions_t *fa)
{
    char *args[] = {"sh", "-c", "read x; test $x = there || test $x = hello", NULL};
    char *none[] = {NULL};
    pid_t pid;
    int status = -1;
    if (!posix_spawn(&pid, "/bin/sh", fa, NULL, args, none))
        waitpid(pid, &status, 0);
    posix_spawn_file_actions_destroy(fa);
    return status == 0;
}

static int walks_fts(void)
{
    char *const paths[] = {S("d"), NULL};
    FTS *t = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    int found = 0;
    for (FTSENT *e; t && (e = fts_read(t));)
        found += !strcmp(e->fts_name, "g") && reads(open(e->fts_path, O_RDONLY), "there");
    if (t)
        fts_close(t);
    return found == 1;
}

static void walking(void)
{
    struct dirent **list;
    struct dirent64 **list64;
    glob_t g = {0};
    strcpy(want_seen, S("d/g"));
    ROW(opendir, lists(opendir(S("d")), "g"));
    ROW(opendir link, lists(opendir(S("o")), "g"));
    ROW(scandir, scandir(S("d"), &list, NULL, alphasort) == 3);
    ROW(scandir64, scandir64(S("d"), &list64, NULL, alphasort64) == 3);
    ROW(scandirat, scandirat(folder, "d", &list, NULL, alphasort) == 3);
    ROW(scandirat64, scandirat64(AT_FDCWD, S("d"), &list64, NULL, alphasort64) == 3);
    ROW(ftw, (seen = 0, !ftw(S("d"), on_ftw, 9) && seen == 1));
    ROW(ftw64, (seen = 0, !ftw64(S("d"), on_ftw64, 9) && seen == 1));
    ROW(nftw, (seen = 0, !nftw(shown, on_nftw, 9, FTW_PHYS) && seen == 1));
    ROW(nftw64, (seen = 0, !nftw64(shown, on_nftw64, 9, FTW_PHYS) && seen == 1));
    ROW(nftw chdir, (seen = 0, !nftw(shown, on_nftw, 9, FTW_PHYS | FTW_CHDIR) && seen == 1));
    ROW(fts_open, walks_fts());
    ROW(glob, globs(glob(S("d/*"), 0, NULL, &g), &g, S("d/g")));
    ROW(glob literal, globs(glob(S("d/g"), 0, NULL, &g), &g, S("d/g")));
    ROW(glob64, globs(glob64(S("[d]/g"), 0, NULL, (glob64_t *)&g), &g, S("d/g")));
    ROW(ftok, ftok(S("f"), 1) != -1);
    ROW(inotify, closes(inotify_add_watch(inotify_init(), S("f"), IN_OPEN) > 0 ? dup(0) : -1));
    struct {
        struct file_handle h;
        char more[MAX_HANDLE_SZ];
    } h = {.h.handle_bytes = MAX_HANDLE_SZ};
    int mount;
    ROW(name_to_handle_at, !name_to_handle_at(AT_FDCWD, S("f"), &h.h, &mount, 0) ||
                               errno == EOPNOTSUPP || errno == EPERM);
}

static void attributes(void)
{
    char buf[16];
    fixture();
    if (syscall(SYS_setxattr, K("f"), "user.fd", "1", 1L, 0L)) /* not everywhere */
        return;
    ROW(setxattr, !setxattr(S("f"), "user.fd", "1", 1, 0) && getxattr(S("a"), "user.fd", buf, 9) == 1);
    ROW(listxattr, !setxattr(S("f"), "user.fd", "1", 1, 0) && listxattr(S("f"), buf, 16) > 0);
    ROW(lsetxattr, !lsetxattr(S("f"), "user.fd", "1", 1, 0) &&
                       lgetxattr(S("f"), "user.fd", buf, 9) == 1 && llistxattr(S("f"), buf, 16) > 0);
    ROW(removexattr, !setxattr(S("f"), "user.fd", "1", 1, 0) && !removexattr(S("f"), "user.fd"));
    ROW(lremovexattr, !setxattr(S("f"), "user.fd", "1", 1, 0) && !lremovexattr(S("f"), "user.fd"));
}

/* `name` has 6 letters instead of the X, is there, and nothing else changed. */
static int filled(char *name, const char *before)
{
    size_t n = strlen(before);
    const char *x = strstr(before, "XXXXXX");
    int fine = strlen(name) == n && !strstr(name, "XXXXXX") &&
               !memcmp(name, before, (size_t)(x - before)) && !strcmp(name + (x - before) + 6, x + 6);
    fine = fine && there(name + strlen(shown) + 1);
    remove(name);
    return fine;
}
#define TEMPLATE(name, text, call)            \
    ROW(name, ({                              \
            char *t = S(text);                \
            int fd_ = (call);                 \
            fd_ >= 0 && close(fd_) == 0 && filled(t, S(text)); \
        }))

static void templates(void)
{
    TEMPLATE(mkstemp, "tXXXXXX", mkstemp(t));
    TEMPLATE(mkstemp64, "tXXXXXX", mkstemp64(t));
    TEMPLATE(mkostemp, "tXXXXXX", mkostemp(t, O_CLOEXEC));
    TEMPLATE(mkostemp64, "tXXXXXX", mkostemp64(t, O_CLOEXEC));
    TEMPLATE(mkstemps, "tXXXXXX.c", mkstemps(t, 2));
    TEMPLATE(mkstemps64, "tXXXXXX.c", mkstemps64(t, 2));
    TEMPLATE(mkostemps, "tXXXXXX.c", mkostemps(t, 2, O_CLOEXEC));
    TEMPLATE(mkostemps64, "tXXXXXX.c", mkostemps64(t, 2, O_CLOEXEC));
    char *t = S("tXXXXXX");
    ROW(mkdtemp, mkdtemp(t) == t && filled(t, S("tXXXXXX")));
    t = S("tXXXXXX");
    ROW(mktemp, MAY(char *, mktemp, (char *), (t), == t) && !mkdir(t, 0700) && filled(t, S("tXXXXXX")));
    ROW(mkstemp wrong, mkstemp(S("t")) < 0 && errno == EINVAL);
    char *(*tempnam_)(const char *, const char *);
    *(void **)&tempnam_ = dlsym(RTLD_DEFAULT, "tempnam"); /* the linker warns of the name */
    unsetenv("TMPDIR");
    ROW(tempnam, starts(tempnam_(S("d"), "x"), S("d/x")));
}

static void allocating(void)
{
    char buf[PATH_MAX];
    posix_spawn_file_actions_t fa;
    ROW(fopen, reads_file(fopen(S("f"), "r"), "hello"));
    ROW(fopen64, reads_file(fopen64(S("a"), "r"), "hello"));
    ROW(fopen new, fclose(fopen(S("new"), "w")) == 0 && there("new"));
    FILE *(*io_fopen)(const char *, const char *);
    *(void **)&io_fopen = dlsym(RTLD_DEFAULT, "_IO_fopen");
    ROW(_IO_fopen, !io_fopen || reads_file(io_fopen(S("f"), "r"), "hello"));
    ROW(freopen, reads_file(freopen(S("f"), "r", fopen("/dev/null", "r")), "hello"));
    ROW(freopen64, reads_file(freopen64(S("f"), "r", fopen("/dev/null", "r")), "hello"));
    ROW(realpath, realpath(S("a"), buf) == buf && !strcmp(buf, S("f")));
    ROW(realpath owned, frees(realpath(S("o/./g"), NULL), S("d/g")));
    ROW(realpath absent, !realpath(S("none"), buf) && errno == ENOENT);
    ROW(__realpath_chk, MAY(char *, __realpath_chk, (const char *, char *, size_t),
                            (S("l"), buf, sizeof buf), == buf && !strcmp(buf, S("f"))));
    ROW(canonicalize_file_name, frees(canonicalize_file_name(S("d/../f")), S("f")));
    ROW(getcwd owned, !chdir(S("d")) && frees(getcwd(NULL, 0), S("d")));
    ROW(get_current_dir_name, frees(get_current_dir_name(), S("d")));
    ROW(getwd, MAY(char *, getwd, (char *), (buf), == buf && !strcmp(buf, S("d"))));
    ROW(relative realpath, realpath("../a", buf) == buf && !strcmp(buf, S("f")));
    posix_spawn_file_actions_init(&fa);
    ROW(addopen, !posix_spawn_file_actions_addopen(&fa, 0, S("a"), O_RDONLY, 0) && spawns(&fa));
    posix_spawn_file_actions_init(&fa);
    ROW(addchdir, !posix_spawn_file_actions_addchdir_np(&fa, S("o")) &&
                      !posix_spawn_file_actions_addopen(&fa, 0, "g", O_RDONLY, 0) && spawns(&fa));
    if (chdir("/"))
        abort();
}

static void every_row(void)
{
    opening();
    asking();
    changing();
    answering();
    if (in_handler)
        return;
    walking();
    attributes();
    templates();
    allocating();
}

static void *in_thread(void *arg)
{
    every_row();
    return arg;
}

static void handler(int s)
{
    (void)s;
    in_handler = 1;
    every_row();
}

static void on_small_stack(void)
{
    static char stack[16384 + 4096];
    stack_t st = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&st, NULL);
    sigaction(SIGUSR1, &sa, NULL);
    raise(SIGUSR1);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    shown = argv[2];
    kernel = argv[3];
    folder = open(shown, O_RDONLY | O_DIRECTORY);
    if (!strcmp(argv[1], "exec"))
        execl("/proc/self/exe", argv[0], "main", shown, kernel, (char *)NULL);
    if (!strcmp(argv[1], "thread")) {
        pthread_t p;
        pthread_create(&p, NULL, in_thread, NULL);
        pthread_join(p, NULL);
    } else if (!strcmp(argv[1], "fork")) {
        int status;
        pid_t pid = fork();
        if (pid)
            return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
        every_row();
    } else if (!strcmp(argv[1], "signal")) {
        on_small_stack();
    } else {
        every_row();
    }
    fflush(stdout);
    fprintf(stderr, "%d rows\n", tried);
    return bad;
}
