#include "shim/birth.h"
#include "shim/text.h"
#include <stddef.h>

static struct fd_birth births[FD_BIRTHS];
static unsigned int births_seen;

const struct fd_birth *fd_birth(unsigned int i)
{
    unsigned int have = births_seen < FD_BIRTHS ? births_seen : FD_BIRTHS;
    return i < have ? &births[i] : NULL;
}

void fd_birth_remember(const void *buf, ssize_t n)
{
    if (n != FD_BIRTH_BYTES)
        return;
    unsigned int at = births_seen < FD_BIRTHS - 1 ? births_seen : FD_BIRTHS - 1;
    fd_copy(births[at].bytes, buf, FD_BIRTH_BYTES);
    births_seen = at + 1;
}
