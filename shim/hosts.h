#ifndef FD_HOSTS_H
#define FD_HOSTS_H
/* What name look-ups can answer without a packet: numbers, /etc/hosts, and the machine's own name
 * where a module of libc's knows it. Read anew each time, as libc does. */
#include <stdbool.h>

/* Would this name go to a name server? Not if it is a number, is in /etc/hosts or could be no
 * host's name, which libc sees for itself. */
bool fd_hosts_asks_for(const char *name);

/* Would this address? */
bool fd_hosts_asks_about(const unsigned char ip[16]);

/* Is it the name of this machine? */
bool fd_hosts_is_own(const char *name);

/* Could it be a host's name, and is no number? */
bool fd_hosts_is_name(const char *name);

/* Tells libc to look hosts up in its files alone: what the hooks let through is found there, and
 * libc must not ask further on its way. For the constructor: libc allocates for it. */
void fd_hosts_only_files(void);

#endif
