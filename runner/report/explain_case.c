#include "report/explain_impl.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/points.h"
#include "sample/stop.h"
#include "sample/verdict.h"

#define EXCEPTION "an exception other than a failed assertion"

/* What became of the runs: the seven combinations of the three classes. */
static void tell_runs(const struct sample_case *c, struct text *out)
{
    int64_t n = case_total(c), p = c->pass, f = c->fail, e = c->error;
    struct told all = told_count(n), passed = told_count(p), failed = told_count(f),
                errored = told_count(e);

    if (n == 1)
        tell(out, "%s",
             p   ? "The one run passed."
             : f ? "The one run failed its assertion."
                 : "The one run ended in " EXCEPTION ".");
    else if (p == n)
        tell(out, "All %s runs passed.", all.at);
    else if (f == n)
        tell(out, "None of the %s runs passed: each failed its assertion.", all.at);
    else if (e == n)
        tell(out, "None of the %s runs came to a result: each ended in " EXCEPTION ".", all.at);
    else if (e == 0)
        tell(out,
             "%s of %s runs passed and %s failed: the same case does not give the same result "
             "every time.",
             passed.at, all.at, failed.at);
    else if (f == 0)
        tell(out, "%s of %s runs passed; %s ended in " EXCEPTION ". No run failed its assertion.",
             passed.at, all.at, errored.at);
    else if (p == 0)
        tell(out, "None of the %s runs passed: %s failed and %s ended in " EXCEPTION ".", all.at,
             failed.at, errored.at);
    else
        tell(out,
             "%s of %s runs passed, %s failed and %s ended in " EXCEPTION ": the same case "
             "does not give the same result every time.",
             passed.at, all.at, failed.at, errored.at);
}

static const char *sureness(const char *method)
{
    return !strcmp(method, "bayes") ? "probability, given the prior" : "confidence";
}

static void tell_rate(const struct sample_case *c, const struct sample_config *config,
                      struct text *out)
{
    if (!config->intervals || case_total(c) < 2) /* the row shows none then */
        return;
    struct shown_interval shown = case_interval(c, config);
    double bar = c->rule.bar == BAR_RATE ? c->rule.min_rate : NAN;
    tell(out, "The true pass rate lies %s, with %s %s.", told_between(shown.ends, bar, 0).at,
         told_level(shown.level).at, sureness(shown.method));
    if (c->error > 0)
        tell(out, "Errored runs count as not passed there.");
}

static void tell_stop(const struct sample_case *c, const struct sample_config *config,
                      enum gate_verdict v, struct text *out)
{
    if (!case_cut(c))
        return;
    int64_t n = case_total(c);
    struct told made = told_count(n), planned = told_count(n + c->cut);
    bool sequential = !strcmp(case_interval(c, config).method, "sequential");
    if (sequential && v != GATE_UNDECIDED)
        tell(out,
             "It stopped after %s of at most %s runs, as soon as its interval was clear of "
             "the bar; the interval stays true however often it is looked at.",
             made.at, planned.at);
    else
        tell(out,
             "It stopped after %s of %s runs, because the rest could not have changed its "
             "verdict.",
             made.at, planned.at);
    if (!sequential)
        tell(out, "A fraction that was stopped this way leans towards the verdict.");
}

static bool same_interval(const struct shown_interval *a, const struct shown_interval *b)
{
    return a->ends.low >= b->ends.low && a->ends.low <= b->ends.low &&
           a->ends.high >= b->ends.high && a->ends.high <= b->ends.high;
}

/* `told`: the interval that the gate is judged by has just been named. */
static void tell_gate_rate(const struct sample_case *c, const struct rate_judged *j, bool told,
                           struct text *out)
{
    double bar = c->rule.min_rate;
    struct told asked = told_level(bar), passes = told_count(j->passes),
                total = told_count(j->total), level = told_level(j->shown.level);

    if (j->total == 0) {
        tell(out,
             "The gate asks for a pass rate above %s, and no run is left to judge it by: "
             "UNDECIDED.",
             asked.at);
        return;
    }
    if (!told)
        tell(out, "From %s of %s, with %s %s, the rate lies %s.", passes.at, total.at, level.at,
             sureness(j->shown.method), told_between(j->shown.ends, bar, 0).at);
    if (j->verdict == GATE_PASS)
        tell(out, "The whole interval is above the %s the gate asks for: PASS.", asked.at);
    else if (j->verdict == GATE_FAIL)
        tell(out, "The whole interval is below the %s the gate asks for: FAIL.", asked.at);
    else
        tell(out, "The %s the gate asks for is within the interval: UNDECIDED.", asked.at);
}

