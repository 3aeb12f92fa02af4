#ifndef FR_BASE_OWN_H
#define FR_BASE_OWN_H
/* Scope-owned resources. `own_fd int fd = open(…)` closes at the end of the block; take_fd(&fd)
 * hands it over and leaves -1 behind, so the block closes nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void own_fd_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}
static inline void own_mem_free(void *p)
{
    free(*(void **)p);
}
static inline void own_file_close(FILE **f)
{
    if (*f)
        fclose(*f);
}
#define own_fd   __attribute__((cleanup(own_fd_close)))
#define own_mem  __attribute__((cleanup(own_mem_free)))
#define own_file __attribute__((cleanup(own_file_close)))

static inline int take_fd(int *fd)
{
    int had = *fd;
    *fd = -1;
    return had;
}
#define take_ptr(p)                                                                                \
    ({                                                                                             \
        __typeof__(*(p)) had_ = *(p);                                                              \
        *(p) = NULL;                                                                               \
        had_;                                                                                      \
    })

#endif
