/* When Python's cyclic collector runs: what only it can free is there until then. */
#include "axes/axis.h"

#include "shim/value.h"

#include <string.h>

/* Never; as often as can be; every so often; then at drawn places. */
static const char *const values[] = {"off",    "every:1", "every:50", "seed:1", "seed:2",
                                     "seed:3", "seed:4",  "seed:5",   "seed:6"};
/* As it is by itself comes first, where that decides anything. */
static const char *const harmless[] = {"on", "every:1", "off", "every:50", "seed:1", "seed:2"};

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    (void)v;
    if (nth >= sizeof values / sizeof *values)
        return false;
    text_copy(ret_value, SETTING_VALUE_MAX, values[nth]);
    return true;
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        if ((failing && strcmp(harmless[i], failing) == 0) || nth-- > 0)
            continue;
        text_copy(ret_value, SETTING_VALUE_MAX, harmless[i]);
        return true;
    }
    return false;
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (fd_gc_parse(value, &r->page) < 0)
        return err_set(e, ERR_USAGE, "gc=\"%s\" is not on, off, every:NUMBER or seed:NUMBER",
                       value);
    return 0;
}

static void command(const char *value, struct text *out)
{
    text_addf(out, "FD_GC=%s ", value);
}

const struct axis axis_GC = {
    .catches = "weak references, __del__ and open files that wait for the cyclic collector",
    .held_by = "the collector off, or made to run at given places, from the test's setup on",
    .by_hand = "FD_GC",
    .provoke = provoke,
    .benign = benign,
    .apply = apply,
    .command = command,
    .needs_shim = true,
};
