#include "base/fdio.h"

#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_MOST 100

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

bool fdio_is_below(const char *path, const char *folder)
{
    size_t n = folder ? strlen(folder) : 0;
    while (n > 0 && folder[n - 1] == '/')
        n--;
    return n > 0 && strncmp(path, folder, n) == 0 && path[n] == '/';
}

bool fdio_on_path(const char *name, struct text *out)
{
    const char *path = getenv("PATH");
    own_mem char *copy = str_or_die(path ? path : "/usr/local/bin:/usr/bin:/bin");
    char *rest = copy;
    for (char *dir = strsep(&rest, ":"); dir; dir = strsep(&rest, ":")) {
        text_clear(out);
        text_addf(out, "%s/%s", *dir ? dir : ".", name);
        if (fdio_is_file(out->at) && access(out->at, X_OK) == 0)
            return true;
    }
    text_clear(out);
    return false;
}

static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* A name that nobody has put there before: what another run left, or a link that waits for us. */
static int create_beside(struct replacement *r, mode_t mode)
{
    for (int i = 0; i < NAMES_MOST; i++) {
        own_text struct text name = {0};
        text_addf(&name, "%s.%d-%d.tmp", r->path, (int)getpid(), i);
        r->fd = open(name.at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (r->fd >= 0)
            r->beside = text_take(&name);
        if (r->fd >= 0 || errno != EEXIST)
            return r->fd;
    }
    return -1;
}

int replacement_begin(const char *path, mode_t mode, struct replacement *ret, struct err *e)
{
    *ret = (struct replacement)REPLACEMENT_INIT;
    ret->quick = mode & FDIO_QUICK;
    if (fdio_make_parents(path, e) < 0)
        return -1;
    char *real = realpath(path, NULL); /* NULL: there is no such file yet */
    ret->path = real ? real : str_or_die(path);
    if (is_special(path)) {
        ret->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else if (fdio_is_dir(path)) {
        errno = EISDIR; /* now, not when all is written */
    } else {
        (void)create_beside(ret, mode & ~(mode_t)FDIO_QUICK);
    }
    if (ret->fd >= 0)
        return 0;
    err_sys(e, "writing %s", path);
    replacement_done(ret);
    return -1;
}

int replacement_finish(struct replacement *r, struct err *e)
{
    if (r->beside && ((!r->quick && fsync(r->fd) < 0) || rename(r->beside, r->path) < 0))
        return err_sys(e, "writing %s", r->path);
    free(r->beside);
    r->beside = NULL;
    return 0;
}

void replacement_done(struct replacement *r)
{
    if (r->fd >= 0)
        close(r->fd);
    if (r->beside)
        (void)unlink(r->beside);
    free(r->beside);
    free(r->path);
    *r = (struct replacement)REPLACEMENT_INIT;
}

static int replace(const char *path, mode_t mode, const char *bytes, size_t n, struct err *e)
{
    own_replacement struct replacement r = REPLACEMENT_INIT;
    if (replacement_begin(path, mode, &r, e) < 0)
        return -1;
    if (fdio_write_all(r.fd, bytes, n) < 0)
        return err_sys(e, "writing %s", path);
    return replacement_finish(&r, e);
}

int fdio_replace(const char *path, mode_t mode, const struct text *t, struct err *e)
{
    return replace(path, mode, text_str(t), t->len, e);
}

int fdio_write_atomic(const char *path, const char *bytes, size_t n, struct err *e)
{
    return replace(path, FDIO_SHARED, bytes, n, e);
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
