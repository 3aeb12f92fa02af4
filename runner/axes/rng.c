/* Entropy from the kernel by every door, and Python's global generator, which is seeded from it. */
#include "axes/axis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void draw(uint64_t seed, char *ret_value)
{
    snprintf(ret_value, SETTING_VALUE_MAX, "%" PRIu64, axes_mix(seed, 0x726e67) % 1000000);
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    (void)v;
    return axes_nth_number(nth, 0, 2000, ret_value);
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    return axes_nth_other_number(failing, nth, 0, 24, ret_value);
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    if (*end || end == value || errno || value[0] == '-' || value[0] == '+')
        return err_set(e, ERR_USAGE, "rng=\"%s\" is not a seed (a number without sign)", value);
    r->page.held |= axis_bit(FD_AXIS_RNG);
    r->page.rng_seed = n;
    return 0;
}

static void command(const char *value, struct text *out)
{
    text_addf(out, "FD_RNG=%s ", value);
}

const struct axis axis_RNG = {
    .catches = "unseeded random, secrets, uuid4, temporary names",
    .held_by = "a seeded stream behind getrandom, /dev/urandom and their kin; random.seed",
    .by_hand = "FD_RNG",
    .has_hook = true,
    .draw = draw,
    .provoke = provoke,
    .benign = benign,
    .apply = apply,
    .command = command,
    .needs_shim = true,
};
