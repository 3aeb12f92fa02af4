/* --prob-explain over the whole product of states: whatever a row came to, its words are sentences,
 * name numbers of the row alone, and do not contradict it or themselves. */
#include "check.h"

#include <ctype.h>
#include <math.h>

#include "report/explain.h"
#include "samples.h"
#include "sample/stop.h"
#include "sample/verdict.h"

static char where[256]; /* the state that is looked at, for messages */
static int walked;

static void wrong(const char *why, const char *words)
{
    if (check_failed < 20)
        CHECK_SAY("%s: %s:\n%s", where, why, words);
    else
        check_failed++;
}

static int times(const char *words, const char *part)
{
    int n = 0;
    for (const char *at = strstr(words, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

/* As a whole word: "PASS" is not in "PASSED". */
static int verdicts(const char *words, const char *verdict)
{
    own_text struct text t = {0};
    text_addf(&t, ": %s.", verdict);
    return times(words, text_str(&t));
}

static void sentences(const char *words)
{
    size_t n = strlen(words);
    if (n == 0) {
        wrong("nothing is said", words);
        return;
    }
    if (words[n - 1] != '.')
        wrong("no full stop at the end", words);
    static const char *const never[] = {"  ",  "..", " .",     " ,",       ".\n\n",   "nan",
                                        "inf", "-0", "(null)", "Next: \n", "Next: .", "\n "};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(words, never[i]))
            wrong(never[i], words);
    for (const char *at = strchr(words, '\n'); at; at = strchr(at + 1, '\n'))
        if (at == words || at[-1] != '.')
            wrong("a paragraph without a full stop", words);
    const char *next = strstr(words, "Next:");
    if (next && (times(words, "Next:") != 1 || next == words || next[-1] != '\n' ||
                 strchr(next, '\n') || strlen(next) < 20))
        wrong("what is next is not one last paragraph", words);
    walked++;
}

static void one_verdict(const char *words, enum gate_verdict v)
{
    int p = verdicts(words, "PASS"), f = verdicts(words, "FAIL"), u = verdicts(words, "UNDECIDED");
    if (p != (v == GATE_PASS) || f != (v == GATE_FAIL) || u != (v == GATE_UNDECIDED))
        wrong("not the verdict", words);
    if ((times(words, "undecided verdict") > 0) != (v == GATE_UNDECIDED))
        wrong("an undecided verdict that is none, or the other way round", words);
}

/* Each number in the words is one of `known`, rounded as it is written, or one step short of it. */
struct known {
    double of[64];
    size_t n;
};

static void know(struct known *k, double x)
{
    if (isfinite(x) && k->n < 64)
        k->of[k->n++] = fabs(x);
}

static bool is_known(const struct known *k, double x, int decimals)
{
    for (size_t i = 0; i < k->n; i++)
        if (fabs(k->of[i] - x) <=
            1.0000001 * pow(10, -decimals) * (decimals || x >= 100 ? 1 : .999))
            return true;
    return false;
}

static void numbers(const char *words, const struct known *k)
{
    for (const char *at = words; *at;) {
        if (!isdigit((unsigned char)*at) || (at > words && isalpha((unsigned char)at[-1]))) {
            at++;
            continue;
        }
        char digits[32] = "";
        size_t n = 0;
        int decimals = -1;
        for (; n < 30 && (isdigit((unsigned char)*at) ||
                          ((*at == '.' || *at == ',') && isdigit((unsigned char)at[1])));
             at++) {
            if (*at == ',')
                continue;
            decimals += *at == '.' || decimals >= 0;
            digits[n++] = *at;
        }
        double x = atof(digits);
        if (!is_known(k, x, decimals < 0 ? 0 : decimals)) {
            wrong(digits, words);
            return;
        }
    }
}

static void row_is_true(const struct sample_case *c, const struct sample_config *config)
{
    own_text struct text t = {0};
    struct rate_judged j;
    explain_case(c, config, &t);
    case_judge_rate(c, config, &j);
    const char *w = text_str(&t);
    int64_t n = case_total(c);

    sentences(w);
    one_verdict(w, j.verdict);
    if ((strstr(w, "All ") == w || strstr(w, "The one run passed") == w) != (c->pass == n))
        wrong("all passed", w);
    if (strstr(w, "None of") && c->pass > 0)
        wrong("none passed", w);
    if ((strstr(w, "does not give the same result") != NULL) != (c->pass > 0 && c->fail > 0))
        wrong("flaky is pass and fail", w);
    if (strstr(w, "No run failed") && c->fail > 0)
        wrong("no run failed", w);
    if ((strstr(w, "exception other") != NULL) != (c->error > 0))
        wrong("errors", w);
    if ((strstr(w, "t stopped after") != NULL) != case_cut(c))
        wrong("stopped", w);
    if (strstr(w, "lies between") && !config->intervals && c->rule.bar != BAR_RATE)
        wrong("an interval that nobody asked for", w);
    if (!strstr(w, "lies between") && config->intervals && n > 1)
        wrong("no interval", w);
    if (strstr(w, "excluded") || (strstr(w, "left out of what") && j.excluded == 0))
        wrong("left out", w);
    bool to_do = c->rule.bar == BAR_NONE ? c->pass < n : j.verdict != GATE_PASS || c->error > 0;
    if ((strstr(w, "Next:") != NULL) != to_do)
        wrong("something is to be done, and not said, or the other way round", w);

    struct shown_interval shown = case_interval(c, config);
    struct known k = {0};
    const double facts[] = {(double)c->pass,
                            (double)c->fail,
                            (double)c->error,
                            (double)n,
                            (double)(n + c->cut),
                            (double)j.passes,
                            (double)j.total,
                            (double)j.excluded,
                            c->rule.min_rate * 100,
                            shown.level * 100,
                            shown.ends.low * 100,
                            shown.ends.high * 100,
                            j.shown.level * 100,
                            j.shown.ends.low * 100,
                            j.shown.ends.high * 100,
                            (double)c->rule.min_passes,
                            c->rule.bar == BAR_NONE ? NAN
                                                    : (double)stop_least_runs(&c->rule, config)};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        know(&k, facts[i]);
    numbers(w, &k);
}

static const struct ran rans[] = {
    {1, 0, 0},  {0, 1, 0},   {0, 0, 1},   {2, 0, 0},   {0, 2, 0},  {0, 0, 2},    {1, 1, 0},
    {1, 0, 1},  {0, 1, 1},   {1, 1, 1},   {10, 0, 0},  {0, 10, 0}, {0, 0, 10},   {7, 3, 0},
    {7, 0, 3},  {0, 8, 2},   {5, 4, 1},   {40, 0, 0},  {37, 3, 0}, {40, 0, 1},   {3, 37, 0},
    {30, 5, 5}, {500, 1, 0}, {999, 1, 1}, {80, 20, 0}, {1, 60, 2}, {2000, 0, 0},
};
enum { RANS = sizeof rans / sizeof *rans };

static void walk_rules(struct suite *s, struct sample_case *c)
{
    static const double bars[] = {.5, .8, .9, .965, .99};
    c->rule.bar = BAR_NONE;
    if (!case_cut(c))
        row_is_true(c, &s->config);
    for (size_t i = 0; i < 5; i++)
        for (int m = METHOD_EXACT; m <= METHOD_BAYES; m++) {
            c->rule.bar = BAR_RATE;
            c->rule.min_rate = bars[i];
            c->rule.method = (enum method)m;
            snprintf(where + strcspn(where, "|"), 64, "| above %g by %s", bars[i],
                     method_name(c->rule.method));
            row_is_true(c, &s->config);
        }
    c->rule.min_rate = NAN;
    c->rule.method = METHOD_EXACT;
    for (int64_t k = 1; k <= 40; k += 13) {
        c->rule.bar = BAR_COUNT;
        c->rule.min_passes = k;
        snprintf(where + strcspn(where, "|"), 64, "| count %d", (int)k);
        row_is_true(c, &s->config);
    }
    c->rule.min_passes = 0;
}

/* One bit each: errors left out, UNDECIDED passes, intervals hidden, bayes at 90 %. */
static void walk_rows(enum stopping stop, unsigned bits)
{
    for (int i = 0; i < RANS; i++)
        for (int64_t cut = 0; cut <= (stop == STOP_OFF ? 0 : 28); cut += 28) {
            SAMPLES(s);
            s.config.stop = stop;
            s.config.errors_excluded = bits & 1;
            s.config.undecided_passes = bits & 2;
            s.config.intervals = !(bits & 4);
            if (bits & 8) {
                s.config.method = METHOD_BAYES;
                s.config.confidence = .9;
            }
            struct sample_case *c = samples_case(&s, "f", "n=x", rans[i]);
            c->cut = cut;
            c->rule.runs = case_total(c) + cut;
            snprintf(where, sizeof where, "%d passed, %d failed, %d errored, %d cut, %s, %u|",
                     (int)c->pass, (int)c->fail, (int)c->error, (int)cut, stopping_name(stop),
                     bits);
            walk_rules(&s, c);
        }
}

TEST(every_row)
{
    for (unsigned bits = 0; bits < 16; bits++) {
        walk_rows(STOP_OFF, bits);
        walk_rows(STOP_CURTAIL, bits);
        walk_rows(STOP_SEQUENTIAL, bits);
    }
    CHECK_LE(30000, walked);
}

static void latency_is_true(const struct sample_case *c, const struct sample_config *config)
{
    own_text struct text t = {0};
    struct latency_judged j;
    explain_latency(c, config, &t);
    case_judge_latency(c, config, &j);
    const char *w = text_str(&t);

    sentences(w);
    one_verdict(w, j.verdict);
    if ((strstr(w, "between") != NULL) != (!isnan(j.low) && !isnan(j.high)))
        wrong("an interval has two ends", w);
    if (strstr(w, "or more, with") && isnan(j.low))
        wrong("no lower end", w);
    if ((strstr(w, "Next: make it faster") != NULL) != (j.verdict == GATE_FAIL))
        wrong("too slow is FAIL", w);
    if (j.verdict == GATE_PASS && strstr(w, "Next:"))
        wrong("nothing is to be done", w);
    if (j.verdict == GATE_UNDECIDED && !strstr(w, "Next:"))
        wrong("what to do is not said", w);
    struct known k = {0};
    const double facts[] = {(double)j.total,          (double)j.excluded,
                            (double)j.min_runs,       c->rule.latency_quantile * 100,
                            c->rule.confidence * 100, c->rule.max_latency};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        know(&k, facts[i]);
    const double seconds[] = {j.estimate, j.low, j.high, c->rule.max_latency};
    for (size_t i = 0; i < 4; i++)
        for (double unit = 1; unit <= 1e9; unit *= 1000)
            know(&k, seconds[i] * unit);
    numbers(w, &k);
}

TEST(every_latency)
{
    static const int runs[] = {1, 2, 20, 71, 72, 100, 400};
    static const double limits[] = {NAN, 1e-7, .0004, .01, .5, .95, 2, 1e6},
                        quantiles[] = {.5, .95, .99}, scales[] = {1e-9, 1e-4, .01, 3};
    for (size_t r = 0; r < 7; r++)
        for (size_t l = 0; l < 8; l++)
            for (size_t q = 0; q < 3; q++)
                for (unsigned bits = 0; bits < 16; bits++) {
                    SAMPLES(s);
                    s.config.errors_excluded = bits & 1;
                    s.config.undecided_passes = bits & 2;
                    struct sample_case *c =
                        samples_case(&s, "f", "n=x", (struct ran){runs[r], 0, 0});
                    c->elapsed = mem_or_die((size_t)runs[r] * sizeof *c->elapsed);
                    c->elapsed_error = mem_or_die((size_t)runs[r] * sizeof *c->elapsed_error);
                    c->timed = (size_t)runs[r];
                    for (int i = 0; i < runs[r]; i++) {
                        c->elapsed[i] = scales[bits >> 2] * (i + 1);
                        c->elapsed_error[i] = i == 0 || runs[r] == 2;
                    }
                    c->rule.max_latency = limits[l];
                    c->rule.latency_quantile = quantiles[q];
                    snprintf(where, sizeof where, "%d runs, limit %g, q %g, %u", runs[r], limits[l],
                             quantiles[q], bits);
                    latency_is_true(c, &s.config);
                }
    CHECK_LE(2000, walked);
}

static bool close_to(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void comparison_is_true(const struct comparison *c, const struct comparisons *all,
                               const struct sample_config *config)
{
    own_text struct text t = {0};
    explain_comparison(c, all, config, &t);
    const char *w = text_str(&t);
    bool interval = !c->hidden && !isnan(c->interval.low);
    bool alike = interval && c->pairs > 1 && close_to(c->interval.low, c->interval.high);

    sentences(w);
    one_verdict(w, c->verdict);
    if ((strstr(w, "true difference lies between") != NULL) != (interval && !alike))
        wrong("between without an interval, or the other way round", w);
    if (strstr(w, "0 is not in it") && c->interval.low <= 0 && c->interval.high >= 0)
        wrong("0 is in it", w);
    if (strstr(w, "0 is in it") && (c->interval.low > 1e-12 || c->interval.high < -1e-12))
        wrong("0 is not in it", w);
    if (strstr(w, " passes more often on") && c->difference < 0)
        wrong("more often", w);
    if ((strstr(w, "p = ") || strstr(w, "p < ")) != (c->by != COMPARED_NOT))
        wrong("p without a test", w);
    if ((strstr(w, "stopped early") != NULL) != (c->hidden == HIDDEN_STOPPED))
        wrong("stopped", w);
    if ((strstr(w, "left out") != NULL) != (c->unpaired_n > 0))
        wrong("unpaired", w);
    if (c->verdict == GATE_UNDECIDED && !strstr(w, "Next:"))
        wrong("what to do is not said", w);
    if (c->verdict == GATE_PASS && strstr(w, "Next:"))
        wrong("nothing is to be done", w);
    if ((strstr(w, "A run ") != NULL) != !isnan(c->cost_ratio))
        wrong("cost", w);

    struct known k = {0};
    const double facts[] = {0,
                            100,
                            1000,
                            95,
                            90,
                            20,
                            (double)c->pairs,
                            (double)c->unpaired_n,
                            (double)c->unpaired_n - 5,
                            (double)c->stopped,
                            (double)config->min_inputs,
                            c->difference * 100,
                            c->interval.low * 100,
                            c->interval.high * 100,
                            c->margin * 100,
                            c->p,
                            c->p_adjusted,
                            c->p * 100,
                            c->p * 1000,
                            .001,
                            (double)all->family,
                            c->cost_ratio,
                            1};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        know(&k, facts[i]);
    for (size_t i = 0; i < c->pairs; i++) {
        know(&k, (double)c->of[i].arm.pass);
        know(&k, (double)c->of[i].arm.runs);
        know(&k, (double)c->of[i].baseline.pass);
        know(&k, (double)c->of[i].baseline.runs);
        if (c->pairs > 1)
            break;
    }
    numbers(w, &k);
}

static const char *const shapes[] = {"zero", "plus", "minus", "mixed", "leaning", "one of many"};

static int shape(size_t which, size_t i)
{
    const int of[] = {0, 3, -3, i % 2 ? 2 : -2, i % 3 ? 1 : 0, i == 0 ? -5 : 0};
    return of[which];
}

static void compare_shape(struct suite *s, size_t pairs, size_t which, unsigned bits)
{
    char name[32];
    for (size_t i = 0; i < pairs + (bits & 4 ? 7 : 0); i++)
        for (char arm = 'a'; arm <= (bits & 8 ? 'c' : 'b'); arm++) {
            if (i >= pairs && arm != 'a')
                continue;
            int64_t pass = arm == 'a' ? 5 : 5 + shape(which, i);
            snprintf(name, sizeof name, "n=%c,style=%c", (char)('A' + i), arm);
            struct sample_case *c = samples_case(s, "f", name, (struct ran){pass, 10 - pass, 0});
            c->costs = bits & 16;
            c->cost = arm == 'a' ? .01 : .0105 * (double)(1 + pairs);
            c->cut = bits & 32 && i == 0 && arm == 'b' ? 3 : 0;
        }
    if (pairs == 0)
        samples_case(s, "f", "n=Z,style=b", (struct ran){1, 1, 1});
    if (pairs == 0 && !(bits & 4))
        samples_case(s, "f", "n=Y,style=a", (struct ran){1, 1, 1});
}

TEST(every_comparison)
{
    static const size_t pairs[] = {0, 1, 2, 9, 10, 12, 20, 21};
    static const double margins[] = {NAN, 0, .02, .2, .5};
    for (size_t n = 0; n < 8; n++)
        for (size_t which = 0; which < 6; which++)
            for (size_t m = 0; m < 5; m++)
                for (unsigned bits = 0; bits < 64; bits++) {
                    SAMPLES(s);
                    s.config.resamples = 200;
                    s.config.undecided_passes = bits & 1;
                    s.config.adjust = bits & 8 && bits & 1 ? ADJUST_HOLM : ADJUST_NONE;
                    compare_shape(&s, pairs[n], which, bits);
                    samples_compare(&s, "f", "style", margins[m]);
                    suite_function(&s, "f")->compare.equivalence = bits & 2;
                    struct comparisons all;
                    suite_compare(&s, &all);
                    snprintf(where, sizeof where, "%zu pairs, %s, margin %g, %u", pairs[n],
                             shapes[which], margins[m], bits);
                    if (all.n == 0)
                        wrong("nothing compared", "");
                    for (size_t i = 0; i < all.n; i++)
                        comparison_is_true(&all.of[i], &all, &s.config);
                    comparisons_done(&all);
                }
    CHECK_LE(15000, walked);
}

/* The same words about an earlier report, which has no axis. */
TEST(every_baseline)
{
    struct earlier_row rows[24];
    char names[24][16];
    static const double margins[] = {NAN, 0, .02, .5};
    for (size_t n = 0; n < 24; n++) {
        snprintf(names[n], sizeof names[n], "f::%c", (char)('A' + n));
        rows[n] = (struct earlier_row){.name = names[n], .runs = {5, 10}, .cost = .01};
    }
    for (size_t n = 1; n <= 21; n += 4)
        for (size_t which = 0; which < 6; which++)
            for (size_t m = 0; m < 4; m++)
                for (size_t there = 0; there <= 24; there += 3) {
                    SAMPLES(s);
                    s.config.resamples = 200;
                    s.config.margin = margins[m];
                    for (size_t i = 0; i < n; i++) {
                        char name[8];
                        int64_t pass = 5 + shape(which, i);
                        snprintf(name, sizeof name, "n=%c", (char)('A' + i));
                        samples_case(&s, "f", name, (struct ran){pass, 10 - pass, 0});
                    }
                    struct earlier r = {.path = (char[]){"main"}, .of = rows, .n = there};
                    struct against a;
                    suite_against(&s, &r, &a);
                    own_text struct text t = {0};
                    snprintf(where, sizeof where, "baseline: %zu here, %zu there, %s, margin %g", n,
                             there, shapes[which], margins[m]);
                    explain_baseline(&a, &s.config, &t);
                    sentences(text_str(&t));
                    for (size_t i = 0; i < a.comparisons.n; i++)
                        comparison_is_true(&a.comparisons.of[i], &a.comparisons, &s.config);
                    CHECK_EQ(a.paired + a.only_here_n, n);
                    CHECK_EQ(a.paired + a.only_there_n, there);
                    against_done(&a);
                }
    CHECK_LE(1000, walked);
}

static void mean_is_true(const struct mean_of *m, const char *w, bool known)
{
    sentences(w);
    bool interval = m->why == SUPPRESSED_NOT;
    if ((strstr(w, "lies between") != NULL) != (interval && m->inputs > 0))
        wrong("between without an interval, or the other way round", w);
    if ((strstr(w, "no interval") != NULL) == interval && m->inputs > 0)
        wrong("why there is no interval", w);
    if (strstr(w, "stopped early") && m->stopped == 0)
        wrong("stopped", w);
    if (strstr(w, "ρ") && !known)
        wrong("a correlation nobody knows", w);
}

TEST(every_mean_and_metric)
{
    static const char *const metrics[] = {"pass^1", "pass@1", "pass^3", "pass@5"};
    static const double estimates[] = {0, .0004, .5, .9996, 1}, rhos[] = {NAN, 0, .3, 1};
    for (int why = SUPPRESSED_NOT; why <= SUPPRESSED_NOTHING; why++)
        for (size_t e = 0; e < 5; e++)
            for (size_t r = 0; r < 4; r++)
                for (size_t inputs = 0; inputs <= 21; inputs += 1 + inputs)
                    for (size_t m = 0; m < 4; m++) {
                        SAMPLES(s, "metric", metrics[m]);
                        bool nothing = why == SUPPRESSED_NOTHING || inputs == 0;
                        size_t left_out = r, n = nothing ? 0 : inputs;
                        struct mean_of mean = {.inputs = n,
                                               .estimate = estimates[e],
                                               .why = nothing ? SUPPRESSED_NOTHING
                                                              : (enum suppressed)why,
                                               .ends = {estimates[e] * .9, estimates[e] * .9 + .1},
                                               .stopped = why == SUPPRESSED_STOPPED ? 1 + r : 0};
                        struct aggregate a = {.name = "f",
                                              .overall = m & 1,
                                              .mean = mean,
                                              .rho = rhos[r],
                                              .metric = &mean,
                                              .left_out = &left_out};
                        a.more_runs = isnan(a.rho) ? NAN : sqrt((1 + a.rho) / 2) - 1;
                        a.more_inputs = isnan(a.rho) ? NAN : sqrt(.5) - 1;
                        snprintf(where, sizeof where, "mean: why %d, %g, rho %g, %zu inputs, %s",
                                 why, estimates[e], rhos[r], n, metrics[m]);
                        own_text struct text words = {0}, of_metric = {0};
                        explain_mean(&a, &s.config, &words);
                        mean_is_true(&mean, text_str(&words), !isnan(a.rho));
                        explain_metric(&a, 0, &s.config, &of_metric);
                        mean_is_true(&mean, text_str(&of_metric), false);
                        if ((strstr(text_str(&of_metric), "Next:") != NULL) != (left_out > 0))
                            wrong("more runs", text_str(&of_metric));
                    }
    CHECK_LE(2000, walked);
}

/* What is checked would be seen if it were false. */
TEST(the_checks_see_what_they_check)
{
    static const char *const bad[] = {"",
                                      "No stop",
                                      "Two  blanks.",
                                      "A.\nB\nC.",
                                      "Next: x.",
                                      "A.\nNext: \n",
                                      "A.\nNext: do something at once.\nB."};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int before = check_failed;
        FILE *kept = stderr;
        stderr = fopen("/dev/null", "w");
        sentences(bad[i]);
        fclose(stderr);
        stderr = kept;
        bool seen = check_failed > before;
        check_failed = before;
        if (!seen)
            CHECK_SAY("not seen: %s", bad[i]);
    }
}
