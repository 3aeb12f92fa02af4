/* Transplant: take a failing setting F and a passing one P that both replay; the smallest set of
 * axes whose F-values make P fail is the cause. Delta debugging (Zeller and Hildebrandt 2002) over
 * axes, with single axes tried first: they are the common case and the cheapest answer. */
#include "search/phases.h"

#include <string.h>

#define REPEATS 3

struct transplant {
    struct campaign *c;
    const struct run *failing, *passing;
};

/* How many of REPEATS runs of P with F's values on `set` fail as F does. */
static int failures(struct transplant *x, uint32_t set, unsigned *ret, struct err *e)
{
    struct trial t[REPEATS];
    struct outcome got[REPEATS];
    enum tier tier = campaign_tier(x->c);
    own_text struct text label = {0};
    const char *what = "transplant:";
    text_add(&label, what);
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if (set & axis_bit(a))
            text_addf(&label, " %s", axis_word(a));
    struct row *row = evidence_add(&x->c->finding->evidence, text_str(&label), tier);
    for (size_t i = 0; i < REPEATS; i++) {
        t[i] = (struct trial){.at = x->passing->at, .tier = tier};
        setting_take(&t[i].at, &x->failing->at, set);
    }
    if (campaign_run(x->c, t, REPEATS, got, row, e) < 0)
        return -1;
    *ret = 0;
    for (size_t i = 0; i < REPEATS; i++)
        *ret +=
            outcome_failed(&got[i]) && fingerprint_same(&got[i].print, &x->failing->outcome.print);
    campaign_tell(x->c, text_str(&label) + strlen(what) + 1, REPEATS, row);
    return 0;
}

static int fails(struct transplant *x, uint32_t set, bool *ret, struct err *e)
{
    unsigned n;
    if (failures(x, set, &n, e) < 0)
        return -1;
    *ret = n == REPEATS;
    return 0;
}

static uint32_t differing(const struct run *a, const struct run *b)
{
    uint32_t set = 0;
    for (enum fd_axis i = 0; i < FD_AXIS_COUNT; i++) {
        struct setting x = a->at, y = b->at;
        x.held &= axis_bit(i);
        y.held &= axis_bit(i);
        if (!setting_same(&x, &y))
            set |= axis_bit(i);
    }
    return set;
}

/* Part k of n of the set, its axes dealt in order. */
static uint32_t part(uint32_t set, unsigned k, unsigned n)
{
    unsigned size = (unsigned)__builtin_popcount(set), i = 0;
    uint32_t out = 0;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        if (!(set & axis_bit(a)))
            continue;
        if (i * n / size == k)
            out |= axis_bit(a);
        i++;
    }
    return out;
}

/* The first single axis that makes P fail every time; else the one that mostly does: then the axis
 * matters, and verify() will say how much. */
static int single(struct transplant *x, uint32_t set, uint32_t *ret, struct err *e)
{
    unsigned most = REPEATS / 2;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT && most < REPEATS; a++) {
        unsigned n;
        if (!(set & axis_bit(a)))
            continue;
        if (failures(x, axis_bit(a), &n, e) < 0)
            return -1;
        if (n > most) {
            most = n;
            *ret = axis_bit(a);
        }
    }
    return 0;
}

/* ddmin: the set fails; take parts away as long as what is left still fails. */
static int reduce(struct transplant *x, uint32_t set, uint32_t *ret, struct err *e)
{
    unsigned n = 2;
    while (__builtin_popcount(set) > 2) { /* single axes were tried before */
        unsigned size = (unsigned)__builtin_popcount(set);
        bool smaller = false;
        for (unsigned k = 0; k < n && !smaller; k++) {
            uint32_t rest = set & ~part(set, k, n);
            if (fails(x, rest, &smaller, e) < 0)
                return -1;
            if (smaller)
                set = rest;
        }
        if (smaller)
            n = n > 2 ? n - 1 : 2;
        else if (n >= size)
            break;
        else
            n = 2 * n < size ? 2 * n : size;
    }
    *ret = set;
    return 0;
}

int transplant(struct campaign *c, const struct run *failing, const struct run *passing,
               struct candidate *ret, enum transplanted *ret_how, struct err *e)
{
    struct transplant x = {.c = c, .failing = failing, .passing = passing};
    uint32_t all = differing(failing, passing), cause = 0;
    c->phase = "transplant";
    *ret_how = TRANSPLANT_NONE;
    if (single(&x, all, &cause, e) < 0)
        return -1;
    if (!cause && __builtin_popcount(all) > 1) {
        bool whole = false;
        if (fails(&x, all, &whole, e) < 0)
            return -1;
        if (!whole)
            *ret_how = TRANSPLANT_NOT_EVEN_ALL;
        if (whole && reduce(&x, all, &cause, e) < 0)
            return -1;
    }
    if (!cause)
        return 0;
    *ret = (struct candidate){.axes = cause,
                              .failing = failing->at,
                              .passing = passing->at,
                              .has_passing = true,
                              .print = failing->outcome.print};
    text_copy(ret->message, sizeof ret->message, failing->outcome.message);
    *ret_how = TRANSPLANT_FOUND;
    return 0;
}
