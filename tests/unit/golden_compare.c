/* Golden cases of comparisons: two rates, rates over scores, pairs, and families of p values. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "stats/adjust.h"
#include "stats/binomial.h"
#include "stats/compare.h"
#include "stats/permute.h"

static void run_newcombe(struct golden *g)
{
    expect_interval(g, difference_newcombe(count(g, "x1"), count(g, "n1"), count(g, "x2"),
                                           count(g, "n2"), real(g, "confidence")));
}

/* fisher_exact and fisher_midp.  Mid-p is not in the product: a tail less half of its end. */
static void run_fisher(struct golden *g)
{
    struct fisher f = fisher_exact(count(g, "x1"), count(g, "n1"), count(g, "x2"), count(g, "n2"));
    bool mid = strcmp(g->function, "fisher_midp") == 0;
    double half = mid ? f.point / 2 : 0;

    expect(g, "greater", f.greater - half);
    expect(g, "less", f.less - half);
    expect(g, "two_sided", mid ? fmin(1, 2 * (fmin(f.greater, f.less) - half)) : f.two_sided);
}

static void run_fisher_power(struct golden *g)
{
    expect(g, "power",
           fisher_power(count(g, "n1"), count(g, "n2"), real(g, "p1"), real(g, "p2"),
                        real(g, "alpha")));
}

static void run_fisher_min_n(struct golden *g)
{
    int64_t cap = count(g, "cap"), n = 2;

    while (n <= cap &&
           fisher_power(n, n, real(g, "p1"), real(g, "p2"), real(g, "alpha")) < real(g, "target"))
        n++;
    expect_count(g, "n", n <= cap ? n : -1);
}

static void run_min_provoked(struct golden *g)
{
    expect_count(g, "r",
                 provoked_runs_needed(count(g, "x"), count(g, "n"),
                                      real(g, "alpha") / real(g, "family"), count(g, "cap")));
}

static const struct {
    const char *name;
    int (*adjust)(const double *p, size_t n, double *ret_adjusted);
} adjustments[] = {
    {"holm", adjust_holm},
    {"bonferroni", adjust_bonferroni},
    {"bh", adjust_bh},
    {"by", adjust_by},
};

/* The m in p, adjusted by method; the caller frees. */
static double *adjusted(const double *p, size_t m, const char *method)
{
    double *ret = memory(m, sizeof(*ret));
    size_t i = 0;

    while (i < 3 && strcmp(adjustments[i].name, method) != 0)
        i++;
    if (adjustments[i].adjust(p, m, ret) < 0)
        abort();
    return ret;
}

static void run_adjust(struct golden *g)
{
    size_t m;
    double *p = reals(g, "p", &m), *have = adjusted(p, m, word(g, "method"));

    expect_list(g, "adjusted", have, m);
    free(have);
    free(p);
}

static void run_sweep(struct golden *g)
{
    struct json_object *base = input(g, "baseline"), *cells = input(g, "cells");
    size_t m = length(cells), n = 0;
    double *p = memory(m, sizeof(*p)), *rejected = memory(m, sizeof(*rejected));

    for (size_t i = 0; i < m; i++) {
        struct json_object *cell = json_object_array_get_idx(cells, i);

        p[i] = fisher_greater(count_at(cell, 0), count_at(cell, 1), count_at(base, 0),
                              count_at(base, 1));
    }

    double *holm = adjusted(p, m, "holm");

    for (size_t i = 0; i < m; i++) {
        if (holm[i] <= real(g, "alpha"))
            rejected[n++] = (double)i;
    }
    expect_list(g, "p", p, m);
    expect_list(g, "holm", holm, m);
    expect_list(g, "rejected", rejected, n);
    free(holm);
    free(rejected);
    free(p);
}

static void run_boschloo(struct golden *g)
{
    int64_t x1 = count(g, "x1"), n1 = count(g, "n1"), x2 = count(g, "x2"), n2 = count(g, "n2");

    expect(g, "p", boschloo_greater(x1, n1, x2, n2));
    expect(g, "fisher", fisher_greater(x1, n1, x2, n2));
}

