#include "live/words.h"

#include "axes/axis.h"
#include "live/named.h"

#include <string.h>
#include <time.h>

static const char *headline_of(enum fd_axis a)
{
    switch (a) {
    case FD_AXIS_ADDRESS:
        return "depends on object addresses";
    case FD_AXIS_LISTING:
        return "depends on directory order";
    case FD_AXIS_GC:
        return "depends on when garbage is collected";
    case FD_AXIS_LIMITS:
        return "depends on the limits of its process";
    case FD_AXIS_FS:
        return "depends on files that are there by chance";
    case FD_AXIS_NETWORK:
        return "depends on the network";
    case FD_AXIS_ORDER:
        return "depends on the tests that run before it";
    case FD_AXIS_WORKERS:
        return "fails when copies of it run side by side";
    case FD_AXIS_HASHSEED:
        return "depends on hash order (PYTHONHASHSEED)";
    case FD_AXIS_RNG:
        return "depends on unseeded randomness";
    case FD_AXIS_ENV:
        return "depends on the environment";
    case FD_AXIS_LOCALE:
        return "depends on the locale (LC_ALL)";
    case FD_AXIS_ZONE:
        return "depends on the time zone (TZ)";
    case FD_AXIS_TIME:
        return "depends on the wall clock";
    case FD_AXIS_TIMING:
        return "depends on how fast the machine is";
    case FD_AXIS_COUNT:
        break;
    }
    return "";
}

/* A clock that moves in steps is no slow one. */
static const char *headline_of_cause(const struct cause *c)
{
    return c->axis == FD_AXIS_TIMING && text_starts(c->value, "coarse:")
               ? "depends on how fine the machine's clocks are"
               : headline_of(c->axis);
}

/* A variable is named: nothing else says which part of the environment it is. */
static void add_cause(const struct cause *c, bool more, struct text *out)
{
    const char *words = headline_of_cause(c), *verb = "depends ";
    words += more && text_starts(words, verb) ? strlen(verb) : 0; /* said once */
    text_addf(out, "%s%s", more ? " and " : "", words);
    if (c->axis != FD_AXIS_ENV)
        return;
    const char *name = c->value + (c->value[0] == '-');
    text_addf(out, " (%.*s)", (int)strcspn(name, "="), name);
}

