#ifndef FD_ACTS_H
#define FD_ACTS_H
/* What the test does to the world outside, noted on the page of a watched run (struct fd_act of
 * wire.h) before it is done. Whether that is harmless is the runner's question. Lock-free, without
 * allocation or errno, safe in a signal handler and in a vfork child. */
#include "shim/seen.h"

/* Is it the test's own code that runs, and does anybody want to know? */
static inline bool fd_acting(void)
{
    return fd_watching() && (!fd_live.page->settings.pytest ||
                             __atomic_load_n(&fd_live.page->seen.own, __ATOMIC_RELAXED));
}

void fd_act_outside(const char *what);

/* `path` (NULL: it was not found) is about to run with these arguments; nothing is noted if it
 * cannot be run. */
void fd_act_program(const char *path, char *const *argv);
/* The same for what a descriptor names: a folder, or with "" the program itself. */
void fd_act_program_at(int fd, const char *path, char *const *argv);
void fd_act_shell(const char *command);

/* A path hook's: `how` says what it does to the file (FD_CHANGES, FD_MAKES). */
void fd_act_file(int at, const char *path, unsigned int how);

/* FD_CTL=own:1 */
void fd_act_own(bool own);

#endif
