#include "search/concurrency_rules.h"

enum signal_word rule_signal(double reference, double delta)
{
    if (delta <= 0 || reference >= 100)
        return SIGNAL_NONE;
    return reference <= 0 || delta >= 10 ? SIGNAL_STRONG : SIGNAL_WEAK;
}

double rule_score(enum signal_word s, double delta)
{
    if (s == SIGNAL_NONE)
        return 0;
    return (s == SIGNAL_STRONG ? 100 : 50) + (delta > 0 ? delta : 0);
}

double rule_consistency(const double *delta, size_t n)
{
    size_t more = 0;
    for (size_t i = 0; i < n; i++)
        more += delta[i] > 0;
    return n ? 100.0 * (double)more / (double)n : 0;
}

enum standing rule_standing(double consistency, double mean, bool shown)
{
    if (mean <= 0 || consistency < 50)
        return STANDING_REJECTED;
    return consistency >= 80 && shown ? STANDING_CONFIRMED : STANDING_WEAK;
}
