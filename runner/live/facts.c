/* What is found on this machine, and what the axes say of themselves. */
#include "live/live.h"

#include "axes/axis.h"

const char *live_axis_catches(enum fd_axis a)
{
    return axes[a]->catches;
}

const char *live_axis_held_by(enum fd_axis a)
{
    return axes[a]->held_by;
}

const char *live_axis_by_hand(enum fd_axis a)
{
    return axes[a]->by_hand;
}

void live_facts(const char *python, struct facts *ret_facts)
{
    (void)python;
    *ret_facts = (struct facts){0};
}
