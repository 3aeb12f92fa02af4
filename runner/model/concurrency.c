#include "model/concurrency.h"

#include <stdio.h>

unsigned counts_judged(const struct counts *n)
{
    return n->passed + n->failed;
}

unsigned counts_total(const struct counts *n)
{
    return n->passed + n->failed + n->unknown;
}

double counts_rate(const struct counts *n)
{
    unsigned judged = counts_judged(n);
    return judged ? (double)n->failed / judged : 0;
}

void counts_add(struct counts *to, const struct counts *more)
{
    to->passed += more->passed;
    to->failed += more->failed;
    to->unknown += more->unknown;
    to->trials += more->trials;
    to->trials_failed += more->trials_failed;
}

void condition_name(const struct condition *c, char *buf, size_t size)
{
    if (c->type == CONDITION_TIMING)
        snprintf(buf, size, "%u ms", c->delay_ms);
    else if (c->type == CONDITION_WORKER && c->xdist)
        snprintf(buf, size, "xdist -n %u", c->workers);
    else if (c->type == CONDITION_WORKER)
        snprintf(buf, size, "%u worker%s", c->workers, c->workers == 1 ? "" : "s");
    else if (c->workers == 1)
        snprintf(buf, size, "Sequential");
    else
        snprintf(buf, size, "Parallel / %u", c->workers);
}

const char *condition_type_word(enum condition_type t)
{
    static const char *const words[] = {
        [CONDITION_WORKER] = "Worker", [CONDITION_TIMING] = "Timing", [CONDITION_MODE] = "Mode"};
    return words[t];
}

const char *signal_word(enum signal_word s)
{
    static const char *const words[] = {
        [SIGNAL_NONE] = "NO_SIGNAL", [SIGNAL_WEAK] = "WEAK", [SIGNAL_STRONG] = "STRONG"};
    return words[s];
}

const char *confirmation_word(enum standing s)
{
    static const char *const words[] = {[STANDING_OPEN] = "NOT RUN",
                                        [STANDING_REJECTED] = "REJECTED",
                                        [STANDING_WEAK] = "WEAK",
                                        [STANDING_CONFIRMED] = "REPEATEDLY OBSERVED"};
    return words[s];
}

const char *reproduction_word(const struct stage *s)
{
    static const char *const words[] = {[STANDING_OPEN] = "NOT RUN",
                                        [STANDING_REJECTED] = "NOT_REPRODUCED",
                                        [STANDING_WEAK] = "PARTIAL",
                                        [STANDING_CONFIRMED] = "REPRODUCED"};
    return words[s->standing];
}

const char *rate_word(double percent)
{
    static const struct {
        double most;
        const char *word;
    } words[] = {{0, "Stable"}, {20, "Low Flakiness"}, {50, "Flaky"}, {80, "Highly Flaky"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (percent <= words[i].most)
            return words[i].word;
    return percent < 100 ? "Severely Unstable" : "Consistently Failing";
}
