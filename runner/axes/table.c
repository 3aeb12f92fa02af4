#include "axes/axis.h"

/* The only place that lists them all. */
const struct axis *const axes[FD_AXIS_COUNT] = {
#define AXIS(ID, word) [FD_AXIS_##ID] = &axis_##ID,
#include "shim/axes.def"
#undef AXIS
};

int axes_apply(const struct setting *s, struct recipe *r, struct err *e)
{
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if (setting_holds(s, a) && axes[a]->apply(s->value[a], r, e) < 0)
            return err_while(e, "holding %s=%s", axis_word(a), s->value[a]);
    return 0;
}
