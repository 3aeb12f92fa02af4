/* Whether other machines can be reached; and how a stream comes in, from this machine as well. */
#include "axes/axis.h"

#include "shim/value.h"

#include <stdio.h>
#include <string.h>

/* What has to be seen for a value to matter. */
enum when { OUTSIDE, OWN_NAME, STREAM };

static bool was_seen(const struct fd_seen *w, enum when when)
{
    switch (when) {
    case OUTSIDE:
        return w->needs >> FD_NEED_OUTSIDE & 1;
    case OWN_NAME:
        return w->deeds >> FD_DEED_OWN_NAME & 1;
    case STREAM:
        return w->deeds >> FD_DEED_STREAM & 1;
    }
    return false;
}

/* Most natural first: what one send wrote comes by itself now and then on any network, single bytes
 * hardly ever. */
static const struct {
    const char *value;
    enum when when;
} values[] = {
    {"segment", STREAM},     {"chunk:1000", STREAM}, {"chunk:20", STREAM},  {"chunk:1", STREAM},
    {"block", OUTSIDE},      {"refuse", OUTSIDE},    {"nxdomain", OUTSIDE}, {"nohost", OWN_NAME},
    {"delay:200ms", STREAM}, {"reset", STREAM},
};

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    if (!v->watched) /* nothing is known of it */
        return axes_only_value("block", nth, ret_value);
    const struct fd_seen *w = v->watched;
    size_t ports = w->fixed_ports < FD_FIXED ? w->fixed_ports : FD_FIXED;
    if (nth < ports) {
        snprintf(ret_value, SETTING_VALUE_MAX, "busy:%u", w->fixed[nth]);
        return true;
    }
    nth -= ports;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (was_seen(w, values[i].when) && nth-- == 0)
            return axes_only_value(values[i].value, 0, ret_value);
    return false;
}

/* Whoever trusts in whole receives may fail on an open network as well, only more rarely: there the
 * contrary is another value. */
static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    if (!failing || strcmp(failing, "open") == 0)
        return failing && axes_only_value("whole", nth, ret_value);
    bool pieces = text_starts(failing, "segment") || text_starts(failing, "chunk:");
    if (pieces && nth-- == 0)
        return axes_only_value("whole", 0, ret_value);
    return axes_only_value("open", nth, ret_value);
}

/* A connection that breaks off has to be started again: a program that does not fails as soon as it
 * happens, which says no more of it than that it needs its connections. */
static bool requirement(const struct axis_view *v, const char *value)
{
    (void)v;
    return strcmp(value, "reset") == 0;
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (fd_net_parse(value, &r->page) < 0)
        return err_set(e, ERR_USAGE, "network=\"%s\" is no state of the network", value);
    return 0;
}

static void command(const char *value, struct text *out)
{
    text_addf(out, "FD_NET=%s ", value);
}

static void meaning(const char *value, struct text *out)
{
    static const struct {
        const char *value, *sentence;
    } of[] = {
        {"segment", "A receive returns what has arrived, which may be one of several sends."},
        {"chunk:", "A receive returns what has arrived, which may be less than was sent."},
        {"delay:", "The other side answers late."},
        {"busy:", "The port has a fixed number, and another program may have it."},
        {"nxdomain", "The name is not known everywhere."},
        {"nohost", "A machine does not always know its own name."},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (text_starts(value, of[i].value))
            text_add(out, of[i].sentence);
}

const struct axis axis_NETWORK = {
    .catches = "other machines, names looked up, short reads, fixed ports",
    .held_by = "connect, bind, send, receive and name look-ups that end as on another network",
    .by_hand = "FD_NET, FD_NET_ALLOW",
    .has_hook = true,
    .provoke = provoke,
    .benign = benign,
    .requirement = requirement,
    .apply = apply,
    .command = command,
    .meaning = meaning,
    .needs_shim = true,
    .alone = true,
};
