#ifndef FD_ENTRIES_H
#define FD_ENTRIES_H
/* A directory read whole, its entries in the order that the setting asks for: `.`, `..`, then by
 * a hash of the name keyed with the seed, or by the name's bytes. The memory is a mapping of our
 * own, because hooks do not allocate; a zeroed struct is an empty one. */
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fd_entries {
    char *at;       /* the kernel's records, and behind them an index of them in order */
    size_t size;    /* of the mapping; kept from one reading to the next */
    size_t index;   /* where in it the index begins */
    uint32_t count; /* entries */
    uint32_t named; /* those that are not `.` or `..` */
    int err;        /* errno of what ended the reading early, or 0 */
};

/* Reads what `fd` has left. Each entry's d_off becomes its number plus one. Returns 0, or -1 when
 * there is no memory: the descriptor then stands where it stood. */
int fd_entries_read(struct fd_entries *e, int fd);
struct dirent64 *fd_entry(const struct fd_entries *e, uint32_t i);
void fd_entries_free(struct fd_entries *e);

/* Does `a` come before `b`? The order of their names alone; negative, 0 or positive. */
int fd_entry_order(const char *a, uint64_t inode_a, const char *b, uint64_t inode_b);

bool fd_entry_is_dot(const char *name); /* "." or ".." */

/* Is this a directory of the system's, of Python's own or of installed packages? Those keep the
 * order they have. */
bool fd_listing_exempt(int fd);
bool fd_listing_exempt_path(const char *path);

#endif
