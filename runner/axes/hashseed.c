/* The hash secret of str and bytes: iteration order of sets, and what follows from it. */
#include "axes/axis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Nature draws a 24-byte secret; PYTHONHASHSEED expands a 32-bit number to one. Small numbers are
 * as random as large ones and shorter to type; 0 is left out: it means "no secret at all". */
static void draw(uint64_t seed, char *ret_value)
{
    snprintf(ret_value, SETTING_VALUE_MAX, "%" PRIu64, 1 + axes_mix(seed, 0x68617368) % 9999);
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    (void)v;
    return axes_nth_number(nth, 0, 200, ret_value);
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    return axes_nth_other_number(failing, nth, 0, 12, ret_value);
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (*end || end == value || n > UINT32_MAX || value[0] == '-' || value[0] == '+')
        return err_set(e, ERR_USAGE, "hashseed=\"%s\" is not a number from 0 to 4294967295", value);
    argv_addf(&r->env, "PYTHONHASHSEED=%lu", n);
    /* Children that a test starts without it, or with python -I, are given the same secret. */
    r->page.held |= axis_bit(FD_AXIS_HASHSEED);
    r->page.hash_seed = n;
    return 0;
}

static void command(const char *value, struct text *out)
{
    text_addf(out, "PYTHONHASHSEED=%s ", value);
}

const struct axis axis_HASHSEED = {
    .catches = "set and dict order that leaks into behaviour",
    .held_by = "PYTHONHASHSEED of each process",
    .by_hand = "PYTHONHASHSEED",
    .at_start = true,
    .draw = draw,
    .provoke = provoke,
    .benign = benign,
    .apply = apply,
    .command = command,
};
