/* The lines by which an axis gets into the test. */
#include "live/engine.h"

size_t engine_witness(struct source *s, enum fd_axis a, const struct setting *failing,
                      const struct setting *passing, struct witness *ret, size_t room)
{
    (void)s;
    (void)a;
    (void)failing;
    (void)passing;
    (void)ret;
    (void)room;
    return 0;
}
