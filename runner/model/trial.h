#ifndef FR_MODEL_TRIAL_H
#define FR_MODEL_TRIAL_H
/* One run of the target that is asked for. Plain data. */
#include "model/outcome.h"

struct trial {
    struct setting at;
    enum tier tier; /* wished for; a source may run a warm wish fresh and says so in the outcome */
    unsigned spare; /* process ids to use up before it starts: ids must not line up with arms */
};

/* One line that touched an axis, found by a witness run. */
struct witness {
    enum fd_axis axis;
    char
        call[24]; /* the hook or what was seen: "clock_gettime", "getrandom", "random()", "value" */
    char file[160];
    char function[48];
    unsigned line;
    uint64_t count;
    uint64_t first, last; /* ordinal of the clock read inside the window, or 0 */
};

#endif
