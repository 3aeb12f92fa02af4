#include "triage/failed.h"

#include "base/fdio.h"
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool in_place(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int write_in_place(const char *path, const struct text *json, struct err *e)
{
    own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || fdio_write_all(fd, text_str(json), json->len) < 0)
        return err_sys(e, "writing %s", path);
    return 0;
}

/* mkostemp makes the file 0600, under a name that nobody could have put there before. */
static int replace(const char *path, const struct text *json, struct err *e)
{
    own_text struct text beside = {0};
    text_addf(&beside, "%s.XXXXXX", path);
    own_fd int fd = mkostemp(beside.at, O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, "writing %s", path);
    if (fdio_write_all(fd, text_str(json), json->len) < 0 || fsync(fd) < 0 ||
        rename(beside.at, path) < 0) {
        err_sys(e, "writing %s", path);
        (void)unlink(beside.at);
        return -1;
    }
    return 0;
}

int failed_write(const char *path, const struct text *json, struct err *e)
{
    if (fdio_make_parents(path, e) < 0)
        return -1;
    if (in_place(path))
        return write_in_place(path, json, e);
    own_mem char *real = realpath(path, NULL); /* a link stays a link; NULL: no such file yet */
    return replace(real ? real : path, json, e);
}
