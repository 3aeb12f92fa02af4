/* Copies of the target side by side: what a parallel run of the suite does to it.
 *
 * "copies:4" is four processes of the target at once in one shared tree, "copies:4:20ms" the same
 * with each started 20 ms after the one before, "xdist:2" the target's file by two workers of
 * pytest-xdist. One fails, the trial fails. */
#include "axes/axis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST       16
#define STAGGER_MS 10000

struct how {
    bool xdist;
    unsigned n, stagger_ms;
};

static bool read_number(const char **at, unsigned long most, unsigned *ret)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    unsigned long n = strtoul(*at, &end, 10);
    *at = end;
    *ret = (unsigned)n;
    return n <= most;
}

static bool parse(const char *value, struct how *ret)
{
    const char *at = strchr(value, ':');
    *ret = (struct how){.xdist = text_starts(value, "xdist:")};
    if (!at || !(ret->xdist || text_starts(value, "copies:")))
        return false;
    at++;
    if (!read_number(&at, MOST, &ret->n) || ret->n == 0)
        return false;
    if (*at == ':' && !ret->xdist) {
        at++;
        if (!read_number(&at, STAGGER_MS, &ret->stagger_ms) || strcmp(at, "ms") != 0)
            return false;
        return true;
    }
    return *at == 0;
}

static bool has_xdist(const struct target *t)
{
    for (size_t i = 0; t && i < t->plugins.n; i++)
        if (text_starts(t->plugins.at[i], "pytest-xdist "))
            return true;
    return false;
}

/* One case of several of one function: its siblings are what runs beside it. */
static bool has_siblings(const struct target *t)
{
    return t && t->nodeid && strchr(t->nodeid, '[');
}

static bool provoke(const struct axis_view *v, size_t nth, char *ret_value)
{
    static const char *const copies[] = {"copies:4", "copies:8", "copies:4:20ms", "copies:2"};
    static const char *const xdist[] = {"xdist:2", "xdist:4"};
    enum { COPIES = sizeof copies / sizeof *copies, XDIST = sizeof xdist / sizeof *xdist };
    bool first = has_xdist(v->target) && has_siblings(v->target);
    bool last = has_xdist(v->target) && !first;
    if (first && nth < XDIST)
        return axes_only_value(xdist[nth], 0, ret_value);
    nth -= first ? XDIST : 0;
    if (nth < COPIES)
        return axes_only_value(copies[nth], 0, ret_value);
    nth -= COPIES;
    return last && nth < XDIST && axes_only_value(xdist[nth], 0, ret_value);
}

static bool benign(const struct axis_view *v, const char *failing, size_t nth, char *ret_value)
{
    struct how h;
    (void)v;
    return failing && parse(failing, &h) && h.n > 1 &&
           axes_only_value(h.xdist ? "xdist:1" : "copies:1", nth, ret_value);
}

static int apply(const char *value, struct recipe *r, struct err *e)
{
    struct how h;
    if (!parse(value, &h))
        return err_set(e, ERR_USAGE, "workers=\"%s\" is not copies:N, copies:N:20ms or xdist:N",
                       value);
    r->page.held |= axis_bit(FD_AXIS_WORKERS);
    r->copies = h.xdist ? 0 : h.n;
    r->stagger_ns = (int64_t)h.stagger_ms * 1000000;
    r->spread = h.xdist ? h.n : 0;
    return 0;
}

const struct axis axis_WORKERS = {
    .catches = "what has one name for all: files, folders, ports that a second copy uses too",
    .held_by = "one process; or several at once, in one tree of their own",
    .by_hand = "pytest -n, or flaky-repro replay",
    .has_hook = true,
    .provoke = provoke,
    .benign = benign,
    .apply = apply,
    .many_faces = true,
    .alone = true,
};
