#include "model/evidence.h"

#include <stdlib.h>

void evidence_done(struct evidence *ev)
{
    free(ev->at);
    *ev = (struct evidence){0};
}

struct row *evidence_add(struct evidence *ev, const char *label, enum tier tier)
{
    if (ev->n == ev->room) {
        ev->room = ev->room ? ev->room * 2 : 32;
        ev->at = mem_grow_or_die(ev->at, ev->room * sizeof *ev->at);
    }
    struct row *r = &ev->at[ev->n++];
    *r = (struct row){.tier = tier, .p = -1, .p_adjusted = -1};
    text_copy(r->label, sizeof r->label, label);
    return r;
}

void row_about(struct row *r, enum fd_axis a, const char *value)
{
    r->has_axis = true;
    r->axis = a;
    text_copy(r->value, sizeof r->value, value);
}

void row_count(struct row *r, const struct outcome *o)
{
    r->runs += outcome_ran(o);
    r->failed += outcome_failed(o);
}
