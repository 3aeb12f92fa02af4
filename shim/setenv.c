/* setenv and putenv carry messages: the test that begins, the page of a warm child, a time zone. */
#include "shim/acts.h"
#include "shim/environ.h"
#include "shim/live.h"
#include "shim/real.h"
#include "shim/seen.h"
#include "shim/start.h"
#include "shim/stop.h"
#include "shim/text.h"
#include "shim/window.h"
#include "shim/zone.h"
#include <stdlib.h>

/* Python read something that reaches no hook: "zone", or the variable of "env:oNAME". */
static void seen(const char *what)
{
    static const char *const words[] = {
#define AXIS(ID, word) [FD_AXIS_##ID] = word,
#include "axes.def"
#undef AXIS
    };
    if (fd_text_starts(what, "env:") && what[4])
        fd_environ_seen(what[4], what + 5);
    for (int axis = 0; axis < FD_AXIS_COUNT; axis++)
        if (fd_text_equal(what, words[axis]))
            fd_seen_read((enum fd_axis)axis);
}

/* The value stays out of the environment: a child would take it for its own. */
static void control(const char *value)
{
    bool own = fd_text_equal(value, "own:1");
    if (own || fd_text_equal(value, "own:0")) {
        fd_act_own(own);
    } else if (fd_text_starts(value, "attach:")) {
        fd_start_attach(value + sizeof "attach:" - 1);
    } else if (fd_text_equal(value, "collect")) {
        fd_live.noting = true;
    } else if (fd_text_starts(value, "seen:")) {
        if (fd_watching())
            seen(value + sizeof "seen:" - 1);
    } else {
        fd_stop(FD_ENV_CTL "=", value, " is not understood; write attach:PATH");
    }
}

FD_EXPORT int setenv(const char *name, const char *value, int replace)
{
    if (fd_text_equal(name, FD_ENV_CTL)) {
        control(value);
        return 0;
    }
    int ret = REAL(setenv)(name, value, replace);
    if (!ret && fd_text_equal(name, FD_ENV_CURRENT_TEST) && fd_live_on())
        fd_window_announced(value);
    if (!ret && fd_text_equal(name, "TZ"))
        fd_zone_set(value, fd_live.page);
    return ret;
}

FD_EXPORT int putenv(char *text)
{
    if (fd_text_starts(text, FD_ENV_CTL "=")) {
        control(text + sizeof FD_ENV_CTL);
        return 0;
    }
    int ret = REAL(putenv)(text);
    if (!ret && fd_text_starts(text, FD_ENV_CURRENT_TEST "=") && fd_live_on())
        fd_window_announced(text + sizeof FD_ENV_CURRENT_TEST);
    if (!ret && fd_text_starts(text, "TZ="))
        fd_zone_set(text + sizeof "TZ=" - 1, fd_live.page);
    return ret;
}
