/* Runs the cases of a golden file of the form of tests/data/stats.json against runner/stats:
 *
 *     { "function": { "doc": "...", "tolerance": {"rel": r, "abs": a},
 *                     "cases": [ {"in": {...}, "out": {...}, "tag": "..."} ] } }
 *
 * usage: test_golden [FILE]      (default: the copy in the tree)
 * Functions it does not know are skipped aloud.  Last line: "N passed, N failed, N skipped".
 * Exit status: 1 if a case failed or none ran, 2 if the file cannot be used. */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/adjust.h"
#include "stats/binomial.h"
#include "stats/catch.h"
#include "stats/compare.h"
#include "stats/interval.h"
#include "stats/sequence.h"

#ifndef FR_TEST_DATA
#define FR_TEST_DATA "tests/data"
#endif

/* One case being run. */
struct golden {
    const char *function;
    size_t index;
    double rel, abs;
    struct json_object *in, *out;
    int checked; /* outputs compared so far: a forgotten one is a failure */
    bool failed;
};

static struct json_object *input(struct golden *g, const char *key)
{
    struct json_object *value = NULL;

    if (!json_object_object_get_ex(g->in, key, &value)) {
        printf("%s[%zu]: no input \"%s\"\n", g->function, g->index, key);
        g->failed = true;
    }
    return value;
}

static double number(struct json_object *value)
{
    if (json_object_is_type(value, json_type_string)) /* JSON has no infinity: "inf", "-inf" */
        return strtod(json_object_get_string(value), NULL);
    return json_object_get_double(value);
}

static double real(struct golden *g, const char *key)
{
    return number(input(g, key));
}

static int64_t count(struct golden *g, const char *key)
{
    return json_object_get_int64(input(g, key));
}

static const char *word(struct golden *g, const char *key)
{
    const char *text = json_object_get_string(input(g, key));

    return text != NULL ? text : "";
}

static int64_t count_at(struct json_object *array, size_t i)
{
    return json_object_get_int64(json_object_array_get_idx(array, i));
}

