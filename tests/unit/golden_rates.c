/* Golden cases of one rate: the kernel, its intervals, how often they cover, how long to wait. */
#include "golden.h"

#include <math.h>
#include <string.h>

#include "reference.h"
#include "stats/binomial.h"
#include "stats/catch.h"
#include "stats/sequence.h"

static struct interval wilson_of(int64_t k, int64_t n, double confidence, const double *prior)
{
    (void)prior;
    return interval_wilson(k, n, confidence);
}

static struct interval exact_of(int64_t k, int64_t n, double confidence, const double *prior)
{
    (void)prior;
    return interval_exact(k, n, confidence);
}

static struct interval bayes_of(int64_t k, int64_t n, double confidence, const double *prior)
{
    return interval_bayes(k, n, confidence, prior[0], prior[1]);
}

static struct interval sequence_of(int64_t k, int64_t n, double confidence, const double *prior)
{
    return sequence_interval_of(k, n, confidence, (struct mixture){prior[0], prior[1]});
}

static interval_method *method_of(struct golden *g, const char *name, double *ret_prior)
{
    if (strcmp(name, "wilson") == 0)
        return wilson_of;
    if (strcmp(name, "exact") == 0 || strcmp(name, "clopper_pearson") == 0)
        return exact_of;
    ret_prior[0] = real(g, "a");
    ret_prior[1] = real(g, "b");
    return strncmp(name, "bayes", 5) == 0 ? bayes_of : sequence_of;
}

/* clopper_pearson, wilson, bayes_beta, confidence_sequence: the function names the method. */
static void run_interval(struct golden *g)
{
    double prior[2];
    interval_method *of = method_of(g, g->function, prior);

    expect_interval(g, of(count(g, "k"), count(g, "n"), real(g, "confidence"), prior));
}

static void run_cp_one_sided(struct golden *g)
{
    int64_t k = count(g, "k"), n = count(g, "n");
    double confidence = real(g, "confidence");

    expect(g, "lower", interval_low(k, n, confidence));
    expect(g, "upper", interval_high(k, n, confidence));
}

static void run_beta(struct golden *g)
{
    double x = real(g, "x");
    struct tails t = beta_tails(real(g, "a"), real(g, "b"), x, 1 - x);

    expect(g, "lower", t.lower);
    expect(g, "upper", t.upper);
}

/* Functions of one number or two: a line each. */
static void run_simple(struct golden *g)
{
    if (strcmp(g->function, "reg_inc_beta_inv") == 0)
        expect(g, "x", beta_quantile(real(g, "a"), real(g, "b"), real(g, "y")));
    else if (strcmp(g->function, "normal_quantile") == 0)
        expect(g, "x", normal_quantile(real(g, "p")));
    else if (strcmp(g->function, "normal_sf") == 0)
        expect(g, "p", normal_upper(real(g, "x")));
    else if (strcmp(g->function, "detection_chance") == 0)
        expect(g, "prob", chance_to_catch(real(g, "rate"), count(g, "n")));
    else
        expect_count(g, "n", runs_to_catch(real(g, "rate"), real(g, "prob")));
}

static void run_binom_tail(struct golden *g)
{
    int64_t k = count(g, "k"), n = count(g, "n");
    double p = real(g, "p");
    struct tails t = binomial_tails(k, n, p);

    expect(g, "le", t.lower);
    expect(g, "ge", t.upper);
    /* The tolerance of the tails is relative; the note in the file gives the mass its own. */
    g->abs = fmax(g->abs, 1e-9);
    expect(g, "log_pmf", binomial_log_mass(k, n, p));
}

static void run_log_wealth(struct golden *g)
{
    struct mixture prior = {real(g, "a"), real(g, "b")};
    double p = real(g, "p");

    expect(g, "log_wealth", sequence_log_wealth_of(count(g, "k"), count(g, "n"), p, prior));
}

static void run_exact_coverage(struct golden *g)
{
    double prior[2];
    interval_method *of = method_of(g, word(g, "method"), prior);
    struct coverage c =
        exact_coverage(of, prior, count(g, "n"), real(g, "p"), real(g, "confidence"));

    expect(g, "coverage", c.inside);
    expect(g, "miss_low", c.below);
    expect(g, "miss_high", c.above);
}

static void run_ever_missed(struct golden *g)
{
    double prior[2];
    interval_method *of = method_of(g, word(g, "method"), prior);

    expect(g, "prob",
           ever_missed(of, prior, count(g, "horizon"), real(g, "p"), real(g, "confidence")));
}

const struct golden_function golden_rates[] = {
    {"clopper_pearson", run_interval},
    {"cp_one_sided", run_cp_one_sided},
    {"wilson", run_interval},
    {"bayes_beta", run_interval},
    {"confidence_sequence", run_interval},
    {"mixture_log_wealth", run_log_wealth},
    {"reg_inc_beta", run_beta},
    {"reg_inc_beta_inv", run_simple},
    {"normal_quantile", run_simple},
    {"normal_sf", run_simple},
    {"binom_tail", run_binom_tail},
    {"exact_coverage", run_exact_coverage},
    {"ever_missed", run_ever_missed},
    {"runs_to_catch", run_simple},
    {"detection_chance", run_simple},
    {NULL, NULL},
};
