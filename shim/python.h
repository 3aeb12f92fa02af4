#ifndef FD_PYTHON_H
#define FD_PYTHON_H
/* What happens inside a Python interpreter when the window opens: the global generators start
 * again and, in a witness run, the trace function is set. Nothing in any other program. */

#include <stdbool.h>

/* Whether this is one, and the caller has its GIL; looked up once. */
bool fd_python_ready(void);
void fd_python_run(const char *expression); /* only where it is ready */

/* The GIL is held by the caller of setenv, or nothing is done. Before the window opens. */
void fd_python_seed(void);
void fd_python_witness(void); /* after it */

#endif
