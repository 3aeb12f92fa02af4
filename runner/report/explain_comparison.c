#include "report/explain_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "report/columns.h"
#include "report/points.h"

/* How sentences call the two sides. */
static const char *arm(const struct comparison *c)
{
    return c->axis ? c->arm : "this run";
}

static const char *baseline(const struct comparison *c)
{
    return c->axis ? c->baseline : "the baseline";
}

static const char *unit(const struct comparison *c)
{
    return c->axis ? "input" : "case";
}

static int least(const struct comparison *c)
{
    return c->pairs > 1;
}

static bool has_interval(const struct comparison *c)
{
    return !c->hidden && !isnan(c->interval.low);
}

/* Every difference is the same: nothing shows how much others would differ. */
static bool alike(const struct comparison *c)
{
    return c->pairs > 1 && has_interval(c) && c->interval.high - c->interval.low < 1e-9;
}

static void tell_unpaired(const struct comparison *c, struct text *out)
{
    enum { SHOWN = 5 };
    if (c->unpaired_n == 0)
        return;
    tell(out, "%zu %s%s on one side only and left out:", c->unpaired_n, unit(c),
         c->unpaired_n == 1 ? " is" : "s are");
    for (size_t i = 0; i < c->unpaired_n && i < SHOWN; i++)
        text_addf(out, "%s%s", i ? ", " : " ",
                  c->unpaired[i][0] ? c->unpaired[i] : "the one without parameters");
    if (c->unpaired_n > SHOWN)
        text_addf(out, " and %zu more", c->unpaired_n - SHOWN);
    text_addc(out, '.');
}

static void tell_one(const struct comparison *c, struct text *out)
{
    const struct compared_input *in = &c->of[0];
    tell(out, "On the one %s that both ran", unit(c));
    if (in->input[0])
        text_addf(out, ", %s", in->input);
    text_addf(out,
              ", %s passed %" PRId64 " of %" PRId64 " runs and %s %" PRId64 " of %" PRId64
              ": a difference of %s points.",
              arm(c), in->arm.pass, in->arm.runs, baseline(c), in->baseline.pass, in->baseline.runs,
              told_points(c->difference, NAN, 0).at);
}

static void tell_several(const struct comparison *c, struct text *out)
{
    double points = fabs(c->difference);
    struct told by = {""};
    snprintf(by.at, sizeof by.at, "%.*f", points_decimals(points, NAN, 1), points * 100);
    tell(out, "Over the %zu %ss that both ran,", c->pairs, unit(c));
    if (points < 1e-9)
        tell(out, "%s and %s passed equally often on average, every %s counting alike.", arm(c),
             baseline(c), unit(c));
    else
        tell(out, "%s passed %s points %s of its runs than %s on average, every %s counting alike.",
             arm(c), by.at, c->difference > 0 ? "more" : "fewer", baseline(c), unit(c));
}

static void tell_conclusion(const struct comparison *c, struct text *out)
{
    if (c->interval.low > 1e-12)
        tell(out, "0 is not in it: %s passes more often%s.", arm(c),
             c->pairs == 1 ? " on this one" : "");
    else if (c->interval.high < -1e-12)
        tell(out, "0 is not in it: %s passes less often%s.", arm(c),
             c->pairs == 1 ? " on this one" : "");
    else
        tell(out, "0 is in it: the runs do not tell which passes more often.");
}

static void tell_ends(const struct comparison *c, const char *level, struct text *out)
{
    int decimals = points_interval_decimals(c->interval, c->margin, least(c));
    struct told low = told_points(c->interval.low, c->margin, decimals),
                high = told_points(c->interval.high, c->margin, decimals);
    if (alike(c))
        tell(out,
             "Every %s differs by the same amount, so nothing shows how much others would: "
             "the interval, with %s confidence, is the one point %s.",
             unit(c), level, low.at);
    else
        tell(out, "The true difference lies between %s and %s points, with %s confidence.", low.at,
             high.at, level);
}

