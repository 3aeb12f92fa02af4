#include "shim/stop.h"
#include "shim/raw.h"
#include "shim/text.h"
#include "shim/wire.h"

void fd_say_parts(const char *const *parts)
{
    char buf[512]; /* a signal handler may stand on a small alternate stack */
    struct fd_line l = {buf, sizeof buf - 1, 0};
    fd_line_text(&l, "libfd: ");
    for (; *parts; parts++)
        fd_line_text(&l, *parts);
    buf[l.len++] = '\n';
    (void)FD_SYS3(SYS_write, 2, buf, l.len);
}

void fd_stop_parts(const char *const *parts)
{
    fd_say_parts(parts);
    for (;;)
        (void)FD_SYS1(SYS_exit_group, FD_EXIT);
}
