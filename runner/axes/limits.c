/* What a process may use of its machine: open files, processors, memory, stack. */
#include "axes/axis.h"

#include "shim/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FEWEST_FILES                                                                               \
    256 /* some systems grant no more; who needs more than less than that has a                    \
         * need of its machine */

static const uint64_t files[] = {FEWEST_FILES, 512, 1024, 4096, 65536};
#define FILES (sizeof files / sizeof *files)

static uint64_t own_files(void)
{
    struct rlimit r;
    return getrlimit(RLIMIT_NOFILE, &r) == 0 ? r.rlim_cur : 0;
}

static uint64_t own_cpus(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint64_t)n : 1;
}

static bool asks_for_cpus(const struct axis_view *v)
{
    uint64_t here = v->seen ? v->seen->touched[FD_AXIS_LIMITS] : 0;
    return here || (v->watched && v->watched->reads & axis_bit(FD_AXIS_LIMITS));
}

/* The number behind "nofile:" or the like; 0: the value is about something else. */
static uint64_t number_of(const char *value, const char *what)
{
    size_t n = strlen(what);
    return strncmp(value, what, n) == 0 ? strtoull(value + n, NULL, 10) : 0;
}

static bool take(const char *what, uint64_t n, size_t *nth, char *ret_value)
{
    if ((*nth)-- > 0)
        return false;
    snprintf(ret_value, SETTING_VALUE_MAX, "%s%" PRIu64, what, n);
    return true;
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    static const char *const needs[] = {"memory:512M", "stack:1M"};
    if (own_files() > FEWEST_FILES && take("nofile:", FEWEST_FILES, &nth, ret_value))
        return true;
    if (asks_for_cpus(v) && own_cpus() > 1 && take("cpus:", 1, &nth, ret_value))
        return true;
    if (asks_for_cpus(v) && take("cpus:", own_cpus() < 64 ? 64 : 2, &nth, ret_value))
        return true;
    if (nth >= sizeof needs / sizeof *needs)
        return false;
    text_copy(ret_value, SETTING_VALUE_MAX, needs[nth]);
    return true;
}

/* The nearest number above the failing one, up to what this machine has. */
static bool benign_files(uint64_t failing, size_t nth, char *ret_value)
{
    uint64_t own = own_files();
    for (size_t i = 0; i < FILES; i++)
        if (files[i] > failing && files[i] < own && take("nofile:", files[i], &nth, ret_value))
            return true;
    return own > failing && own <= INT32_MAX && take("nofile:", own, &nth, ret_value);
}

static bool benign_cpus(uint64_t failing, size_t nth, char *ret_value)
{
    const uint64_t tries[] = {own_cpus(), 2, 4, 1};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        if (tries[i] != failing && (i == 0 || tries[i] != tries[0]) &&
            take("cpus:", tries[i], &nth, ret_value))
            return true;
    return false;
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    (void)v;
    uint64_t few = failing ? number_of(failing, "nofile:") : 0;
    uint64_t cpus = failing ? number_of(failing, "cpus:") : 0;
    if (few)
        return benign_files(few, nth, ret_value);
    return cpus && benign_cpus(cpus, nth, ret_value);
}

/* The most usual limit that is too low as well. */
static bool plainer(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    uint64_t few = number_of(failing, "nofile:");
    (void)v;
    return few && few < 1024 && own_files() > 1024 && take("nofile:", 1024, &nth, ret_value);
}

static bool requirement(const struct axis_view *v, const char *value)
{
    uint64_t few = number_of(value, "nofile:");
    (void)v;
    return few ? few < FEWEST_FILES : !number_of(value, "cpus:");
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    if (fd_limits_parse(value, &r->page) < 0) {
        err_set(e, ERR_USAGE, "limits=\"%s\" is not a limit", value);
        return err_hint(e, "for instance nofile:256, cpus:1, memory:512M or stack:1M");
    }
    return 0;
}

static void command(const char *value, struct text *out)
{
    text_addf(out, "FD_LIMITS=%s ", value);
}

static bool shell(const char *value, struct text *out)
{
    uint64_t few = number_of(value, "nofile:");
    if (few)
        text_addf(out, "ulimit -Sn %" PRIu64 "; ", few);
    return few > 0;
}

const struct axis axis_LIMITS = {
    .catches = "many files open at once, one processor or many, little memory, a small stack",
    .held_by = "a limit of each process, or the number of processors that it is told of",
    .by_hand = "FD_LIMITS, ulimit",
    .at_start = true,
    .provoke = provoke,
    .benign = benign,
    .plainer = plainer,
    .requirement = requirement,
    .apply = apply,
    .command = command,
    .shell = shell,
    .needs_shim = true,
};
