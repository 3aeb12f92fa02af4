/* How long the bootstrap of a thousand inputs takes: the least of 20 measurements, in milliseconds,
 * against what it may. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stats/bootstrap.h"

enum { INPUTS = 1000, ROUNDS = 20 };

static const double MOST_MS = 20;

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(void)
{
    double values[INPUTS], least = 1e9;
    struct bootstrap_plan plan = {.seed = 1, .resamples = 5000, .confidence = .95};

    for (int i = 0; i < INPUTS; i++)
        values[i] = (double)(i * 7 % 11) / 10;
    for (int i = 0; i < ROUNDS; i++) {
        struct bootstrap b;
        double from = now_ms();

        if (bootstrap_mean(values, INPUTS, &plan, &b) < 0)
            return 2;

        double took = now_ms() - from;

        least = took < least ? took : least;
    }
    printf("%zu resamples of %d inputs: %.1f ms, at most %.0f\n", plan.resamples, INPUTS, least,
           MOST_MS);
    return least > MOST_MS;
}
