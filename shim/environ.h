#ifndef FD_ENVIRON_H
#define FD_ENVIRON_H
/* What a watched run reads of its environment, noted for the axis that the variable belongs to. */
#include "shim/wire.h"

/* `kind` is one of FD_READ_*; names of our own and of the loader's are no news. */
void fd_environ_seen(char kind, const char *name);

#endif
