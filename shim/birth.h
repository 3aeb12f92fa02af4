#ifndef FD_BIRTH_H
#define FD_BIRTH_H
/* The births of Python's generators: the 2496 bytes (624 words) that an unseeded random.Random
 * asks the kernel for. By them a generator can be told later from one that the program seeded.
 * The first few are kept (a class of old Pythons asks twice) and the latest, which is the one that
 * a fork seeds anew. */
#include <sys/types.h>

#define FD_BIRTH_BYTES 2496
#define FD_BIRTHS 4

struct fd_birth {
    unsigned char bytes[FD_BIRTH_BYTES];
};

void fd_birth_remember(const void *buf, ssize_t n); /* any entropy that was handed out */
const struct fd_birth *fd_birth(unsigned int i);    /* NULL past the last */

#endif
