#include "base/fdio.h"

#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

int fdio_read_file(const char *path, size_t max, struct text *t, struct err *e)
{
    own_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, "opening %s", path);
    char buf[16384];
    while (max > 0) {
        ssize_t n = read(fd, buf, max < sizeof buf ? max : sizeof buf);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(e, "reading %s", path);
        if (n == 0)
            break;
        text_addn(t, buf, (size_t)n);
        max -= (size_t)n;
    }
    return 0;
}

int fdio_write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t did = write(fd, bytes, n);
        if (did < 0 && errno == EINTR)
            continue;
        if (did < 0)
            return -1;
        bytes += did;
        n -= (size_t)did;
    }
    return 0;
}

int fdio_write_atomic(const char *path, const char *bytes, size_t n, struct err *e)
{
    own_text struct text beside = {0};
    text_addf(&beside, "%s.%d.tmp", path, (int)getpid());
    own_fd int fd = open(beside.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_sys(e, "writing %s", path);
    if (fdio_write_all(fd, bytes, n) < 0 || fsync(fd) < 0 || rename(beside.at, path) < 0) {
        err_sys(e, "writing %s", path);
        unlink(beside.at);
        return -1;
    }
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *f)
{
    (void)st;
    (void)f;
    if (kind == FTW_DNR && chmod(path, 0700) == 0) /* a test may leave an unreadable folder */
        return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    (void)remove(path);
    return 0;
}

void fdio_remove_tree(const char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

bool fdio_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool fdio_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

void fdio_ignore_folder(const char *path)
{
    own_text struct text ignore = {0};
    text_addf(&ignore, "%s/.gitignore", path);
    own_fd int fd = open(text_str(&ignore), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
        (void)fdio_write_all(fd, "*\n", 2);
}

int fdio_make_parents(const char *path, struct err *e)
{
    own_mem char *copy = str_or_die(path);
    for (char *s = strchr(copy + 1, '/'); s; s = strchr(s + 1, '/')) {
        *s = 0;
        if (mkdir(copy, 0777) < 0 && errno != EEXIST)
            return err_sys(e, "creating %s", copy);
        *s = '/';
    }
    return 0;
}