static size_t length(struct json_object *array)
{
    return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static bool close_enough(const struct golden *g, double have, double want)
{
    if (isnan(have) || isnan(want))
        return false;
    if (isinf(have) || isinf(want))
        return isinf(have) && isinf(want) && (have > 0) == (want > 0);
    return fabs(have - want) <= fmax(g->abs, g->rel * fabs(want));
}

static void compare(struct golden *g, const char *key, double have, struct json_object *want)
{
    if (want != NULL && close_enough(g, have, number(want)))
        return;
    printf("%s[%zu].%s = %.17g, want %s   in: %s\n", g->function, g->index, key, have,
           want != NULL ? json_object_get_string(want) : "null", json_object_get_string(g->in));
    g->failed = true;
}

static struct json_object *expected(struct golden *g, const char *key, bool *ret_found)
{
    struct json_object *value = NULL;

    *ret_found = json_object_object_get_ex(g->out, key, &value);
    g->checked += *ret_found;
    return value;
}

static void expect(struct golden *g, const char *key, double have)
{
    bool found;
    struct json_object *want = expected(g, key, &found);

    if (found)
        compare(g, key, have, want);
}

/* A count of which -1 says "none", null in the file. */
static void expect_count(struct golden *g, const char *key, int64_t have)
{
    bool found;
    struct json_object *want = expected(g, key, &found);

    if (found && (want != NULL || have >= 0))
        compare(g, key, (double)have, want);
}

static void expect_interval(struct golden *g, struct interval have)
{
    expect(g, "low", have.low);
    expect(g, "high", have.high);
}

static void expect_list(struct golden *g, const char *key, const double *have, size_t n)
{
    bool found;
    struct json_object *want = expected(g, key, &found);

    if (!found)
        return;
    if (length(want) != n) {
        printf("%s[%zu].%s has %zu values, want %zu\n", g->function, g->index, key, n,
               length(want));
        g->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        compare(g, key, have[i], json_object_array_get_idx(want, i));
}

static struct interval by_method(struct golden *g, const char *method, int64_t k, int64_t n)
{
    double confidence = real(g, "confidence");

    if (strcmp(method, "wilson") == 0)
        return interval_wilson(k, n, confidence);
    if (strcmp(method, "bayes") == 0 || strcmp(method, "bayes_beta") == 0)
        return interval_bayes(k, n, confidence, real(g, "a"), real(g, "b"));
    if (strcmp(method, "sequential") == 0 || strcmp(method, "confidence_sequence") == 0)
        return sequence_interval_of(k, n, confidence, (struct mixture){real(g, "a"), real(g, "b")});
    return interval_exact(k, n, confidence);
}

/* clopper_pearson, wilson, bayes_beta, confidence_sequence: the function names the method. */
static void run_interval(struct golden *g)
{
    expect_interval(g, by_method(g, g->function, count(g, "k"), count(g, "n")));
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

static void run_exact_coverage(struct golden *g)
{
    int64_t n = count(g, "n");
    double p = real(g, "p");
    double inside = 0, below = 0, above = 0;

    for (int64_t k = 0; k <= n; k++) {
        struct interval i = by_method(g, word(g, "method"), k, n);
        double mass = exp(binomial_log_mass(k, n, p));

        *(p < i.low ? &below : p > i.high ? &above : &inside) += mass;
    }
    expect(g, "coverage", inside);
    expect(g, "miss_low", below);
    expect(g, "miss_high", above);
}

static void run_ever_missed(struct golden *g)
{
    int64_t horizon = count(g, "horizon");
    double p = real(g, "p");
    double missed = 0;
    double *at = calloc((size_t)horizon + 2, sizeof(*at)); /* P(k failures, never missed) */

    if (at == NULL)
        abort();
    at[0] = 1;
    for (int64_t n = 1; n <= horizon; n++) {
        for (int64_t k = n; k >= 0; k--) {
            at[k] = at[k] * (1 - p) + (k > 0 ? at[k - 1] * p : 0);

            struct interval i = by_method(g, word(g, "method"), k, n);

            if (i.low <= p && p <= i.high)
                continue;
            missed += at[k];
            at[k] = 0;
        }
    }
    free(at);
    expect(g, "prob", missed);
}

static void run_log_wealth(struct golden *g)
{
    struct mixture prior = {real(g, "a"), real(g, "b")};
    double p = real(g, "p");

    expect(g, "log_wealth", sequence_log_wealth_of(count(g, "k"), count(g, "n"), p, prior));
}

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

static double fisher_power(int64_t n1, int64_t n2, double p1, double p2, double alpha)
{
    double power = 0;

    for (int64_t i = 0; i <= n1; i++) {
        for (int64_t j = 0; j <= n2; j++) {
            if (fisher_greater(i, n1, j, n2) <= alpha)
                power += exp(binomial_log_mass(i, n1, p1) + binomial_log_mass(j, n2, p2));
        }
    }
    return power;
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
    double *ret = calloc(m + 1, sizeof(*ret));
    size_t i = 0;

    while (i < 3 && strcmp(adjustments[i].name, method) != 0)
        i++;
    if (ret == NULL || adjustments[i].adjust(p, m, ret) < 0)
        abort();
    return ret;
}

static void run_adjust(struct golden *g)
{
    struct json_object *list = input(g, "p");
    size_t m = length(list);
    double *p = calloc(m + 1, sizeof(*p));

    if (p == NULL)
        abort();
    for (size_t i = 0; i < m; i++)
        p[i] = number(json_object_array_get_idx(list, i));

    double *have = adjusted(p, m, word(g, "method"));

    expect_list(g, "adjusted", have, m);
    free(have);
    free(p);
}

static void run_sweep(struct golden *g)
{
    struct json_object *base = input(g, "baseline"), *cells = input(g, "cells");
    size_t m = length(cells), n = 0;
    double *p = calloc(m + 1, sizeof(*p)), *rejected = calloc(m + 1, sizeof(*rejected));

    if (p == NULL || rejected == NULL)
        abort();
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

static const struct {
    const char *name;
    void (*run)(struct golden *g);
} known[] = {
    {"clopper_pearson", run_interval},
    {"cp_one_sided", run_cp_one_sided},
    {"wilson", run_interval},
    {"bayes_beta", run_interval},
    {"reg_inc_beta", run_beta},
    {"reg_inc_beta_inv", run_simple},
    {"normal_quantile", run_simple},
    {"normal_sf", run_simple},
    {"binom_tail", run_binom_tail},
    {"exact_coverage", run_exact_coverage},
    {"ever_missed", run_ever_missed},
    {"runs_to_catch", run_simple},
    {"detection_chance", run_simple},
    {"mixture_log_wealth", run_log_wealth},
    {"confidence_sequence", run_interval},
    {"newcombe", run_newcombe},
    {"fisher_exact", run_fisher},
    {"fisher_midp", run_fisher},
    {"fisher_power", run_fisher_power},
    {"fisher_min_n", run_fisher_min_n},
    {"min_provoked_runs", run_min_provoked},
    {"adjust_pvalues", run_adjust},
    {"sweep_family", run_sweep},
};

struct totals {
    size_t passed, failed, skipped;
};

static double tolerance(struct json_object *function, const char *key)
{
    struct json_object *all = NULL, *value = NULL;

    if (!json_object_object_get_ex(function, "tolerance", &all) ||
        !json_object_object_get_ex(all, key, &value))
        return 0;
    return json_object_get_double(value);
}

static bool run_case(struct golden *g, struct json_object *one, void (*run)(struct golden *g))
{
    if (!json_object_object_get_ex(one, "in", &g->in) ||
        !json_object_object_get_ex(one, "out", &g->out)) {
        printf("%s[%zu]: no \"in\" or no \"out\"\n", g->function, g->index);
        return false;
    }
    run(g);

    int outputs = json_object_object_length(g->out);

    if (g->checked != outputs)
        printf("%s[%zu]: compared %d of %d\n", g->function, g->index, g->checked, outputs);
    return !g->failed && g->checked == outputs;
}

static void run_function(const char *name, struct json_object *function, struct totals *t)
{
    struct json_object *cases = NULL;
    void (*run)(struct golden * g) = NULL;

    json_object_object_get_ex(function, "cases", &cases);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0)
            run = known[i].run;
    }
    if (run == NULL) {
        printf("skipped %s: %zu cases\n", name, length(cases));
        t->skipped += length(cases);
        return;
    }

    size_t before = t->failed;

    for (size_t i = 0; i < length(cases); i++) {
        struct golden g = {
            .function = name,
            .index = i,
            .rel = tolerance(function, "rel"),
            .abs = tolerance(function, "abs"),
        };
        bool ok = run_case(&g, json_object_array_get_idx(cases, i), run);

        t->passed += ok;
        t->failed += !ok;
    }
    printf("%s %s: %zu cases\n", t->failed == before ? "ok" : "NOT OK", name, length(cases));
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : FR_TEST_DATA "/stats.json";
    struct json_object *file = json_object_from_file(path);
    struct totals t = {0};

    if (!json_object_is_type(file, json_type_object)) {
        printf("%s: %s\n", path, file == NULL ? json_util_get_last_err() : "not a JSON object");
        return 2;
    }
    json_object_object_foreach(file, name, function) run_function(name, function, &t);
    json_object_put(file);
    printf("%zu passed, %zu failed, %zu skipped\n", t.passed, t.failed, t.skipped);
    return t.failed > 0 || t.passed == 0;
}