static void tell_interval(const struct comparison *c, const struct sample_config *config,
                          struct text *out)
{
    struct told level = told_level(config->confidence), wanted = told_count(config->min_inputs);
    if (c->hidden == HIDDEN_FEW) {
        tell(out,
             "There is no interval: from fewer than %s %ss it would come out too narrow. Each "
             "%s has one of its own.",
             wanted.at, unit(c), unit(c));
    } else if (c->hidden == HIDDEN_STOPPED) {
        tell(out,
             "%zu of the cases %s stopped early, and such a fraction leans towards its "
             "verdict: there is neither an interval nor a p.",
             c->stopped, c->stopped == 1 ? "was" : "were");
    } else if (has_interval(c)) {
        tell_ends(c, level.at, out);
        tell_conclusion(c, out);
        if (c->pairs == 1)
            tell(out, "About other %ss it says nothing.", unit(c));
        else if (!alike(c))
            tell_few_inputs(c->pairs, config, out);
    }
}

static const char *p_sign(double p)
{
    return p < .001 ? "" : "= ";
}

/* "47 times in 100". */
static void tell_often(double p, struct text *out)
{
    bool rare = p < .0095;
    long times = lround(p * (rare ? 1000 : 100));
    if (p < .001)
        tell(out, "less than once in 1,000 times.");
    else if (p < .995)
        tell(out, "about %ld time%s in %s.", times, plural(times), rare ? "1,000" : "100");
    else
        tell(out, "%s.", p < 1 ? "nearly every time" : "every time");
}

static void tell_p(const struct comparison *c, const struct comparisons *all,
                   const struct sample_config *config, struct text *out)
{
    if (c->by == COMPARED_NOT)
        return;
    bool adjusted = config->adjust != ADJUST_NONE && all->family > 1;
    tell_paragraph(out);
    tell(out,
         "p %s%s%s: if neither passed more often, chance would still make a difference as "
         "large as this",
         p_sign(c->p), told_p(c->p).at, adjusted ? " alone" : "");
    tell_often(c->p, out);
    if (!c->exact)
        tell(out, "It was estimated by drawing at random, with the seed of the session.");
    if (adjusted)
        tell(out, "Corrected for %zu comparisons (%s) it is p %s%s.", all->family,
             adjustment_name(config->adjust), p_sign(c->p_adjusted), told_p(c->p_adjusted).at);
    else if (all->family > 1)
        tell(out,
             "There are %zu comparisons and no correction for that: among many, some p come "
             "out small by chance (--prob-adjust=holm corrects them).",
             all->family);
}

static void tell_cost(const struct comparison *c, struct text *out)
{
    own_text struct text ratio = {0};
    if (isnan(c->cost_ratio))
        return;
    points_ratio(c->cost_ratio, &ratio);
    tell_paragraph(out);
    if (fabs(c->cost_ratio - 1) < .05)
        tell(out, "A run of either costs about the same.");
    else if (c->axis)
        tell(out, "A run of %s costs %s times as much as one of %s.", arm(c), text_str(&ratio),
             baseline(c));
    else
        tell(out, "A run costs %s times as much as in the baseline.", text_str(&ratio));
}

static void tell_equivalence(const struct comparison *c, struct text *out)
{
    struct told m = told_margin(c->margin);
    tell(out,
         "The margin takes the two for equal when the whole interval lies between −%s and +%s "
         "points.",
         m.at, m.at);
    if (c->verdict == GATE_PASS)
        tell(out, "It does: PASS.");
    else if (c->verdict == GATE_FAIL)
        tell(out, "All of it lies outside: FAIL.");
    else if (has_interval(c))
        tell(out, "It lies partly outside: UNDECIDED.");
    else
        tell(out, "There is no interval to judge by: UNDECIDED.");
}

static void tell_margin(const struct comparison *c, struct text *out)
{
    struct told m = told_margin(c->margin);
    bool none = c->margin <= 0;
    if (none)
        tell(out, "The margin asks that %s passes more often than %s.", arm(c), baseline(c));
    else
        tell(out, "The margin lets %s pass at most %s points fewer of its runs than %s.", arm(c),
             m.at, baseline(c));
    const char *minus = none ? "" : "−";
    if (c->verdict == GATE_PASS)
        tell(out, "The whole interval lies above %s%s points: PASS.", minus, m.at);
    else if (c->verdict == GATE_FAIL)
        tell(out, "The whole interval lies below %s%s points: FAIL.", minus, m.at);
    else if (has_interval(c))
        tell(out, "%s%s points is within the interval: UNDECIDED.", minus, m.at);
    else
        tell(out, "There is no interval to judge by: UNDECIDED.");
}

