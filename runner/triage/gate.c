#include "triage/gate.h"

#include <string.h>

bool failure_is_flake(const struct failure *f)
{
    bool ran = !f->phase || strcmp(f->phase, "collect") != 0;
    return ran && f->judged && f->by_evidence && f->verdict.category == CATEGORY_FLAKY;
}

size_t gate_stops(enum gate g, const struct failures *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += g == GATE_FLAKY || (g == GATE_REGRESSIONS && !failure_is_flake(&f->at[i]));
    return n;
}
