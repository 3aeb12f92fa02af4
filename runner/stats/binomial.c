#include "stats/binomial.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* lgamma writes the global signgam, so it is not thread-safe; lgamma_r is. */
static double log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

/* log G(n+1) minus Stirling's main terms.  The series is DLMF 5.11.1; at n = 16 its first term
 * left out is below 4e-19. */
static double stirling_error(double n)
{
    if (n < 16)
        return log_gamma(n + 1) - (n + .5) * log(n) + n - .5 * log(2 * M_PI);

    static const double term[] = {1. / 12,   -1. / 360,      1. / 1260, -1. / 1680,
                                  1. / 1188, -691. / 360360, 1. / 156};
    double square = 1 / (n * n);
    double sum = 0;

    for (int i = (int)(sizeof(term) / sizeof(term[0])) - 1; i >= 0; i--)
        sum = sum * square + term[i];
    return sum / n;
}

/* x log(x/m) + m - x.  Close to x = m the terms cancel; there log(x/m) = 2 artanh(v), DLMF 4.6.4,
 * and the part linear in x - m is taken out by hand. */
static double deviance(double x, double m)
{
    double v = (x - m) / (x + m);

    if (fabs(v) >= .1)
        return x * log(x / m) + m - x;

    double sum = 0;
    double power = v * v * v;

    for (int j = 3; j < 60; j += 2) {
        double add = power / j;

        sum += add;
        if (fabs(add) <= DBL_EPSILON * .01 * fabs(sum))
            break;
        power *= v * v;
    }
    return v * (x - m) + 2 * x * sum;
}

double log_binomial(double x, double y, double p, double q)
{
    double n = x + y;

    if (!(x >= 0 && y >= 0 && p >= 0 && q >= 0))
        return NAN;
    /* x log 0 is 0 when x is 0: a run that never happened cannot be impossible. */
    if (x <= 0)
        return y <= 0 ? 0 : (p < .5 ? y * log1p(-p) : y * log(q));
    if (y <= 0)
        return q < .5 ? x * log1p(-q) : x * log(p);
    if (p <= 0 || q <= 0)
        return -INFINITY;
    return stirling_error(n) - stirling_error(x) - stirling_error(y) - deviance(x, n * p) -
           deviance(y, n * q) - .5 * log(2 * M_PI * x * (y / n));
}

double log_beta(double a, double b)
{
    if (!(a > 0 && b > 0))
        return NAN;
    /* Small values directly; with large ones the difference of lgamma loses digits. */
    if (a + b < 30)
        return log_gamma(a) + log_gamma(b) - log_gamma(a + b);

    double n = a + b;
    double p = a / n;
    double q = b / n;
    double log_p = p < .5 ? log(p) : log1p(-q);
    double log_q = q < .5 ? log(q) : log1p(-p);

    return log(n) - log(a) - log(b) - log_binomial(a, b, p, q) + a * log_p + b * log_q;
}

/* x^a y^b / (a B(a,b)), the factor before the fraction in DLMF 8.17.22, as a logarithm. */
static double log_prefix(double a, double b, double x, double y)
{
    return log_binomial(a, b, x, y) + log(b / (a + b));
}

/* The continued fraction of DLMF 8.17.22 by the modified Lentz method (DLMF 3.10(iii)).
 * It converges in about sqrt(max(a, b)) rounds for x left of the mean; the cap is ten times
 * that. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    int64_t cap = 200 + (int64_t)(10 * sqrt(fmax(a, b)));
    double value = 1, c = 1, d = 0;

    for (int64_t j = 1; j <= 2 * cap; j++) {
        double m = (double)(j / 2);
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double term = j % 2 ? odd : even;

        d = 1 + term * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + term / c;
        c = fabs(c) < tiny ? tiny : c;
        value *= c * d;
        if (fabs(c * d - 1) < 2 * DBL_EPSILON)
            return 1 / value;
    }
    return NAN;
}

/* Where the fraction for the lower tail converges quickly; beyond, the upper tail's does. */
static bool left_of_mean(double a, double b, double x)
{
    return x < (a + 1) / (a + b + 2);
}

/* Which tail the fraction gives, and its logarithm. */
static double log_tail(double a, double b, double x, double y, bool *ret_is_lower)
{
    *ret_is_lower = left_of_mean(a, b, x);
    if (*ret_is_lower)
        return log_prefix(a, b, x, y) + log(beta_fraction(a, b, x));
    return log_prefix(b, a, y, x) + log(beta_fraction(b, a, y));
}

struct tails beta_tails(double a, double b, double x, double y)
{
    if (!(a > 0 && b > 0 && x >= 0 && y >= 0))
        return (struct tails){NAN, NAN};
    if (x <= 0)
        return (struct tails){0, 1};
    if (y <= 0)
        return (struct tails){1, 0};

    bool is_lower;
    double tail = exp(log_tail(a, b, x, y, &is_lower));

