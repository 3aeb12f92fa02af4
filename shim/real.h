#ifndef FD_REAL_H
#define FD_REAL_H
/* The next library's functions: real_<name> for every row of symbols.def.
 *
 * The constructor resolves them all. A hook that is called earlier (other libraries' constructors
 * run before ours, allocators before those) finds its own pointer empty and resolves that one name
 * with REAL(): dlsym of a name that exists neither allocates nor locks anything of the program's.
 * A name that is missing makes dlsym allocate its message, so it is asked for in the constructor
 * only; REAL() is then NULL and the hook does the work itself. */
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <langinfo.h>
#include <locale.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <threads.h>
#include <time.h>
#include <utime.h>
#include <wchar.h>
#include <stdint.h>

struct timeb { /* <sys/timeb.h> is gone from new glibc, old binaries still call ftime() */
    time_t time;
    unsigned short millitm;
    short timezone, dstflag;
};

struct __res_state; /* <resolv.h> renames functions of ours */

#define FD_EXPORT __attribute__((visibility("default")))

/* every hook's own prototype, so that a body that differs from its row does not compile */
#define HOOK(axis, ret, name, params, args) \
    FD_EXPORT ret name params;              \
    extern ret(*real_##name) params;
#include "symbols.def"
#undef HOOK

#define REAL(name)                                               \
    (__builtin_expect(real_##name != NULL, 1)                    \
         ? real_##name                                           \
         : (__typeof__(real_##name))fd_real_find((void *)&real_##name, #name))

void *fd_real_find(void *pointer, const char *name);
void fd_real_resolve(void);

#endif
