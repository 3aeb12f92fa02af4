#ifndef FD_NAMES_H
#define FD_NAMES_H
#include "shim/live.h"

/* A name server is to be asked for `name`, or for what nobody can tell (NULL): counts it; true if
 * the network is blocked. */
bool fd_name_refused(const char *hook, const char *name);

/* Runs a real look-up: before glibc 2.34 it comes by our connect and its kin. Not counted up and
 * down: whoever jumps out of one (an alarm's siglongjmp) is put right by the next. */
#define FD_LOOK_UP(call)                \
    __extension__({                     \
        fd_thread.lookup = 1;           \
        __typeof__(call) found_ = call; \
        fd_thread.lookup = 0;           \
        found_;                         \
    })

#endif
