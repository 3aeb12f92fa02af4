#ifndef FR_EXEC_NATIVE_H
#define FR_EXEC_NATIVE_H
/* Where the threads of a process stand when its Python does not say so: the system call each is
 * in, and the library it was called from, as the kernel tells it. */
#include <sys/types.h>

#include "base/text.h"

/* One line a thread: "Thread 7 (python3): in futex, called from libc.so.6+0x89e4". Nothing for a
 * process that is gone. */
void native_stack(pid_t pid, struct text *out);

#endif
