#include "cli/output.h"

#include "base/fdio.h"
#include "base/own.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A device or a pipe is written in place: renaming a file over /dev/null would replace it. */
static bool in_place(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* With errno of why not. */
static bool fits(const char *path)
{
    if (fdio_is_dir(path)) {
        errno = EISDIR;
        return false;
    }
    if (in_place(path)) /* not opened: a pipe would block or lose its reader */
        return access(path, W_OK) == 0;
    if (fdio_is_file(path) && access(path, W_OK) < 0)
        return false;
    own_replacement struct replacement begun = REPLACEMENT_INIT;
    struct err ignored;
    return replacement_begin(path, FDIO_SHARED, &begun, &ignored) == 0;
}

int output_fit(const char *path, const char *what, const char *option, struct err *e)
{
    if (fdio_make_parents(path, e) == 0) {
        if (fits(path))
            return 0;
        err_sys(e, "%s cannot be written to %s", what, path);
    }
    return err_hint(e, "choose another %s; nothing was run", option);
}

int output_check(const char *path, struct err *e)
{
    return output_fit(path, "the JSON report", "--json PATH", e);
}

int output_forget(const char *path, struct err *e)
{
    own_mem char *real = path && fdio_is_file(path) ? realpath(path, NULL) : NULL;
    if (real && unlink(real) < 0)
        return err_sys(e, "removing %s, which an earlier run left", path);
    return 0;
}

int output_write(const char *path, const struct text *t, struct err *e)
{
    return fdio_replace(path, FDIO_SHARED, t, e);
}

int output_replace(const char *path, const struct text *t, struct err *e)
{
    return fdio_replace(path, FDIO_SHARED | FDIO_QUICK, t, e);
}
