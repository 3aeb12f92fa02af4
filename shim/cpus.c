/* How many processors a program is told of: counted, and held by limits=cpus:N. */
#include "shim/live.h"
#include "shim/real.h"
#include "shim/seen.h"
#include <unistd.h>

/* How many processors there are said to be, or 0: the truth. */
static uint32_t told(const char *hook)
{
    if (!fd_live_on())
        return 0;
    fd_touch(FD_AXIS_LIMITS, hook);
    if (fd_noting())
        fd_seen_read(FD_AXIS_LIMITS);
    return fd_live_held(FD_AXIS_LIMITS) ? fd_live.page->settings.limit_cpus : 0;
}

FD_EXPORT long sysconf(int name)
{
    if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) {
        uint32_t n = told("sysconf");
        if (n)
            return n;
    }
    return REAL(sysconf)(name);
}

FD_EXPORT int get_nprocs(void)
{
    uint32_t n = told("get_nprocs");
    return n ? (int)n : REAL(get_nprocs)();
}

FD_EXPORT int get_nprocs_conf(void)
{
    uint32_t n = told("get_nprocs");
    return n ? (int)n : REAL(get_nprocs_conf)();
}

/* Of those the process may run on only the first few, or as many more as there are not. */
static void narrow(unsigned char *set, size_t size, uint32_t n)
{
    uint32_t have = 0;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        unsigned char one = (unsigned char)(1u << bit % 8);
        if (!(set[bit / 8] & one))
            continue;
        if (have++ >= n)
            set[bit / 8] = (unsigned char)(set[bit / 8] & ~one);
    }
    for (size_t bit = 0; bit < 8 * size && have < n; bit++) {
        unsigned char one = (unsigned char)(1u << bit % 8);
        if (!(set[bit / 8] & one)) {
            set[bit / 8] |= one;
            have++;
        }
    }
}

FD_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    uint32_t n = told("sched_getaffinity");
    int ret = REAL(sched_getaffinity)(pid, size, set);
    if (n && ret >= 0)
        narrow((unsigned char *)set, size, n);
    return ret;
}
