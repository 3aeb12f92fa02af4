#ifndef FD_PAGE_H
#define FD_PAGE_H
#include "shim/wire.h"

/* Maps the page at `path` shared and closes the descriptor; a page that cannot be used ends the
 * process (`who` named it: FD_PAGE or FD_CTL). */
struct fd_page *fd_page_map(const char *path, const char *who);

/* An empty page of our own, shared with forked children: for FD_* text. */
struct fd_page *fd_page_own(void);

/* "FD_PAGE=PATH" of the page in use, for children, or NULL by hand. */
const char *fd_page_entry(void);

#endif
