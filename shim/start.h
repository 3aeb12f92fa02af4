#ifndef FD_START_H
#define FD_START_H

/* putenv("FD_CTL=attach:PATH"): this process goes on as the first one of another page. There is
 * one thread then; a page that cannot be used ends the process. */
void fd_start_attach(const char *path);

#endif
