#include "shim/raw.h"
#include <errno.h>
#include <limits.h>

long fd_raw_result(long answer)
{
    if (answer > -4096 && answer < 0) {
        errno = (int)-answer;
        return -1;
    }
    return answer;
}

/* rt_sigprocmask reads its set before it finds that `how` is none. */
static bool word_readable(uintptr_t at)
{
    return FD_SYS4(SYS_rt_sigprocmask, INT_MAX, at, 0, 8) == -EINVAL;
}

bool fd_readable(const void *at, size_t n)
{
    const uintptr_t page = 4096, first = (uintptr_t)at & -(uintptr_t)8, end = (uintptr_t)at + n;
    for (uintptr_t p = first; p < end; p = (p & -page) + page)
        if (!word_readable(p))
            return false;
    return true;
}
