/* Files that are there by chance: what a home folder holds. */
#include "axes/axis.h"

#include "shim/value.h"

#include <string.h>

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    (void)v;
    return axes_only_value("private", nth, ret_value);
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    return failing && strcmp(failing, "real") != 0 && axes_only_value("real", nth, ret_value);
}

/* A test that needs a file of its home needs it of its machine: no flake, unless it was seen. */
static bool requirement(const struct axis_view *v, const char *value)
{
    (void)v;
    return strcmp(value, "real") != 0;
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (fd_fs_parse(value, &r->page) < 0)
        return err_set(e, ERR_USAGE, "fs=\"%s\" is not real or private", value);
    return 0;
}

static void command(const char *value, struct text *out)
{
    if (strcmp(value, "private") == 0)
        text_add(out, "FD_FS=private:\"$(mktemp -d)\" ");
    else
        text_addf(out, "FD_FS=%s ", value);
}

const struct axis axis_FS = {
    .catches = "files of HOME that are there on one machine and not on the next",
    .held_by = "an empty folder in the place of HOME",
    .by_hand = "FD_FS, FD_FS_MAP",
    .has_hook = true,
    .provoke = provoke,
    .benign = benign,
    .requirement = requirement,
    .apply = apply,
    .command = command,
    .needs_shim = true,
};