    return is_lower ? (struct tails){tail, 1 - tail} : (struct tails){1 - tail, tail};
}

struct tails beta_log_tails(double a, double b, double x, double y)
{
    if (!(a > 0 && b > 0 && x >= 0 && y >= 0))
        return (struct tails){NAN, NAN};
    if (x <= 0)
        return (struct tails){-INFINITY, 0};
    if (y <= 0)
        return (struct tails){0, -INFINITY};

    bool is_lower;
    double tail = log_tail(a, b, x, y, &is_lower);
    double other = log1p(-exp(tail));

    return is_lower ? (struct tails){tail, other} : (struct tails){other, tail};
}

/* log I_x(a,b) at t = log x, and its derivative by t.  As a logarithm because at Newton's first
 * points I may be far below the smallest double. */
static double log_lower(double a, double b, double t, double *ret_slope)
{
    double x = exp(t);
    double y = -expm1(t);
    double log_value = beta_log_tails(a, b, x, y).lower;

    *ret_slope = a * exp(log_prefix(a, b, x, y) - log_value) / y;
    return log_value;
}

/* log x with I_x(a,b) = lower.  log I is concave in log x for b >= 1, so Newton comes from the
 * left and never jumps over the root (on I itself it stalls for x = 1e-19).  The bracket is for
 * b < 1 and for rounding at the end. */
static double log_quantile(double a, double b, double lower)
{
    double target = log(lower);
    double low = -INFINITY, high = 0;
    /* I_x <= x^a / (a B(a,b)) for b >= 1: a start left of the root. */
    double t = fmin((target + log(a) + log_beta(a, b)) / a, -DBL_EPSILON);

    for (int i = 0; i < 300; i++) {
        double slope;
        double off = log_lower(a, b, t, &slope) - target;

        if (isnan(off))
            return NAN;
        if (off > 0)
            high = t;
        else
            low = t;

        double next = t - off / slope;

        if (!(next < high))
            next = .5 * (t + high);
        else if (!(next > low))
            next = isinf(low) ? t - 1 : .5 * (t + low);
        if (fabs(next - t) <= 2 * DBL_EPSILON * fmin(1, -t) || high - low <= DBL_EPSILON * -high)
            return next;
        t = next;
    }
    return t;
}

double beta_quantile(double a, double b, double lower)
{
    if (!(a > 0 && b > 0 && lower >= 0 && lower <= 1))
        return NAN;
    if (lower <= 0 || lower >= 1)
        return lower;
    /* With b < 1 the density has a pole at 1 and concavity is lost there; the mirror has its pole
     * on the other side, where the logarithm takes it away.  Not for small tails: 1 - lower would
     * lose their digits, and they are far from the pole.  Nor for a point left of .5, which would
     * lose its own in 1 - x. */
    if (b < 1 && lower > .5 && beta_tails(a, b, .5, .5).lower < lower)
        return -expm1(log_quantile(b, a, 1 - lower));
    return exp(log_quantile(a, b, lower));
}

struct tails binomial_tails(int64_t k, int64_t runs, double rate)
{
    if (k < 0 || k > runs || !(rate >= 0 && rate <= 1))
        return (struct tails){NAN, NAN};

    double x = (double)k;
    double rest = (double)(runs - k);
    struct tails ret = {1, 1};

    if (k < runs)
        ret.lower = beta_tails(x + 1, rest, rate, 1 - rate).upper;
    if (k > 0)
        ret.upper = beta_tails(x, rest + 1, rate, 1 - rate).lower;
    return ret;
}

double binomial_log_mass(int64_t k, int64_t runs, double rate)
{
    if (k < 0 || k > runs || !(rate >= 0 && rate <= 1))
        return NAN;
    return log_binomial((double)k, (double)(runs - k), rate, 1 - rate);
}

double normal_upper(double x)
{
    return .5 * erfc(x * M_SQRT1_2);
}

double normal_quantile(double p)
{
    double tail = p < .5 ? p : 1 - p;

    if (!(tail >= 0))
        return NAN;
    if (tail <= 0)
        return p < .5 ? -INFINITY : INFINITY;

    /* The start: the tangent at the centre, or the tail's leading terms, DLMF 7.12.1 inverted. */
    double r = sqrt(-2 * log(tail));
    double x = tail > .2 ? (.5 - tail) * sqrt(2 * M_PI) : r - log(r * sqrt(2 * M_PI)) / r;

    /* Halley's method converges with the third power; two or three rounds do, ten are a cap. */
    for (int i = 0; i < 10; i++) {
        double density = exp(-.5 * x * x) / sqrt(2 * M_PI);
        double off = (normal_upper(x) - tail) / density;
        double step = off / (1 + .5 * x * off);

        x += step;
        if (fabs(step) <= 2 * DBL_EPSILON * fabs(x))
            break;
    }
    return p < .5 ? -x : x;
}
