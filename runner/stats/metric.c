#include "stats/metric.h"

#include <math.h>
#include <stdbool.h>

#define RUNS_MOST (INT64_C(1) << 60)

static const double VANISHED = -800; /* exp of it is 0 */

/* log of C(n - m, k) / C(n, k), 0 <= m, k and m + k <= n.  The same with m and k exchanged, so the
 * shorter product is taken.  Summed with Kahan's correction: a million terms may be needed. */
static double log_ratio(int64_t m, int64_t k, int64_t n)
{
    int64_t factors = m < k ? m : k, less = m < k ? k : m;
    double sum = 0, lost = 0;

    for (int64_t i = 0; i < factors && sum > VANISHED; i++) {
        double left = (double)(n - less - i), all = (double)(n - i);
        double term = left < .5 * all ? log(left / all) : log1p(-(double)less / all);
        double add = term - lost, next = sum + add;

        lost = (next - sum) - add;
        sum = next;
    }
    return sum;
}

static bool sane(int64_t passes, int64_t runs, int64_t k)
{
    return passes >= 0 && passes <= runs && k >= 0 && k <= runs;
}

double metric_pass_all(int64_t passes, int64_t runs, int64_t k)
{
    if (!sane(passes, runs, k))
        return NAN;
    return passes < k ? 0 : exp(log_ratio(runs - passes, k, runs));
}

double metric_pass_any(int64_t passes, int64_t runs, int64_t k)
{
    if (!sane(passes, runs, k))
        return NAN;
    if (k == 0 || passes == 0)
        return 0;
    return runs - passes < k ? 1 : -expm1(log_ratio(passes, k, runs));
}

/* Whole numbers throughout, wide enough for their products: nothing is rounded. */
typedef __int128 wide;

struct totals {
    int64_t inputs, passes, runs;
    wide squares; /* of the runs */
};

/* false: counts that cannot be. */
static bool totals_of(const struct runs_of *inputs, size_t n, struct totals *ret)
{
    struct totals t = {0};

    for (size_t i = 0; i < n; i++) {
        int64_t k = inputs[i].runs;

        if (inputs[i].passes < 0 || inputs[i].passes > k || k > RUNS_MOST - t.runs)
            return false;
        t.inputs += k > 0;
        t.passes += inputs[i].passes;
        t.runs += k;
        t.squares += (wide)k * k;
    }
    *ret = t;
    return true;
}

struct icc metric_icc(const struct runs_of *inputs, size_t n)
{
    const struct icc none = {NAN, NAN, NAN};
    struct totals t;

    if (!totals_of(inputs, n, &t) || t.inputs < 2 || t.runs == t.inputs || t.passes == 0 ||
        t.passes == t.runs)
        return none;

    double all = (double)t.runs, between = 0, within = 0;

    /* The sum of squares between inputs term by term: as sum x^2/k - X^2/M it would be a small
     * difference of large numbers. */
    for (size_t i = 0; i < n; i++) {
        int64_t x = inputs[i].passes, k = inputs[i].runs;

        if (k == 0)
            continue;

        double off = (double)((wide)x * t.runs - (wide)k * t.passes) / all;

        between += off * off / (double)k;
        within += (double)x * (double)(k - x) / (double)k;
    }
    between /= (double)(t.inputs - 1);
    within /= (double)(t.runs - t.inputs);

    double k0 = (double)((wide)t.runs * t.runs - t.squares) / all / (double)(t.inputs - 1);
    double raw = (between - within) / (between + (k0 - 1) * within);

    return (struct icc){.rho = fmin(1, fmax(0, raw)), .raw = raw, .k0 = k0};
}

double metric_harmonic_runs(const struct runs_of *inputs, size_t n)
{
    double sum = 0;
    int64_t counted = 0;

    for (size_t i = 0; i < n; i++) {
        if (inputs[i].runs <= 0)
            continue;
        sum += 1 / (double)inputs[i].runs;
        counted++;
    }
    return counted > 0 ? (double)counted / sum : NAN;
}

/* Variance of an input's mean over k runs, in units of one run's. */
static double variance_of(double k, double rho)
{
    return (1 + (k - 1) * rho) / k;
}

double metric_projected_width(double k, double rho, struct growth by)
{
    if (!(k > 0 && rho >= 0 && rho <= 1 && by.more_runs > 0 && by.more_inputs > 0))
        return NAN;
    return sqrt(variance_of(by.more_runs * k, rho) / variance_of(k, rho) / by.more_inputs);
}
