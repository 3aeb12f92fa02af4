/* The order in which directories are read: a property of the file system, not of the program. */
#include "axes/axis.h"

#include "shim/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Orders that have a name. By age, two folders with the same names may differ. */
static const char *const named[] = {"sorted", "reverse", "newest", "oldest"};
#define NAMED (sizeof named / sizeof *named)

/* The nth of them, then seeded orders. */
static bool nth_order(size_t nth, size_t most, char *ret_value)
{
    if (nth >= most)
        return false;
    if (nth < NAMED)
        text_copy(ret_value, SETTING_VALUE_MAX, named[nth]);
    else
        snprintf(ret_value, SETTING_VALUE_MAX, "%zu", nth - NAMED + 1);
    return true;
}

/* One order in eight is by age, as on file systems that keep one: those of names are many. */
static void draw(uint64_t seed, char *ret_value)
{
    uint64_t drawn = axes_mix(seed, 0x64697265);
    if (drawn >> 61 == 0)
        text_copy(ret_value, SETTING_VALUE_MAX, drawn >> 60 ? "oldest" : "newest");
    else
        snprintf(ret_value, SETTING_VALUE_MAX, "%" PRIu64, 1 + drawn % 9999);
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    (void)v;
    return nth_order(nth, 64, ret_value);
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    for (size_t i = 0; nth_order(i, 14, ret_value); i++)
        if ((!failing || strcmp(failing, ret_value) != 0) && nth-- == 0)
            return true;
    return false;
}

static bool plainer(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    for (size_t i = 0; i < NAMED; i++)
        if (strcmp(failing, named[i]) == 0)
            return false;
    return nth_order(nth, 2, ret_value); /* by name, as nature hardly ever does it by age */
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (fd_listing_parse(value, &r->page) < 0)
        return err_set(e, ERR_USAGE,
                       "listing=\"%s\" is not sorted, reverse, oldest, newest or a number", value);
    return 0;
}

static void command(const char *value, struct text *out)
{
    text_addf(out, "FD_LISTING=%s ", value);
}

const struct axis axis_LISTING = {
    .catches = "os.listdir, glob and walk without sorted()",
    .held_by = "the order in which readdir gives the names",
    .by_hand = "FD_LISTING",
    .has_hook = true,
    .draw = draw,
    .provoke = provoke,
    .benign = benign,
    .plainer = plainer,
    .apply = apply,
    .command = command,
    .plain_benign = true,
    .needs_shim = true,
};
