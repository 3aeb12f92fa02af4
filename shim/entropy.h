#ifndef FD_ENTROPY_H
#define FD_ENTROPY_H
/* The births of Python's generators: the 2496 bytes (624 words) that an unseeded random.Random
 * asks the kernel for. */
#define FD_BIRTH_BYTES 2496
#define FD_BIRTHS 4
struct fd_birth {
    unsigned char bytes[FD_BIRTH_BYTES];
};
const struct fd_birth *fd_entropy_birth(unsigned int i); /* NULL past the last */
#endif
