/* Playing a recorded repro again. */
#include "live/live.h"

int live_replay(const char *blob, const struct request *q, struct replay_result *ret, struct err *e)
{
    (void)q;
    (void)ret;
    return err_set(e, ERR_USAGE, "\"%.40s\" is not a repro of this tool", blob);
}
