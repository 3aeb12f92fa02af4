#ifndef FD_WAY_IMPL_H
#define FD_WAY_IMPL_H
/* What the files of way.h share, from the bottom up. */
#include "shim/way.h"

/* way_place.c: is it below a pair's `from`, and not in a folder that stays? */
bool fd_way_place(const char *path, struct fd_place *ret);

/* Counts and notes such a path, and one below /tmp. */
void fd_way_note(const char *path, const struct fd_place *pl, unsigned int how, const char *hook);
void fd_way_note_tmp(const char *path, unsigned int how);

/* Notes what is not in the empty HOME of a watched run, but in the one it stands for. */
void fd_way_note_missing(const char *path, unsigned int how);

/* The text that takes the path's place. */
void fd_way_compose(const char *path, const struct fd_place *pl, char *buf, size_t room);
bool fd_way_there(int at, const char *path);

/* way_base.c: does it matter where this relative path starts? */
bool fd_way_asks(int at, const char *path, unsigned int how);

/* What `at` is, as the program knows it, then a slash and `path`; FD_WAY_ROOM bytes. False if that
 * cannot be known. ret_private: the kernel stands below a `to` there. */
bool fd_way_join(int at, const char *path, char *ret, size_t *ret_base, bool *ret_private);

/* way_link.c: are there links in it, below its `to`, that would have to be followed? */
bool fd_way_linked(const char *path, const struct fd_place *pl, unsigned int how);

/* Follows them, in the program's names; FD_WAY_ROOM bytes. */
void fd_way_resolve(int at, const char *path, unsigned int how, char *buf);

#endif
