#ifndef FD_AMBIENT_H
#define FD_AMBIENT_H
/* Files that are there by chance: what a watched run looks for and does not find, a file planted
 * where there is none, a source tree or a folder of temporary files that takes no more.
 *
 * Paths are named as a setting has them: "~/x" below HOME, "x" below the folder that the process
 * stood in at its start, else absolute. Compared as text, without "." and ".."; links are not
 * followed. Safe in signal handlers and in vfork children. */
#include <stdbool.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* Absolute and tidy, or "": HOME, where the process stood, where a file is planted. */
extern struct fd_ambient {
    char home[PATH_MAX], stood[PATH_MAX], wanted[PATH_MAX];
} fd_ambient;

void fd_ambient_tidy(char *path);

/* At the start (ambient_start.c). Both absolute, or "". True: paths have to be looked at. */
bool fd_ambient_start(const char *home, const char *stood);

/* Notes what the call is about to look for or to make (struct fd_seen). */
void fd_ambient_note(int at, const char *path, unsigned int how);

/* Counts a look at what is not there, where a file may be by chance; HOME is left to way.h. */
void fd_ambient_touch(int at, const char *path, unsigned int how, const char *hook);

/* Is a file planted there? */
bool fd_ambient_planted(int at, const char *path, unsigned int how);

/* A descriptor of the planted file, and its name for as long as it is open. Or -1. */
#define FD_AMBIENT_NAME 32
int fd_ambient_open(char name[FD_AMBIENT_NAME]);

/* Must the call fail? errno says why then. `planted`: fd_ambient_planted() was true. */
bool fd_ambient_denies(bool planted, int at, const char *path, unsigned int how);

/* Has the file behind `fd` no room for n bytes at `at`? errno says so then. */
#define FD_AT_POSITION (-1)
bool fd_ambient_full(int fd, size_t n, int64_t at);

/* How many of the n bytes that are asked for there are in the file `from`, at *at or where it
 * stands. */
size_t fd_ambient_rest(int from, const int64_t *at, size_t n);

#endif
