#ifndef FD_SETTING_H
#define FD_SETTING_H
#include <stdbool.h>
#include "shim/wire.h"

struct fd_by_hand {
    const char *hashseed; /* the value of hashseed= in FD_SETTING, in a buffer of ours, or NULL */
    const char *log;      /* the file that witness lines go to, or NULL */
    const char *map;      /* the value of FD_FS_MAP, or NULL */
    const char *put[6];   /* "NAME=value" to set, "NAME" to remove; NULL at the end */
};

/* Reads FD_SETTING and the single FD_* variables, which override its entries. Returns false when
 * there is none; a text that cannot be used ends the process. */
bool fd_setting_read(char *const *envp, struct fd_settings *ret, struct fd_by_hand *ret_more);

/* "NAME=value" texts that a child needs too, kept from the start; i counts from 0 to NULL. */
const char *fd_setting_entry(unsigned int i);

#endif
