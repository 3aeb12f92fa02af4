/* Whether other machines can be reached. */
#include "axes/axis.h"

#include "shim/value.h"

#include <string.h>

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    (void)v;
    return axes_only_value("block", nth, ret_value);
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    return failing && strcmp(failing, "open") != 0 && axes_only_value("open", nth, ret_value);
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (fd_net_parse(value, &r->page) < 0)
        return err_set(e, ERR_USAGE, "network=\"%s\" is not open or block", value);
    return 0;
}

static void command(const char *value, struct text *out)
{
    text_addf(out, "FD_NET=%s ", value);
}

const struct axis axis_NETWORK = {
    .catches = "names looked up and connections made to other machines",
    .held_by = "connect, send and name look-ups that end at once unless they stay on this machine",
    .by_hand = "FD_NET, FD_NET_ALLOW",
    .has_hook = true,
    .provoke = provoke,
    .benign = benign,
    .apply = apply,
    .command = command,
    .needs_shim = true,
};