static void headline(struct finding *f)
{
    switch (f->verdict) {
    case VERDICT_FLAKY:
        for (size_t i = 0; i < f->causes; i++)
            add_cause(&f->cause[i], i > 0, &f->headline);
        if (f->strength == STRENGTH_ELEVATES)
            text_add(&f->headline, " - elevates the failure rate");
        if (f->strength == STRENGTH_UNCONFIRMED)
            text_add(&f->headline, " - unconfirmed");
        break;
    case VERDICT_UNATTRIBUTED:
        text_addf(&f->headline, "a real flake; %s",
                  f->unfinished ? "the budget ended before its cause was found"
                                : "its cause is not among the covered axes");
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
        text_addf(&f->headline, "%s before there was an answer",
                  f->interrupted ? "interrupted" : "the budget ended");
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
    case FD_AXIS_GC:
        return "Objects that refer to each other are freed when the cyclic collector comes by, "
               "which how much was allocated before decides.";
    case FD_AXIS_LIMITS:
        return "How many files a process may open, and how many processors there are, is up to "
               "the machine.";
    case FD_AXIS_FS:
        return "A file the test comes upon is there on one machine and not on the next.";
    case FD_AXIS_NETWORK:
        return "Another machine answers, or does not.";
    case FD_AXIS_ORDER:
        return "What one test leaves in the process is there for the next: module state, caches, "
               "patches. Which tests come before is another thing under -k, -n or --lf.";
    case FD_AXIS_WORKERS:
        return "Something it uses has one fixed name: a file, a folder, a port. Whoever runs "
               "beside "
               "it uses the same.";
    case FD_AXIS_HASHSEED:
        return "Python draws a new hash secret for each process, and the order in which a set is "
               "walked follows from it.";
    case FD_AXIS_RNG:
        return "What the test draws, from random or from the system, is another number each time.";
    case FD_AXIS_ENV:
        return "The variable is set otherwise, or not at all, on another machine or in another "
               "shell.";
    case FD_AXIS_LOCALE:
        return "How text is encoded, sorted and written is up to the locale of the machine that "
               "runs the test.";
    case FD_AXIS_ZONE:
        return "What a local time means is up to the zone of the machine that runs the test.";
    case FD_AXIS_TIME:
        return "What the clock shows while the test runs decides it.";
    case FD_AXIS_TIMING:
        return "A loaded machine takes longer, and leaves threads and event loops waiting.";
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
    char words[512];
    setting_text(&f->repro.setting, &setting);
    text_copy(words, sizeof words, text_str(&setting));
    named_part(words, sizeof words);
    if (b->failed == 0)
        text_addf(t, "Passed all %u baseline runs; ", b->runs);
    else
        text_addf(t, "Failed in %u of %u baseline %s; ", b->units_failed, b->units,
                  b->by_process ? "processes" : "runs");
    text_addf(t,
              "fails %u of %u fresh runs with %s and %u of %u with %s, everything else drawn "
              "anew for each run.",
              f->verify.failed, f->verify.runs, words, f->counterfactual.failed,
              f->counterfactual.runs, f->counterfactual.value);
    for (size_t i = 0; i < f->causes; i++) {
        const struct axis *a = axes[f->cause[i].axis];
        own_text struct text means = {0};
        if (a->meaning)
            a->meaning(f->cause[i].value, &means);
        text_addf(t, " %s", means.len ? text_str(&means) : why(f->cause[i].axis));
    }
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

/* An instant is the same everywhere; what a wall shows then is not, unless the command says TZ. */
static void warn_of_zone(struct finding *f)
{
    time_t now = time(NULL);
    struct tm tm;
    int zone = axis_by_word("zone");
    if (zone >= 0 && setting_holds(&f->repro.setting, (enum fd_axis)zone))
        return;
    localtime_r(&now, &tm);
    for (size_t i = 0; i < f->causes; i++)
        if (f->cause[i].axis == FD_AXIS_TIME)
            finding_warn(f,
                         "the instant was found in the time zone of this machine (%s); the repro "
                         "may not transfer to another machine unless TZ is set there as it is here",
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
        text_addf(&f->explanation, "Your own run and %u more were ended by the deadline%s.",
                  b->runs, f->print.site[0] ? ", all standing at the same line" : "");
    } else if (f->verdict == VERDICT_UNATTRIBUTED) {
        text_addf(&f->explanation, "Failed in %u of %u runs. %s", b->failed, b->runs,
                  f->unfinished ? "There was no time to try all that may decide it."
                                : "No value of an axis that is covered makes it fail or pass "
                                  "reliably.");
    }
}

void words_effects(const struct finding *f, struct text *out)
{
    static const struct {
        const char *kind, *one, *many;
    } of[] = {{"outside", "reached for another machine", "reached for other machines"},
              {"program", "started a program", "started programs"},
              {"written", "wrote a file outside the project and the temporary folders",
               "wrote files outside the project and the temporary folders"},
              {"removed", "removed or renamed a file there", "removed or renamed files there"}};
    size_t said = 0;
    text_add(out, "The first run ");
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        size_t n = 0;
        for (size_t i = 0; i < f->effects; i++)
            n += strcmp(f->effect[i].kind, of[k].kind) == 0;
        if (n)
            text_addf(out, "%s%s", said++ ? ", and " : "", n == 1 ? of[k].one : of[k].many);
    }
    text_add(out, "; hundreds of runs would do that hundreds of times.");
}

void words_first(const struct target *t, struct finding *f, const char *said)
{
    (void)t;
    headline(f);
    text_add(&f->explanation, said);
}

/* Warm runs may be given up after many of them: then it is not so of every run. */
void words_no_warm(struct finding *f, const char *why)
{
    if (f->stats.warm == 0)
        finding_warn(f, "every run was a fresh process: %s", why);
    else
        finding_warn(f, "%u of %u runs were fresh processes; warm ones were given up: %s",
                     f->stats.fresh, f->stats.trials, why);
}

/* Where a cause was found, what else could have been tried explains nothing. */
void words_languages(const struct fd_seen *seen, struct finding *f)
{
    bool searched = f->verdict == VERDICT_NOT_FLAKY || f->verdict == VERDICT_UNATTRIBUTED ||
                    f->verdict == VERDICT_DETERMINISTIC;
    for (size_t i = 0; i < f->skipped; i++)
        searched &= f->axis_skipped[i].axis != FD_AXIS_LOCALE;
    if (searched && seen->deeds >> FD_DEED_LANGUAGE & 1 && axes[FD_AXIS_LOCALE]->lacking())
        finding_warn(f, "the test goes by the language of its machine (sorting, number formats): "
                        "only C was tried, since tr_TR, de_DE, sv_SE, ja_JP and en_US are not "
                        "installed here (locale -a lists what is)");
}
