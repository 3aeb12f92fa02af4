#ifndef FD_EXEC_H
#define FD_EXEC_H
#include <stdint.h>
#include "shim/elf.h"

/* A program is about to be started that is not `covered`: counts it, and says so once a path. */
void fd_exec_report(const char *path, enum fd_cover cover);

/* Ordinal of the program that replaces this process, or of a child started by vfork or spawn. */
uint64_t fd_exec_ordinal(int spawned);

#endif
