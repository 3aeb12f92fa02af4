#ifndef FD_CHILD_ENV_H
#define FD_CHILD_ENV_H
/* The environment of a child: LD_PRELOAD extended (never replaced) and FD_* put back where the
 * program left them out. Built in the caller's room, which is its stack: a vfork child shares
 * everything else with its parent. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "shim/elf.h"

void fd_child_env_learn(void);                      /* constructor: where this library lies */
void fd_child_env_hashseed(const char *value);      /* PYTHONHASHSEED, unless it is set */

/* "NAME=value" is set, "NAME" removed; up to NULL. */
void fd_child_env_put(const char *const *texts);

size_t fd_child_env_size(char *const *envp);        /* bytes of room that build needs */
char **fd_child_env_build(char *const *envp, enum fd_cover cover, uint64_t ordinal, void *room);

/* For system() and popen(), which start their shell inside libc: the same in our own environ. */
void fd_child_env_own(uint64_t ordinal);

#endif
