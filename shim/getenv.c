/* The readers of single variables: counted under the variable's own name, and left alone. */
#include "shim/environ.h"
#include "shim/live.h"
#include "shim/real.h"
#include "shim/seen.h"
#include "shim/value.h"
#include <stdlib.h>

static void asked(const char *name)
{
    if (!name || !fd_live_on())
        return;
    if (!fd_env_is_plumbing(name))
        fd_touch(FD_AXIS_ENV, name);
    if (fd_noting())
        fd_environ_seen(FD_READ_OPTIONAL, name);
}

FD_EXPORT char *getenv(const char *name)
{
    asked(name);
    return REAL(getenv)(name);
}

FD_EXPORT char *secure_getenv(const char *name)
{
    asked(name);
    return REAL(secure_getenv)(name);
}
