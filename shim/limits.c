#include "shim/limits.h"
#include "shim/live.h"
#include "shim/raw.h"
#include "shim/real.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

static void limit(int of, uint64_t soft)
{
    struct rlimit have;
    if (FD_SYS4(SYS_prlimit64, 0, of, NULL, &have))
        return;
    have.rlim_cur = soft < have.rlim_max ? soft : have.rlim_max;
    (void)FD_SYS4(SYS_prlimit64, 0, of, &have, NULL);
}

/* What is mapped by now, in bytes. */
static uint64_t mapped(void)
{
    char text[32];
    uint64_t pages = 0;
    long fd = FD_SYS4(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    long n = FD_SYS3(SYS_read, fd, text, sizeof text - 1);
    (void)FD_SYS1(SYS_close, fd);
    for (long i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
        pages = 10 * pages + (uint64_t)(text[i] - '0');
    return pages * (uint64_t)real_sysconf(_SC_PAGESIZE);
}

void fd_limits_start(void)
{
    const struct fd_settings *s = &fd_live.page->settings;
    if (!fd_live_held(FD_AXIS_LIMITS))
        return;
    if (s->limit_files)
        limit(RLIMIT_NOFILE, s->limit_files);
    if (s->limit_stack)
        limit(RLIMIT_STACK, s->limit_stack);
    if (s->limit_memory && real_sysconf)
        limit(RLIMIT_AS, mapped() + s->limit_memory);
}