static unsigned *unsigneds(struct golden *g, const char *key, size_t *ret_n)
{
    struct json_object *list = input(g, key);
    unsigned *ret;

    *ret_n = length(list);
    ret = memory(*ret_n, sizeof(*ret));
    for (size_t i = 0; i < *ret_n; i++)
        ret[i] = (unsigned)count_at(list, i);
    return ret;
}

static void run_trend(struct golden *g)
{
    size_t levels;
    unsigned *x = unsigneds(g, "x", &levels), *n = unsigneds(g, "n", &levels);
    unsigned *w = unsigneds(g, "w", &levels);
    double z = trend_score(x, n, w, levels);

    expect(g, "z", z);
    expect(g, "p_asym_increasing", isnan(z) ? 1 : normal_upper(z));
    expect(g, "p_exact_increasing", trend_greater(x, n, w, levels));
    free(x);
    free(n);
    free(w);
}

static void run_two_proportions(struct golden *g)
{
    double n =
        two_proportions_runs(real(g, "p1"), real(g, "p2"), real(g, "alpha"), real(g, "power"));

    expect(g, "n_real", n);
    expect(g, "n", ceil(n));
}

static void run_sign_flip(struct golden *g)
{
    struct json_object *list = input(g, "pairs");
    size_t n = length(list);
    struct run_pair *pairs = memory(n, sizeof(*pairs));

    for (size_t i = 0; i < n; i++) {
        struct json_object *p = json_object_array_get_idx(list, i);

        pairs[i] =
            (struct run_pair){count_at(p, 0), count_at(p, 1), count_at(p, 2), count_at(p, 3)};
    }

    struct sign_flip f = sign_flip(pairs, n, &(struct flip_draws){.seed = 1, .resamples = 1000});

    require(g, "drawn, not counted", f.exact);
    expect(g, "p", f.p);
    expect(g, "hits", ldexp(f.p, (int)f.nonzero));
    expect(g, "m_nonzero", (double)f.nonzero);
    expect(g, "sum_diff", f.sum);
    free(pairs);
}

static void run_mcnemar(struct golden *g)
{
    expect(g, "p", mcnemar_exact(count(g, "b"), count(g, "c")));
}

static void run_one_sided(struct golden *g)
{
    expect(g, "log_e",
           one_sided_log_wealth(count(g, "k"), count(g, "n"), real(g, "p0"), real(g, "a"),
                                real(g, "b")));
}

static void run_two_arms(struct golden *g)
{
    struct json_object *blocks = input(g, "blocks");
    struct two_arms t = {.g = real(g, "g")};

    for (size_t i = 0; i < length(blocks); i++) {
        struct json_object *block = json_object_array_get_idx(blocks, i);

        two_arms_block(&t, (int)count_at(block, 0), (int)count_at(block, 1));
    }
    expect(g, "log_e", t.log_wealth);
    expect(g, "max_log_e", t.most);
}

static void run_spend(struct golden *g)
{
    bool harmonic = strcmp(word(g, "rule"), "harmonic") == 0;

    expect(g, "level", (harmonic ? spend_harmonic : spend_basel)(count(g, "j"), real(g, "alpha")));
}

const struct golden_function golden_compare[] = {
    {"newcombe", run_newcombe},
    {"fisher_exact", run_fisher},
    {"fisher_midp", run_fisher},
    {"fisher_power", run_fisher_power},
    {"fisher_min_n", run_fisher_min_n},
    {"boschloo_one_sided", run_boschloo},
    {"min_provoked_runs", run_min_provoked},
    {"two_prop_n_normal", run_two_proportions},
    {"cochran_armitage", run_trend},
    {"sign_flip", run_sign_flip},
    {"mcnemar_exact", run_mcnemar},
    {"one_sided_evalue", run_one_sided},
    {"two_sample_eprocess", run_two_arms},
    {"adjust_pvalues", run_adjust},
    {"sweep_family", run_sweep},
    {"alpha_spend", run_spend},
    {NULL, NULL},
};
