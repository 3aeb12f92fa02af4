#include "stats/catch.h"

#include <math.h>
#include <stdbool.h>

/* The slack makes a tie in decimal a tie in binary: .1 and .19 are not those numbers exactly. */
static bool reached(double log_pass, double log_miss, int64_t runs)
{
    return (double)runs * log_pass <= log_miss + 1e-12;
}

int64_t runs_to_catch(double rate, double chance)
{
    if (!(rate > 0 && rate <= 1 && chance >= 0 && chance < 1))
        return -1;
    if (chance <= 0)
        return 0;
    if (rate >= 1)
        return 1;

    double log_pass = log1p(-rate);
    double log_miss = log1p(-chance);
    double guess = ceil(log_miss / log_pass);

    if (!(guess < 9e18))
        return -1;

    int64_t runs = guess < 1 ? 1 : (int64_t)guess;

    if (runs > 1 && reached(log_pass, log_miss, runs - 1))
        runs--;
    else if (!reached(log_pass, log_miss, runs))
        runs++;
    return runs;
}

double chance_to_catch(double rate, int64_t runs)
{
    if (!(rate >= 0 && rate <= 1) || runs < 0)
        return NAN;
    if (runs == 0)
        return 0;
    return -expm1((double)runs * log1p(-rate));
}
