#include "live/words.h"

#include "axes/axis.h"

#include <string.h>
#include <time.h>

static const char *headline_of(enum fd_axis a)
{
    switch (a) {
    case FD_AXIS_ADDRESS:
        return "depends on object addresses";
    case FD_AXIS_LISTING:
        return "depends on directory order";
    case FD_AXIS_FS:
        return "depends on files that are there by chance";
    case FD_AXIS_NETWORK:
        return "depends on the network";
    case FD_AXIS_WORKERS:
        return "fails when copies of it run side by side";
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

/* Why the axis differs from run to run, for somebody who never met it. */
static const char *why(enum fd_axis a)
{
    switch (a) {
    case FD_AXIS_ADDRESS:
        return "An object's id() and default hash are its address, and each process lays its "
               "objects out anew.";
    case FD_AXIS_LISTING:
        return "The order in which a directory is read is the file system's: another disk or "
               "container gives another.";
    case FD_AXIS_FS:
        return "A file the test comes upon is there on one machine and not on the next.";
    case FD_AXIS_NETWORK:
        return "Another machine answers, or does not.";
    case FD_AXIS_WORKERS:
        return "Something it uses has one fixed name: a file, a folder, a port. Whoever runs "
               "beside "
               "it uses the same.";
    case FD_AXIS_HASHSEED:
        return "Python draws a new hash secret for each process, and the order in which a set is "
               "walked follows from it.";
    case FD_AXIS_RNG:
        return "What the test draws, from random or from the system, is another number each time.";
    case FD_AXIS_TIME:
        return "What the clock shows while the test runs decides it.";
    case FD_AXIS_COUNT:
        break;
    }
    return "";
}

static void explain_flaky(struct finding *f)
{
    const struct baseline *b = &f->baseline;
    struct text *t = &f->explanation;
    own_text struct text setting = {0};
    setting_text(&f->repro.setting, &setting);
    if (b->failed == 0)
        text_addf(t, "Passed all %u baseline runs; ", b->runs);
    else
        text_addf(t, "Failed in %u of %u baseline %s; ", b->units_failed, b->units,
                  b->by_process ? "processes" : "runs");
    text_addf(t,
              "fails %u of %u fresh runs with %s and %u of %u with %s, everything else drawn "
              "anew for each run.",
              f->verify.failed, f->verify.runs, text_str(&setting), f->counterfactual.failed,
              f->counterfactual.runs, f->counterfactual.value);
    for (size_t i = 0; i < f->causes; i++)
        text_addf(t, " %s", why(f->cause[i].axis));
}

static void explain_always(struct finding *f)
{
    const struct baseline *b = &f->baseline;
    text_addf(&f->explanation,
              "Failed in all %u baseline runs, in %u processes with as many hash seeds, with other "
              "random numbers each time",
              b->runs, b->processes);
    unsigned elsewhere = 0;
    for (size_t i = 0; i < f->evidence.n; i++)
        if (strcmp(f->evidence.at[i].label, "benign values") == 0)
            elsewhere += f->evidence.at[i].runs;
    if (elsewhere)
        text_addf(&f->explanation, ", and in %u more with values under which it should pass",
                  elsewhere);
    text_addc(&f->explanation, '.');
}

/* An instant is the same everywhere; what a wall shows then is not. */
static void warn_of_zone(struct finding *f)
{
    time_t now = time(NULL);
    struct tm tm;
    localtime_r(&now, &tm);
    if (tm.tm_gmtoff == 0)
        return;
    for (size_t i = 0; i < f->causes; i++)
        if (f->cause[i].axis == FD_AXIS_TIME)
            finding_warn(f,
                         "the instant was found in the time zone of this machine (%s): where "
                         "another is in force, set TZ as well",
                         tm.tm_zone);
}

void words_explain(const struct target *t, struct finding *f)
{
    (void)t;
    const struct baseline *b = &f->baseline;
    headline(f);
    if (f->verdict == VERDICT_FLAKY) {
        explain_flaky(f);
        warn_of_zone(f);
    } else if (f->verdict == VERDICT_DETERMINISTIC) {
        explain_always(f);
    } else if (f->verdict == VERDICT_HANG) {
        text_addf(&f->explanation,
                  "Your own run and %u more were ended by the deadline, all "
                  "standing at the same line.",
                  b->runs);
    } else if (f->verdict == VERDICT_UNATTRIBUTED) {
        text_addf(&f->explanation,
                  "Failed in %u of %u runs. No value of an axis that is covered makes it fail or "
                  "pass reliably.",
                  b->failed, b->runs);
    }
}

void words_first(const struct target *t, struct finding *f, const char *said)
{
    (void)t;
    headline(f);
    text_add(&f->explanation, said);
}