static void tell_gate_count(const struct sample_case *c, const struct rate_judged *j,
                            struct text *out)
{
    struct told asked = told_count(c->rule.min_passes), passes = told_count(j->passes);
    tell(out, "The gate asks for at least %s pass%s.", asked.at,
         c->rule.min_passes == 1 ? "" : "es");
    if (j->verdict == GATE_UNDECIDED)
        tell(out, "No run is left to judge it by: UNDECIDED.");
    else
        tell(out, "%s run%s passed: %s.", passes.at, plural(j->passes),
             j->verdict == GATE_PASS ? "PASS" : "FAIL");
}

static void tell_gate(const struct sample_case *c, const struct sample_config *config,
                      const struct rate_judged *j, struct text *out)
{
    tell_paragraph(out);
    if (j->excluded > 0 && j->total > 0)
        tell(out, "%s errored run%s left out of what the gate counts.", told_count(j->excluded).at,
             j->excluded == 1 ? " is" : "s are");
    struct shown_interval row = case_interval(c, config);
    if (c->rule.bar == BAR_RATE)
        tell_gate_rate(
            c, j, config->intervals && case_total(c) > 1 && same_interval(&row, &j->shown), out);
    else
        tell_gate_count(c, j, out);
    if (j->verdict == GATE_UNDECIDED)
        tell_undecided(config, out);
    if (c->error > 0 && !config->errors_excluded)
        tell(out, "An errored run fails the session whatever the verdict "
                  "(prob_errors=exclude in the ini file changes that).");
}

static void next_undecided(const struct sample_case *c, const struct sample_config *config,
                           const struct rate_judged *j, struct text *out)
{
    int64_t least = stop_least_runs(&c->rule, config);
    if (j->total == 0)
        tell(out, "Next: repair what raises the exceptions; until then nothing can be judged.");
    else if (least > j->total)
        tell(out,
             "Next: run it at least %s times (runs= on the mark, or --prob-runs): with fewer "
             "this gate cannot pass, even if every run does.",
             told_count(least).at);
    else
        tell(out, "Next: give it more runs (runs= on the mark, or --prob-runs), which narrow the "
                  "interval; --prob-plan tells how many are likely to be enough.");
}

static void next_gated(const struct sample_case *c, const struct sample_config *config,
                       const struct rate_judged *j, struct text *out)
{
    if (j->verdict == GATE_UNDECIDED)
        next_undecided(c, config, j, out);
    else if (j->verdict == GATE_FAIL && c->fail > 0)
        tell(out, "Next: look at the runs that failed (-rx lists them), or set a bar that the case "
                  "is meant to meet.");
    else if (c->error > 0)
        tell(out, "Next: repair what raises the exceptions.");
    else if (j->verdict == GATE_FAIL)
        tell(out, "Next: give it as many runs as the passes asked for, or ask for fewer.");
}

static void next_ungated(const struct sample_case *c, struct text *out)
{
    if (c->error > 0 && c->fail == 0)
        tell(out, "Next: repair what raises the exceptions shown above.");
    else if (c->pass > 0 && c->fail > 0)
        tell(out, "Next: find out what differs between the runs (--prob-diagnose looks for it), or "
                  "hold the case to a rate instead of every run: "
                  "@pytest.mark.probability(min_rate=…).");
    else if (c->fail > 0)
        tell(out, "Next: look at the failures above; a case that never passes is broken rather "
                  "than flaky.");
}

/* Takes the paragraph back if no sentence followed. */
static size_t begin_next(struct text *out)
{
    size_t before = out->len;
    tell_paragraph(out);
    return before;
}

static void end_next(size_t before, struct text *out)
{
    if (out->len == before + 1)
        text_cut(out, before);
}

