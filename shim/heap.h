#ifndef FD_HEAP_H
#define FD_HEAP_H
/* The layout of Python's heap, drawn by seed: what id(), default hashes and the order of objects
 * in a set follow from. Nothing in any other program; nothing in a build without a global lock. */

/* From the constructor, before Python starts: its small blocks come from our pools from then on. */
void fd_heap_start(void);

/* When a window opens, and when its test is called: the pools start again, at the same place for
 * one (seed, test), whatever was allocated before. The caller has
 * the interpreter's lock (setenv and putenv do). */
void fd_heap_window(void);

/* A file is opened. Before the first test, one that is a module of the project's own starts the
 * pools again too, so that what it makes lies where the seed says, whatever was imported before. */
void fd_heap_opened(const char *path);

#endif
