#ifndef FD_SEEN_H
#define FD_SEEN_H
/* What a watched run needs of its machine, noted on the page (struct fd_seen of wire.h). Lock-free,
 * without allocation or errno, safe in a signal handler and in a vfork child. */
#include "shim/live.h"

/* Does the runner want to know? The first question of whoever calls the functions below. */
static inline bool fd_watching(void)
{
    return fd_live_on() && __builtin_expect(fd_live.page->settings.watch, 0);
}

/* Is it the project that acts, in a watched run: its modules are imported or its test runs? */
static inline bool fd_noting(void)
{
    return fd_watching() && (fd_live.open || fd_live.noting);
}

/* Notes a variable of `env[]`, once; a name that is too long is not noted. */
void fd_seen_env(char kind, const char *name);

/* The project read something that the axis decides. */
void fd_seen_read(enum fd_axis axis);

/* Notes a need; the first `what` of each is kept. */
void fd_seen_need(enum fd_need need, const char *what);

/* Notes a path of `path[]`, once. */
void fd_seen_path(const char *path);

/* Was this there before the trial began? By the link's own change time, which no program sets. */
bool fd_seen_before(int dirfd, const char *path);

/* What the trial's own processes bound: ports, and abstract names as hashes. */
void fd_seen_bind_port(uint16_t port);
bool fd_seen_port_bound(uint16_t port);
void fd_seen_bind_name(uint64_t hash);
bool fd_seen_name_bound(uint64_t hash);

/* What it did, and the port that a bind named. */
void fd_seen_deed(enum fd_deed deed);
void fd_seen_fixed_port(uint16_t port);

/* A path, absolute and without dots, that was looked for and is not there; one that was made, or
 * would be. */
void fd_seen_missed(const char *path);
void fd_seen_made(const char *path);

#endif
