#include "shim/environ.h"
#include "shim/seen.h"
#include "shim/text.h"
#include "shim/value.h"

void fd_environ_seen(char kind, const char *name)
{
    if (fd_text_equal(name, "TZ"))
        fd_seen_read(FD_AXIS_ZONE);
    else if (fd_text_starts(name, "LC_") || fd_text_equal(name, "LANG") ||
             fd_text_equal(name, "LANGUAGE"))
        fd_seen_read(FD_AXIS_LOCALE);
    else if (!fd_env_is_plumbing(name))
        fd_seen_env(kind, name);
}
