#ifndef FD_WITNESS_H
#define FD_WITNESS_H
/* Which line of the user's Python a touch comes from. A C trace function leaves the nearest line
 * of user code in a slot of the thread; hooks read the slot and never ask Python anything.
 * Only the thread that opens the window is traced; a test that calls sys.settrace takes over. */

void fd_witness_install(void);          /* the GIL is held */
void fd_witness_log(const char *path);  /* by hand: also append each new site there; NULL: no */

#endif
