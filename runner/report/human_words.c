#include "stats/catch.h"
#include "report/human.h"
#include "report/human_impl.h"
#include "report/percent.h"

/* What each verdict means, in sentences: how sure we are, and what to do next. Numbers always come
 * with their count; a test is never called sound, only not seen to fail. */

const char *words_headline(const struct finding *f)
{
    switch (f->verdict) {
    case VERDICT_FLAKY:
        return "flaky";
    case VERDICT_UNATTRIBUTED:
        return f->unfinished ? "flaky, the search for its cause was not finished"
                             : "flaky, cause not among the axes searched";
    case VERDICT_DETERMINISTIC:
        return "fails every time";
    case VERDICT_HANG:
        return "hangs";
    case VERDICT_NOT_FLAKY:
        return "no failure seen";
    case VERDICT_SKIPPED:
        return "skipped, so nothing was learned";
    case VERDICT_USAGE:
        return "pytest did not accept this target";
    case VERDICT_NO_TESTS:
        return "no test was collected";
    case VERDICT_HELD:
        return "held back: the test acts on the world outside";
    case VERDICT_NONE:
    case VERDICT_INCOMPLETE:
        return "no conclusion yet";
    }
    return "";
}

static const char *unit(const struct baseline *b, unsigned n)
{
    if (b->by_process)
        return n == 1 ? "process" : "processes";
    return n == 1 ? "run" : "runs";
}

static void none_failed(unsigned runs, const char *what, struct text *out)
{
    text_addf(out, "no failure in %u %s: below ", runs, what);
    percent_ceil(bound_above_none(runs), out);
    text_add(out, " % (95 %, one-sided). ");
}

static void baseline(const struct finding *f, struct text *out)
{
    const struct baseline *b = &f->baseline;
    if (b->runs == 0)
        return;
    if (b->failed == 0) {
        text_add(out, "Unprovoked, ");
        none_failed(b->runs, unit(b, b->runs), out);
        return;
    }
    if (b->failed == b->runs) {
        text_addf(out, "Unprovoked, it failed in %s%u %s: at least ",
                  b->runs == 1 ? "the only " : "all ", b->runs, unit(b, b->runs));
        percent_floor(bound_below_all(b->runs), out);
        text_add(out, " % (95 %, one-sided). ");
        return;
    }
    text_addf(out, "Unprovoked, it failed in %u of %u %s (", b->units_failed, b->units,
              unit(b, b->units));
    percent_interval(b->low, b->high, out);
    text_add(out, ", 95 % interval). ");
}

/* Runs of one process share what is fixed at its start: of that there were fewer draws, and the
 * bound on it is weaker. */
static void by_start(const struct baseline *b, struct text *out)
{
    if (b->by_process || b->processes == 0 || b->processes >= b->runs)
        return;
    text_addf(out,
              "What is fixed when an interpreter starts (the hash seed) was drawn %u time%s: "
              "there the bound is ",
              b->processes, b->processes == 1 ? "" : "s");
    percent_ceil(bound_above_none(b->processes), out);
    text_add(out, " %. ");
}

static void verified(const struct finding *f, struct text *out)
{
    if (f->verify.runs > 0)
        text_addf(out,
                  "With the cause held and everything else drawn anew, %u of %u fresh runs failed",
                  f->verify.failed, f->verify.runs);
    if (f->verify.runs > 0 && f->counterfactual.runs > 0)
        text_addf(out, "; with the value that passes, %u of %u", f->counterfactual.failed,
                  f->counterfactual.runs);
    if (f->verify.runs > 0)
        text_add(out, ". ");
}

static void flaky(const struct finding *f, struct text *out)
{
    baseline(f, out);
    verified(f, out);
    if (f->claim == CLAIM_LATENT)
        text_add(out, "Latent: a chosen value provoked it; the baseline did not show it. ");
    else if (f->claim == CLAIM_OBSERVED)
        text_add(out, "Observed: this is the failure that was seen unprovoked. ");
    if (f->strength == STRENGTH_ELEVATES)
        text_add(out, "The cause raises the rate but does not decide alone: something else "
                      "plays a part. ");
    else if (f->strength == STRENGTH_UNCONFIRMED)
        text_add(out, "Not confirmed: take the cause as a lead, not as a result. ");
}

/* Of the runs that were provoked. */
static bool some_failed(const struct evidence *ev)
{
    for (size_t i = 0; i < ev->n; i++)
        if (ev->at[i].failed)
            return true;
    return false;
}

