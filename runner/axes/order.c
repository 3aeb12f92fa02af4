/* The tests that ran before, in the same process: what they leave behind in it. The search has an
 * algorithm of its own for this axis (search/order.c): which tests there are only the run tells. */
#include "axes/axis.h"

#include "model/before.h"

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    (void)v;
    (void)nth;
    (void)ret_value;
    return false;
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    return failing && axes_only_value("alone", nth, ret_value);
}

/* A trial that was not told otherwise runs the one test. */
static bool recorded(const struct outcome *o, char *ret_value)
{
    (void)o;
    return axes_only_value("alone", 0, ret_value);
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    struct before b;
    if (before_parse(value, &b, e) < 0)
        return -1;
    text_copy(r->order, sizeof r->order, value);
    return 0;
}

/* By hand the tests are the command's arguments. */
static void command(const char *value, struct text *out)
{
    (void)value;
    (void)out;
}

const struct axis axis_ORDER = {
    .catches = "what the tests before it leave behind, or were to set up",
    .held_by = "which tests run before it in its process",
    .by_hand = "the order of pytest's arguments",
    .recorded = recorded,
    .provoke = provoke,
    .benign = benign,
    .apply = apply,
    .command = command,
};
