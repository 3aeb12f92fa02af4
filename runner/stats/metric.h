#ifndef FR_STATS_METRIC_H
#define FR_STATS_METRIC_H
/* Numbers about repeated runs of many inputs.  Pure and thread-safe.
 *
 * Of an input `passes` of `runs` passed, 0 <= passes <= runs.  NaN where a number is not defined:
 * leave the input out, do not take it for 0. */
#include <stddef.h>
#include <stdint.h>

/* pass^k: the chance that k runs drawn from these, without putting back, all pass; unbiased for the
 * chance that k new runs all do.  C(passes, k) / C(runs, k).  k >= 0; NaN if k > runs.
 * S. Yao et al., "tau-bench" (2024). */
double metric_pass_all(int64_t passes, int64_t runs, int64_t k);

/* pass@k: the chance that at least one of the k passes: 1 - C(runs - passes, k) / C(runs, k).
 * M. Chen et al., "Evaluating large language models trained on code" (2021). */
double metric_pass_any(int64_t passes, int64_t runs, int64_t k);

struct runs_of {
    int64_t passes;
    int64_t runs; /* an input without runs counts as absent */
};

/* How much the runs of one input resemble each other: the intraclass correlation of a one-way
 * analysis of variance.  At 0 a hundred runs of one input say as much as one run of each of a
 * hundred; at 1 they say no more than one run.  A. Donner & J. Koval, Biometrics 36 (1980) 19;
 * M. Ridout et al., Biometrics 55 (1999) 137.
 * All NaN with fewer than two inputs, one run of each, no variation at all,
 * or more than 2^60 runs. */
struct icc {
    double rho; /* raw, cut to [0, 1]: what is printed */
    double raw; /* as it comes, below 0 by chance */
    double k0;  /* the runs of a typical input */
};

struct icc metric_icc(const struct runs_of *inputs, size_t n);

/* The harmonic mean of the runs: what k stands for below when inputs have different numbers. */
double metric_harmonic_runs(const struct runs_of *inputs, size_t n);

/* What the width of an interval for the mean over inputs shrinks to, as a ratio, with `more_runs`
 * times the k runs of each and `more_inputs` times the inputs.  k, more_runs, more_inputs > 0, rho
 * in [0, 1].  The design effect: L. Kish, "Survey Sampling" (1965). */
struct growth {
    double more_runs;
    double more_inputs;
};

double metric_projected_width(double k, double rho, struct growth by);

#endif
