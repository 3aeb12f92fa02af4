#include "report/percent.h"

#include <math.h>
#include <stdio.h>

enum { MOST_DECIMALS = 6 };

static double nearest(double x)
{
    return round(x);
}

/* A bound that came out of a logarithm may miss its true decimal by a rounding error: 1e-9 of a
 * unit in the last place printed is forgiven, far less than any reader can see. */
static double down(double x)
{
    return floor(x + 1e-9);
}
static double up(double x)
{
    return ceil(x - 1e-9);
}

static void percent(double rate, double (*rounded)(double), struct text *out)
{
    if (!(rate > 0)) {
        text_add(out, "0");
        return;
    }
    if (rate >= 1) {
        text_add(out, "100");
        return;
    }
    int decimals = rate < 0.02 || rate > 0.99; /* there one percent is too coarse */
    double shown = 0;
    for (; decimals <= MOST_DECIMALS; decimals++) {
        double unit = pow(10, decimals);
        shown = rounded(rate * 100 * unit) / unit;
        if (shown > 0 && shown < 100)
            break;
    }
    if (shown <= 0)
        text_add(out, "<0.000001");
    else if (shown >= 100)
        text_add(out, ">99.999999");
    else
        text_addf(out, "%.*f", decimals, shown);
}

void percent_near(double rate, struct text *out)
{
    percent(rate, nearest, out);
}

void percent_floor(double rate, struct text *out)
{
    percent(rate, down, out);
}

void percent_ceil(double rate, struct text *out)
{
    percent(rate, up, out);
}

void percent_interval(double low, double high, struct text *out)
{
    percent_near(low, out);
    text_add(out, "–");
    percent_near(high, out);
    text_add(out, " %");
}

double bound_above_none(unsigned runs)
{
    return runs == 0 ? 1 : -expm1(log(0.05) / runs);
}

double bound_below_all(unsigned runs)
{
    return runs == 0 ? 0 : exp(log(0.05) / runs);
}

void percent_p(double p, struct text *out)
{
    if (p >= 0.0001)
        text_addf(out, "%.2g", p);
    else if (p > 0)
        text_addf(out, "%.0e", p);
    else
        text_add(out, "<1e-300");
}
