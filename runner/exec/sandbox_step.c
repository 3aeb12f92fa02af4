#include "exec/sandbox_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int sandbox_failed(struct sandbox_step *at, enum sandbox_part part, const char *fmt, ...)
{
    int os = errno;
    *at = (struct sandbox_step){.part = part, .folder = -1};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(at->what, sizeof at->what, fmt, ap);
    va_end(ap);
    errno = os;
    return -1;
}
