/* Where objects lie in memory: id(), the default hash, the order of sets of objects and types. */
#include "axes/axis.h"

#include "shim/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define PAD_STEP  16 /* the stack is aligned so */
#define PAD_STEPS 64

#define STACK_ROOM    (UINT64_C(256) << 20)
#define LIBRARY_STEP  (UINT64_C(2) << 20) /* large pages: by less than that they do not move */
#define LIBRARY_STEPS 64

static void draw(uint64_t seed, char *ret_value)
{
    snprintf(ret_value, SETTING_VALUE_MAX, "%" PRIu64, 1 + axes_mix(seed, 0x61646472) % 9999);
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    (void)v;
    return axes_nth_number(nth, 1, 200, ret_value);
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    return axes_nth_other_number(failing, nth, 1, 12, ret_value);
}

/* Kernels leave room for the stack as its soft limit says, 128 MB at least, and put libraries
 * below: 2 MB more, and they lie 2 MB lower. libfd.so puts the limit back. */
static void shift_libraries(struct recipe *r)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) < 0 || stack.rlim_cur == RLIM_INFINITY)
        return;
    uint64_t shift = axes_mix(r->page.address_seed, 0x6c6962) % LIBRARY_STEPS;
    uint64_t limit = STACK_ROOM + shift * LIBRARY_STEP;
    if (stack.rlim_max != RLIM_INFINITY && limit > stack.rlim_max)
        return;
    r->page.stack_limit = stack.rlim_cur;
    r->stack_limit = limit;
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (fd_address_parse(value, &r->page) < 0)
        return err_set(e, ERR_USAGE, "address=\"%s\" is not a seed (a number without sign)", value);
    /* libfd.so lays out the heap; the stack lies below the environment, which only we can pad. */
    char pad[PAD_STEP * PAD_STEPS + 1] = {0};
    memset(pad, 'x', axes_mix(r->page.address_seed, 0x706164) % PAD_STEPS * PAD_STEP);
    argv_addf(&r->env, "FR_PAD=%s", pad);
    r->no_aslr = true;
    shift_libraries(r);
    return 0;
}

static void command(const char *value, struct text *out)
{
    text_addf(out, "FD_ADDRESS=%s ", value);
}

const struct axis axis_ADDRESS = {
    .catches = "id(), default hashes and the order of objects in a set",
    .held_by = "a seeded layout of Python's heap, without address randomization",
    .by_hand = "FD_ADDRESS",
    .at_start = true,
    .draw = draw,
    .provoke = provoke,
    .benign = benign,
    .apply = apply,
    .command = command,
    .needs_shim = true,
    .replay_tries = 64,
};
