#include "report/points.h"

#include <math.h>
#include <stdbool.h>

/* Bounds come out of sums of decimals: a difference of a rounding error is none. */
static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-9;
}

static bool lands_on(double points, double special, int decimals)
{
    double unit = pow(10, decimals);
    return !isnan(special) && !same(points, special) &&
           same(round(points * unit), round(special * unit));
}

int points_decimals(double difference, double margin, int least)
{
    double points = difference * 100, m = margin * 100;
    int decimals = least;
    while (decimals < POINTS_DECIMALS_MOST &&
           (lands_on(points, 0, decimals) || lands_on(fabs(points), 100, decimals) ||
            lands_on(fabs(points), m, decimals)))
        decimals++;
    return decimals;
}

int points_interval_decimals(struct interval i, double margin, int least)
{
    int low = points_decimals(i.low, margin, least), high = points_decimals(i.high, margin, least);
    return low > high ? low : high;
}

void points_add(double difference, int decimals, struct text *out)
{
    double unit = pow(10, decimals);
    double shown = round(difference * 100 * unit) / unit;
    text_addf(out, "%s%.*f", shown > 0 ? "+" : shown < 0 ? "−" : "", decimals, fabs(shown));
}

void points_plain(double rate, struct text *out)
{
    double rounded = round(rate * 100 * 1e6) / 1e6;
    text_addf(out, "%.8g", rounded);
}

void points_p(double p, struct text *out)
{
    if (p < 0.001)
        text_add(out, "<0.001");
    else if (p < 0.0095)
        text_addf(out, "%.3f", p);
    else if (p < 0.995)
        text_addf(out, "%.2f", p);
    else
        text_add(out, "1");
}

void points_ratio(double ratio, struct text *out)
{
    if (ratio >= 0.995)
        text_addf(out, "%.1f", ratio);
    else if (ratio >= 0.01)
        text_addf(out, "%.2f", ratio);
    else
        text_addf(out, "%.1g", ratio);
}

void points_chance(double chance, struct text *out)
{
    int percent = (int)lround(chance * 100);
    if (percent == 0 && chance > 0)
        percent = 1;
    if (percent == 100 && chance < 1)
        percent = 99;
    text_addf(out, "%d%%", percent);
}