void words_certainty(const struct finding *f, struct text *out)
{
    switch (f->verdict) {
    case VERDICT_FLAKY:
        flaky(f, out);
        break;
    case VERDICT_UNATTRIBUTED:
        baseline(f, out);
        text_add(out, "That it is flaky is certain: it passed and it failed. ");
        text_add(out, f->unfinished ? "The search for what decides it was not finished, so "
                                      "nothing is blamed."
                                    : "What decides it was not found among the axes searched, so "
                                      "none is blamed.");
        break;
    case VERDICT_DETERMINISTIC:
        baseline(f, out);
        text_add(out, "Nothing that was varied made it pass, so it looks broken rather than "
                      "flaky.");
        break;
    case VERDICT_HANG:
        baseline(f, out);
        text_add(out, "A hang is a run ended by its deadline: a test that is merely slower than "
                      "that looks the same.");
        break;
    case VERDICT_NOT_FLAKY:
        if (f->baseline.failed == 0 && f->baseline.runs > 0) {
            text_add(out, "There was ");
            none_failed(f->baseline.runs, unit(&f->baseline, f->baseline.runs), out);
            by_start(&f->baseline, out);
            if (some_failed(&f->evidence))
                text_add(out, "Some runs with a value that was provoked failed, too seldom to name "
                              "it: see the rows above. ");
        } else {
            baseline(f, out);
        }
        text_add(out, "This bounds the rate on this machine; it is no proof that the test cannot "
                      "fail.");
        break;
    case VERDICT_NONE:
    case VERDICT_INCOMPLETE:
        baseline(f, out);
        text_add(out, "The work ended before the question was settled; nothing is claimed about "
                      "the cause.");
        break;
    case VERDICT_SKIPPED:
    case VERDICT_USAGE:
    case VERDICT_NO_TESTS:
    case VERDICT_HELD:
        break; /* no run, no certainty to speak of */
    }
}

static const char *next_flaky(const struct finding *f)
{
    if (f->strength == STRENGTH_ALWAYS && f->repro.command)
        return "Change the code that depends on it, then run the command below again: it fails "
               "as long as the cause is there.";
    if (f->strength == STRENGTH_ALWAYS)
        return "Change the code that depends on it, then run this diagnosis again with the same "
               "--seed.";
    if (f->strength == STRENGTH_ELEVATES)
        return "A larger --budget may find what else plays a part.";
    return "Run it again with a larger --budget to confirm or to drop this lead.";
}

static const char *next_unattributed(const struct finding *f)
{
    if (f->unfinished)
        return "Run it again with a larger --budget.";
    if (f->baseline.prints > 1)
        return "Compare the kinds of failure above; -v lists every row. A larger --budget searches "
               "longer.";
    return "A larger --budget searches longer; -v lists every row. What decides it may also come "
           "from the kernel or from another program, which no axis holds.";
}

void words_next(const struct finding *f, struct text *out)
{
    switch (f->verdict) {
    case VERDICT_FLAKY:
        text_add(out, next_flaky(f));
        break;
    case VERDICT_UNATTRIBUTED:
        text_add(out, next_unattributed(f));
        break;
    case VERDICT_DETERMINISTIC:
        text_add(out, "Debug it like any broken test: one plain pytest run shows the failure.");
        break;
    case VERDICT_HANG:
        text_add(out, "Look at the innermost line of the stack: what does it wait for, and who "
                      "should have answered?");
        break;
    case VERDICT_NOT_FLAKY:
        text_addf(out,
                  "If it fails elsewhere, run this there, or give it longer with --budget: to "
                  "see a failure in one run of a thousand takes %lld runs (95 %% chance).",
                  (long long)runs_to_catch(0.001, 0.95));
        break;
    case VERDICT_SKIPPED:
        text_add(out, "Make the condition of the skip untrue here, or name a test that runs.");
        break;
    case VERDICT_USAGE:
        text_add(out, "Mend what pytest complains of, or check the path and the id: pytest "
                      "--collect-only -q lists the ids of a "
                      "file.");
        break;
    case VERDICT_NO_TESTS:
        text_add(out, "Name a file or an id that holds tests; pytest --collect-only -q shows "
                      "what is collected.");
        break;
    case VERDICT_HELD:
        text_add(out, "If repeating that many times is harmless here, run it again with "
                      "--allow-side-effects.");
        break;
    case VERDICT_NONE:
    case VERDICT_INCOMPLETE:
        text_add(out, f->interrupted && f->stats.trials > 1
                          ? "flaky-repro --resume goes on where it ended."
                      : f->interrupted ? "Run it again."
                                       : "Run it again with a larger --budget.");
        break;
    }
}

void report_advice(const struct finding *f, struct text *out)
{
    words_next(f, out);
}