void explain_case(const struct sample_case *c, const struct sample_config *config, struct text *out)
{
    struct rate_judged j;
    case_judge_rate(c, config, &j);

    tell_runs(c, out);
    tell_rate(c, config, out);
    tell_stop(c, config, j.verdict, out);
    if (j.verdict != GATE_OPEN)
        tell_gate(c, config, &j, out);
    size_t before = begin_next(out);
    if (j.verdict != GATE_OPEN)
        next_gated(c, config, &j, out);
    else
        next_ungated(c, out);
    end_next(before, out);
}

static void tell_quantile(const struct sample_case *c, const struct latency_judged *j,
                          struct text *out)
{
    struct told level = told_level(c->rule.confidence), runs = told_count(j->total),
                q = told_level(c->rule.latency_quantile), low = told_seconds(j->low),
                high = told_seconds(j->high);

    if (j->total == 1)
        tell(out, "Its one run took %s.", told_seconds(j->estimate).at);
    else
        tell(out, "%s or more of its %s runs took %s or less.", q.at, runs.at,
             told_seconds(j->estimate).at);
    if (!isnan(j->low) && !isnan(j->high))
        tell(out,
             "The time that %s of all runs keep to lies between %s and %s, with %s "
             "confidence.",
             q.at, low.at, high.at, level.at);
    else if (!isnan(j->low))
        tell(out,
             "The time that %s of all runs keep to is %s or more, with %s confidence; %s "
             "run%s set%s no upper limit to it.",
             q.at, low.at, level.at, runs.at, plural(j->total), j->total == 1 ? "s" : "");
    else if (!isnan(j->high))
        tell(out,
             "The time that %s of all runs keep to is %s or less, with %s confidence; %s "
             "run%s set%s no lower limit to it.",
             q.at, high.at, level.at, runs.at, plural(j->total), j->total == 1 ? "s" : "");
    else
        tell(out, "That is too little to limit the time that %s of all runs keep to.", q.at);
}

static void tell_latency_gate(const struct sample_case *c, const struct sample_config *config,
                              const struct latency_judged *j, struct text *out)
{
    struct told limit = told_limit(c->rule.max_latency);
    tell_paragraph(out);
    if (j->verdict == GATE_PASS)
        tell(out, "The whole interval is below the limit of %s: PASS.", limit.at);
    else if (j->verdict == GATE_FAIL)
        tell(out, "The whole interval is above the limit of %s: FAIL.", limit.at);
    else if (isnan(j->low) && isnan(j->high))
        tell(out, "The limit of %s has too little to be judged by: UNDECIDED.", limit.at);
    else
        tell(out, "The limit of %s is within the interval: UNDECIDED.", limit.at);
    if (j->verdict == GATE_UNDECIDED)
        tell_undecided(config, out);
    if (c->rule.bar == BAR_NONE && (c->fail > 0 || c->error > 0))
        tell(out, "This is about time alone: whether runs pass is judged apart from it.");
}

static void next_latency(const struct sample_case *c, const struct latency_judged *j,
                         struct text *out)
{
    bool open = isnan(j->low) || isnan(j->high);
    if (j->verdict == GATE_FAIL)
        tell(out, "Next: make it faster, or raise max_latency.");
    else if (j->total == 0)
        tell(out, "Next: repair what raises the exceptions.");
    else if (open && j->verdict != GATE_PASS)
        tell(out, "Next: run it at least %s times (runs= on the mark, or --prob-runs)%s.",
             told_count(j->min_runs).at,
             isnan(c->rule.max_latency) ? " for an interval with both ends"
                                        : ": with fewer this gate cannot pass");
    else if (j->verdict == GATE_UNDECIDED)
        tell(out, "Next: give it more runs (runs= on the mark, or --prob-runs), which narrow the "
                  "interval.");
}

void explain_latency(const struct sample_case *c, const struct sample_config *config,
                     struct text *out)
{
    struct latency_judged j;
    case_judge_latency(c, config, &j);

    if (j.total == 0)
        tell(out, "No run is left whose time could be counted.");
    else
        tell_quantile(c, &j, out);
    if (j.excluded > 0)
        tell(out, "%s errored run%s left out.", told_count(j.excluded).at,
             j.excluded == 1 ? " is" : "s are");
    if (j.verdict != GATE_OPEN)
        tell_latency_gate(c, config, &j, out);
    size_t before = begin_next(out);
    next_latency(c, &j, out);
    end_next(before, out);
}
