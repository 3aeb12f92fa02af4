#include "report/explain_impl.h"

#include <inttypes.h>
#include <math.h>

#include "report/points.h"

/* Who the mean is over: "Over the 40 inputs of classify". */
static void tell_inputs(const struct aggregate *a, size_t inputs, struct text *out)
{
    struct told n = told_count((int64_t)inputs);
    if (a->overall)
        tell(out, "Over %s input%s of all functions,", inputs == 1 ? "the one" : n.at,
             plural((int64_t)inputs));
    else
        tell(out, "Over %s input%s of %s,", inputs == 1 ? "the one" : n.at, plural((int64_t)inputs),
             a->name);
}

static void tell_interval(const struct mean_of *m, const struct sample_config *config,
                          struct text *out)
{
    struct told n = told_count((int64_t)m->inputs), least = told_count(config->min_inputs);
    switch (m->why) {
    case SUPPRESSED_NOT:
        tell(out,
             "For inputs like these it lies %s, with %s confidence; that allows for other "
             "inputs as well as for other runs.",
             told_between(m->ends, NAN, 1).at, told_level(config->confidence).at);
        tell_few_inputs(m->inputs, config, out);
        break;
    case SUPPRESSED_FEW:
        tell(out,
             "There is no interval: %s input%s too few to tell how others would do, which "
             "takes %s.",
             n.at, m->inputs == 1 ? " is" : "s are", least.at);
        break;
    case SUPPRESSED_STOPPED:
        tell(out,
             "There is no interval: %s case%s stopped early, and such a fraction leans towards "
             "its verdict.",
             told_count((int64_t)m->stopped).at, m->stopped == 1 ? " was" : "s were");
        break;
    case SUPPRESSED_ALIKE:
        tell(out, "There is no interval: all inputs have the same value, which does not show how "
                  "much others would differ.");
        break;
    case SUPPRESSED_NOTHING:
        break;
    }
}

/* What doubling would do; the change of a width is at most 0. */
static void tell_growth(const struct aggregate *a, struct text *out)
{
    if (isnan(a->rho) || isnan(a->more_runs) || isnan(a->more_inputs))
        return;
    tell_paragraph(out);
    tell(out,
         "ρ = %.2f says how much the runs of one input resemble each other, from 0 (no more "
         "than runs of different inputs) to 1 (all alike).",
         a->rho);
    tell(out,
         "Twice the runs would narrow the interval by about %.0f%%, twice the inputs by about "
         "%.0f%%.",
         fabs(a->more_runs) * 100, fabs(a->more_inputs) * 100);
}

static void next_mean(const struct aggregate *a, const struct sample_config *config,
                      struct text *out)
{
    const struct mean_of *m = &a->mean;
    bool known = !isnan(a->rho) && !isnan(a->more_runs) && !isnan(a->more_inputs);
    if (m->why == SUPPRESSED_FEW) {
        tell_paragraph(out);
        tell(out, "Next: add inputs, %s or more in all.", told_count(config->min_inputs).at);
    } else if (m->why == SUPPRESSED_STOPPED) {
        tell_paragraph(out);
        tell(out, "Next: where this mean is what counts, run with --prob-stop=off.");
    } else if (m->why == SUPPRESSED_NOT && known) {
        tell_paragraph(out);
        if (fabs(a->more_runs) > .75 * fabs(a->more_inputs))
            tell(out, "Next: to narrow the interval, add runs or inputs; here runs do about as "
                      "much.");
        else
            tell(out, "Next: to narrow the interval, add inputs; here more runs do less.");
    }
}

void explain_mean(const struct aggregate *a, const struct sample_config *config, struct text *out)
{
    const struct mean_of *m = &a->mean;
    if (m->inputs == 0) {
        tell(out, "No input has run.");
        return;
    }
    tell_inputs(a, m->inputs, out);
    tell(out, "%s of an input's runs pass on average, every input counting alike.",
         told_rate(m->estimate, NAN, 1).at);
    tell_interval(m, config, out);
    if (m->why == SUPPRESSED_NOT)
        tell_growth(a, out);
    next_mean(a, config, out);
}

void explain_metric(const struct aggregate *a, size_t metric, const struct sample_config *config,
                    struct text *out)
{
    const struct metric *of = &config->metric[metric];
    const struct mean_of *m = &a->metric[metric];
    size_t left_out = a->left_out[metric];
    struct told k = told_count(of->k), left = told_count((int64_t)left_out);

    if (m->inputs == 0) {
        tell(out, "No input has the %s run%s this takes, so it is not known.", k.at, plural(of->k));
    } else {
        tell_inputs(a, m->inputs, out);
        if (of->k == 1)
            tell(out, "the chance that a run passes is %s on average.",
                 told_rate(m->estimate, NAN, 1).at);
        else if (of->hat)
            tell(out, "the chance that %s runs of the same input all pass is %s on average.", k.at,
                 told_rate(m->estimate, NAN, 1).at);
        else
            tell(out,
                 "the chance that at least one of %s runs of the same input passes is %s on "
                 "average.",
                 k.at, told_rate(m->estimate, NAN, 1).at);
        tell_interval(m, config, out);
    }
    if (left_out > 0 && m->inputs > 0)
        tell(out, "%s input%s left out: fewer than %s runs.", left.at,
             left_out == 1 ? " is" : "s are", k.at);
    if (left_out > 0) {
        tell_paragraph(out);
        tell(out, "Next: run every case at least %s times (--prob-runs=%" PRId64 ").", k.at, of->k);
    }
}
