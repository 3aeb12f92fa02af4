#ifndef FD_WINDOW_H
#define FD_WINDOW_H
/* When the test begins. See design §2.3: the window opens in the process that runs the test, when
 * pytest announces its setup; any other program is in its window from its first call. */
#include <stdint.h>

/* The program set PYTEST_CURRENT_TEST to `value`. */
void fd_window_announced(const char *value);

/* Opens it now; `node` is the hash of the test's id, 0 for a program that is not pytest. */
void fd_window_open(uint64_t node);

/* Where a process stands at its start (envp) or after it was handed a page (NULL). */
void fd_window_at_start(char *const *envp);

uint64_t fd_window_node(const char *current_test);

#endif