static void tell_verdict(const struct comparison *c, const struct sample_config *config,
                         struct text *out)
{
    if (c->verdict == GATE_OPEN)
        return;
    tell_paragraph(out);
    if (c->equivalence)
        tell_equivalence(c, out);
    else
        tell_margin(c, out);
    if (c->verdict == GATE_UNDECIDED)
        tell_undecided(config, out);
}

static void next_inputs(const struct comparison *c, struct text *out)
{
    tell(out, "Next: add inputs (values of parametrize), which narrow the interval%s.",
         c->pairs == 1 ? " and make it one about inputs in general" : "");
}

static void tell_next(const struct comparison *c, const struct sample_config *config,
                      struct text *out)
{
    bool open = has_interval(c) && c->interval.low <= 1e-12 && c->interval.high >= -1e-12;
    size_t before = out->len;
    tell_paragraph(out);
    if (c->hidden == HIDDEN_NO_PAIRS)
        tell(out, "Next: select both sides of the axis (-k, -m), and see that they run.");
    else if (c->hidden == HIDDEN_STOPPED)
        tell(out, "Next: compare with --prob-stop=off.");
    else if (c->hidden == HIDDEN_FEW)
        tell(out, "Next: add inputs (values of parametrize), %s or more that both run.",
             told_count(config->min_inputs).at);
    else if (c->verdict == GATE_FAIL && c->equivalence && c->interval.low > 0)
        tell(out,
             "Next: %s does better than the margin allows; make it the baseline if that is "
             "wanted.",
             arm(c));
    else if (c->verdict == GATE_FAIL)
        tell(out, "Next: look at the runs of %s that failed (-rx lists them), or stay with %s.",
             arm(c), baseline(c));
    else if (c->verdict == GATE_UNDECIDED || (c->verdict == GATE_OPEN && open && !alike(c)))
        next_inputs(c, out);
    if (out->len == before + 1)
        text_cut(out, before);
}

void explain_comparison(const struct comparison *c, const struct comparisons *all,
                        const struct sample_config *config, struct text *out)
{
    if (c->pairs == 0) {
        tell(out, "No %s ran on both sides, so there is nothing to compare.", unit(c));
    } else if (c->pairs == 1) {
        tell_one(c, out);
    } else {
        tell_several(c, out);
    }
    tell_unpaired(c, out);
    tell_interval(c, config, out);
    tell_p(c, all, config, out);
    tell_verdict(c, config, out);
    tell_cost(c, out);
    tell_next(c, config, out);
}

static void tell_only(size_t n, const char *where, struct text *out)
{
    if (n > 0)
        tell(out, "%zu case%s only in %s: listed, and compared with nothing.", n,
             n == 1 ? " is" : "s are", where);
}

void explain_baseline(const struct against *a, const struct sample_config *config, struct text *out)
{
    tell(out,
         "This run is held against an earlier report, %s. A case that both have is paired "
         "with itself; differences are this run's rate minus the earlier one.",
         a->earlier->path);
    if (a->paired == 0)
        tell(out, "No case is in both, so nothing is compared.");
    else
        tell(out, "%zu case%s in both.", a->paired, a->paired == 1 ? " is" : "s are");
    tell_only(a->only_here_n, "this run", out);
    tell_only(a->only_there_n, "the baseline (removed, renamed, or not selected now)", out);
    tell_paragraph(out);
    if (isnan(config->margin))
        tell(out, "There is no --prob-margin, so this reports and decides nothing about the "
                  "session.");
    else
        tell(out,
             "--prob-margin=%g: a function passes when the whole interval of its difference "
             "lies above %s%s points.",
             config->margin, config->margin > 0 ? "−" : "", told_margin(config->margin).at);
    if (a->paired == 0) {
        tell_paragraph(out);
        tell(out, "Next: see that the report comes from the same files, or write a new one with "
                  "--prob-json.");
    }
}
