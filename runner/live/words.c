#include "live/words.h"

#include "axes/axis.h"

#include <string.h>

static const char *headline_of(enum fd_axis a)
{
    switch (a) {
    case FD_AXIS_HASHSEED:
        return "depends on hash order (PYTHONHASHSEED)";
    case FD_AXIS_RNG:
        return "depends on unseeded randomness";
    case FD_AXIS_TIME:
        return "depends on the wall clock";
    case FD_AXIS_COUNT:
        break;
    }
    return "";
}

static void headline(struct finding *f)
{
    switch (f->verdict) {
    case VERDICT_FLAKY:
        for (size_t i = 0; i < f->causes; i++)
            text_addf(&f->headline, "%s%s", i ? " and " : "", headline_of(f->cause[i].axis));
        if (f->strength == STRENGTH_ELEVATES)
            text_add(&f->headline, " - elevates the failure rate");
        if (f->strength == STRENGTH_UNCONFIRMED)
            text_add(&f->headline, " - unconfirmed");
        break;
    case VERDICT_UNATTRIBUTED:
        text_add(&f->headline, "a real flake; its cause is not among the covered axes");
        break;
    case VERDICT_DETERMINISTIC:
        text_add(&f->headline, "fails every time: broken, not flaky");
        break;
    case VERDICT_HANG:
        text_add(&f->headline, "hangs every time");
        break;
    case VERDICT_NOT_FLAKY:
        text_add(&f->headline, "no flakiness shown");
        break;
    case VERDICT_SKIPPED:
        text_add(&f->headline, "skipped: there is nothing to diagnose");
        break;
    case VERDICT_USAGE:
        text_add(&f->headline, "pytest could not run the target");
        break;
    case VERDICT_NO_TESTS:
        text_add(&f->headline, "no test was selected");
        break;
    case VERDICT_HELD:
        text_add(&f->headline, "held: the test acts on the world outside");
        break;
    case VERDICT_INCOMPLETE:
    case VERDICT_NONE:
        text_add(&f->headline, "the budget ended before there was an answer");
        break;
    }
}

static void explain_flaky(struct finding *f)
{
    const struct baseline *b = &f->baseline;
    struct text *t = &f->explanation;
    text_addf(t, "Failed in %u of %u baseline %s; fails %u of %u fresh runs with ", b->units_failed,
              b->units, b->by_process ? "processes" : "runs", f->verify.failed, f->verify.runs);
    own_text struct text setting = {0};
    setting_text(&f->repro.setting, &setting);
    text_addf(t, "%s and %u of %u with %s, everything else drawn anew for each run.",
              text_str(&setting), f->counterfactual.failed, f->counterfactual.runs,
              f->counterfactual.value);
    if (f->print.type[0])
        text_addf(t, " It fails in %s with %s at %s.", f->print.phase, f->print.type,
                  f->print.site);
}

void words_explain(const struct target *t, struct finding *f)
{
    (void)t;
    const struct baseline *b = &f->baseline;
    headline(f);
    if (f->verdict == VERDICT_FLAKY)
        explain_flaky(f);
    else if (f->verdict == VERDICT_UNATTRIBUTED)
        text_addf(&f->explanation,
                  "Failed %u of %u runs. No value of an axis that is covered makes it fail or pass "
                  "reliably.",
                  b->failed, b->runs);
}

void words_first(const struct target *t, struct finding *f, const char *said)
{
    (void)t;
    headline(f);
    text_add(&f->explanation, said);
}
