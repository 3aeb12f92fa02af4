#include "cli/output.h"

#include "base/fdio.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

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
    own_replacement struct replacement begun = REPLACEMENT_INIT;
    return replacement_begin(path, FDIO_SHARED, &begun, e) == 0 ? 0 : unfit(path, e);
}

int output_write(const char *path, const struct text *t, struct err *e)
{
    return fdio_replace(path, FDIO_SHARED, t, e);
}
