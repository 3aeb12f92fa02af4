#include "cli/output.h"

#include "base/fdio.h"
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* A device or a pipe is written in place: renaming a file over /dev/null would replace it. */
static bool in_place(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int unfit(const char *path, struct err *e)
{
    err_sys(e, "the JSON report cannot be written to %s", path);
    return err_hint(e, "choose another --json PATH; nothing was run");
}

int output_check(const char *path, struct err *e)
{
    if (fdio_make_parents(path, e) < 0)
        return err_hint(e, "choose another --json PATH; nothing was run");
    if (fdio_is_dir(path)) {
        errno = EISDIR;
        return unfit(path, e);
    }
    if (in_place(path)) /* not opened: a pipe would block or lose its reader */
        return access(path, W_OK) == 0 ? 0 : unfit(path, e);
    if (fdio_is_file(path) && access(path, W_OK) < 0)
        return unfit(path, e);
    own_text struct text beside = {0};
    text_addf(&beside, "%s.%d.tmp", path, (int)getpid()); /* what fdio_write_atomic will create */
    own_fd int fd = open(text_str(&beside), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return unfit(path, e);
    (void)unlink(text_str(&beside));
    return 0;
}

int output_write(const char *path, const struct text *t, struct err *e)
{
    if (in_place(path)) {
        own_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 || fdio_write_all(fd, text_str(t), t->len) < 0)
            return err_sys(e, "writing %s", path);
        return 0;
    }
    own_mem char *real = realpath(path, NULL); /* a link stays a link; NULL: no such file yet */
    return fdio_write_atomic(real ? real : path, text_str(t), t->len, e);
}
