/* --prob-explain: each sentence once, against tests/data/explained.txt, byte for byte.
 * FR_UPDATE_GOLDEN=1 rewrites the file. */
#include "check.h"

#include <math.h>

#include "base/fdio.h"
#include "report/explain.h"
#include "samples.h"

static void scene(struct text *out, const char *name, const struct text *words)
{
    explain_entry(name, text_str(words), 78, out);
}

static struct sample_case *one(struct suite *s, struct ran ran)
{
    struct sample_case *c = samples_case(s, "classify", "text=x", ran);
    c->rule.runs = ran.pass + ran.fail + ran.error;
    return c;
}

static void row(struct text *out, const char *name, const struct suite *s)
{
    own_text struct text words = {0};
    explain_case(&s->of[0], &s->config, &words);
    scene(out, name, &words);
}

static void rows_without_a_gate(struct text *out)
{
    static const struct {
        const char *name;
        struct ran ran;
    } rows[] = {
        {"all passed", {10, 0, 0}},        {"all failed", {0, 10, 0}},
        {"all errored", {0, 0, 10}},       {"passed and failed", {7, 3, 0}},
        {"passed and errored", {7, 0, 3}}, {"failed and errored", {0, 8, 2}},
        {"all three", {5, 4, 1}},          {"one run passed", {1, 0, 0}},
        {"one run failed", {0, 1, 0}},     {"one run errored", {0, 0, 1}},
        {"many runs", {1995, 5, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SAMPLES(s);
        one(&s, rows[i].ran);
        row(out, rows[i].name, &s);
    }
    SAMPLES(hidden, "intervals", "false");
    one(&hidden, (struct ran){7, 3, 0});
    row(out, "no intervals asked for", &hidden);
    SAMPLES(bayes, "method", "bayes", "confidence", "0.9");
    one(&bayes, (struct ran){7, 3, 0});
    row(out, "bayes at 90%", &bayes);
}

static void gated(struct text *out, const char *name, struct suite *s, struct ran ran, int64_t cut)
{
    struct sample_case *c = one(s, ran);
    c->rule.bar = BAR_RATE;
    c->rule.min_rate = .9;
    c->rule.runs += cut;
    c->cut = cut;
    row(out, name, s);
}

static void rows_with_a_gate(struct text *out)
{
    SAMPLES(pass);
    gated(out, "gate, PASS", &pass, (struct ran){40, 0, 0}, 0);
    SAMPLES(fail);
    gated(out, "gate, FAIL", &fail, (struct ran){3, 37, 0}, 0);
    SAMPLES(undecided);
    gated(out, "gate, UNDECIDED", &undecided, (struct ran){37, 3, 0}, 0);
    SAMPLES(passes, "undecided", "pass");
    gated(out, "gate, UNDECIDED may pass", &passes, (struct ran){37, 3, 0}, 0);
    SAMPLES(short_of);
    gated(out, "gate, too few runs", &short_of, (struct ran){10, 0, 0}, 0);
    SAMPLES(errors);
    gated(out, "gate, errors counted", &errors, (struct ran){36, 0, 4}, 0);
    SAMPLES(out_of, "errors", "exclude");
    gated(out, "gate, errors left out, PASS", &out_of, (struct ran){40, 0, 1}, 0);
    SAMPLES(nothing, "errors", "exclude");
    gated(out, "gate, all errored and left out", &nothing, (struct ran){0, 0, 10}, 0);
    SAMPLES(curtail, "stop", "curtail");
    gated(out, "stopped, FAIL", &curtail, (struct ran){3, 9, 0}, 28);
    SAMPLES(idle, "stop", "curtail");
    gated(out, "stopped, UNDECIDED", &idle, (struct ran){37, 1, 0}, 2);
    SAMPLES(seq, "stop", "sequential");
    gated(out, "sequential, PASS", &seq, (struct ran){53, 0, 0}, 47);
    SAMPLES(weak, "stop", "sequential");
    gated(out, "sequential, FAIL", &weak, (struct ran){45, 15, 0}, 40);
    SAMPLES(end, "stop", "sequential");
    gated(out, "sequential, UNDECIDED", &end, (struct ran){94, 6, 0}, 0);
    SAMPLES(no_way, "stop", "sequential");
    gated(out, "sequential, stopped UNDECIDED", &no_way, (struct ran){30, 6, 0}, 4);
}

static void counted(struct text *out, const char *name, struct ran ran, int64_t min, bool exclude)
{
    SAMPLES(s);
    s.config.errors_excluded = exclude;
    struct sample_case *c = one(&s, ran);
    c->rule.bar = BAR_COUNT;
    c->rule.min_passes = min;
    row(out, name, &s);
}

static void rows_with_a_count(struct text *out)
{
    counted(out, "count, PASS", (struct ran){19, 1, 0}, 19, false);
    counted(out, "count, FAIL", (struct ran){18, 2, 0}, 19, false);
    counted(out, "count, one pass", (struct ran){0, 2, 0}, 1, false);
    counted(out, "count, more passes than runs", (struct ran){10, 0, 0}, 19, false);
    counted(out, "count, errors", (struct ran){10, 0, 4}, 12, false);
    counted(out, "count, errors left out", (struct ran){10, 0, 4}, 12, true);
    counted(out, "count, all errored", (struct ran){0, 0, 4}, 12, true);
}

static void times(struct text *out, const char *name, int runs, double limit)
{
    SAMPLES(s);
    struct sample_case *c = one(&s, (struct ran){runs, 0, 0});
    c->elapsed = mem_or_die((size_t)runs * sizeof *c->elapsed);
    c->elapsed_error = mem_or_die((size_t)runs * sizeof *c->elapsed_error);
    for (int i = 0; i < runs; i++)
        c->elapsed[i] = .01 * (i + 1);
    c->timed = (size_t)runs;
    c->rule.max_latency = limit;
    own_text struct text words = {0};
    explain_latency(c, &s.config, &words);
    scene(out, name, &words);
}

static void latencies(struct text *out)
{
    times(out, "latency", 100, NAN);
    times(out, "latency, open", 20, NAN);
    times(out, "latency, open on both sides", 1, NAN);
    times(out, "latency, PASS", 100, 2);
    times(out, "latency, FAIL", 100, .5);
    times(out, "latency, UNDECIDED", 100, .95);
    times(out, "latency, UNDECIDED and open", 20, 2);
    times(out, "latency, FAIL and open", 20, .1);

    SAMPLES(s, "errors", "exclude");
    struct sample_case *c = one(&s, (struct ran){0, 0, 1});
    c->elapsed = mem_or_die(sizeof *c->elapsed);
    c->elapsed_error = mem_or_die(sizeof *c->elapsed_error);
    c->elapsed_error[0] = true;
    c->timed = 1;
    c->rule.max_latency = 2;
    own_text struct text words = {0};
    explain_latency(c, &s.config, &words);
    scene(out, "latency, nothing counted", &words);
}

static void mean(struct text *out, const char *name, const struct aggregate *a)
{
    SAMPLES(s);
    own_text struct text words = {0};
    explain_mean(a, &s.config, &words);
    scene(out, name, &words);
}

static void means(struct text *out)
{
    struct aggregate a = {.name = "classify",
                          .mean = {.inputs = 40, .estimate = .81, .ends = {.695, .908}},
                          .rho = .76,
                          .more_runs = -.01,
                          .more_inputs = -.29};
    mean(out, "function, inputs help", &a);
    a.rho = .09;
    a.more_runs = -.24;
    a.mean.inputs = 15;
    mean(out, "function, runs help, few inputs", &a);
    a.rho = NAN;
    a.overall = true;
    mean(out, "overall, one run each", &a);
    a.mean.why = SUPPRESSED_FEW;
    a.mean.inputs = 4;
    mean(out, "function of few inputs", &a);
    a.mean.inputs = 1;
    mean(out, "function of one input", &a);
    a.mean.why = SUPPRESSED_STOPPED;
    a.mean.inputs = 12;
    a.mean.stopped = 1;
    mean(out, "function with a stopped case", &a);
    a.mean.why = SUPPRESSED_ALIKE;
    a.mean.estimate = 1;
    mean(out, "function whose inputs are alike", &a);
    a.mean.inputs = 0;
    mean(out, "nothing has run", &a);
}

static void metric(struct text *out, const char *name, const char *of, struct mean_of m,
                   size_t left_out)
{
    SAMPLES(s, "metric", of);
    struct aggregate a = {.name = "triage", .metric = &m, .left_out = &left_out};
    own_text struct text words = {0};
    explain_metric(&a, 0, &s.config, &words);
    scene(out, name, &words);
}

static void metrics(struct text *out)
{
    metric(out, "pass^3", "pass^3",
           (struct mean_of){.inputs = 32, .estimate = .343, .ends = {.172, .538}}, 0);
    metric(out, "pass@5", "pass@5",
           (struct mean_of){.inputs = 12, .estimate = .994, .ends = {.988, 1}}, 0);
    metric(out, "pass@5, few inputs, some left out", "pass@5",
           (struct mean_of){.inputs = 2, .estimate = .998, .why = SUPPRESSED_FEW}, 1);
    metric(out, "pass^3, stopped", "pass^3",
           (struct mean_of){.inputs = 12, .estimate = .9, .why = SUPPRESSED_STOPPED, .stopped = 3},
           2);
    metric(out, "pass^1", "pass^1",
           (struct mean_of){.inputs = 1, .estimate = .9, .why = SUPPRESSED_FEW}, 0);
    metric(out, "pass^9, no input has the runs", "pass^9",
           (struct mean_of){.estimate = NAN, .why = SUPPRESSED_NOTHING}, 3);
}

/* tenths: what arm b passes more of 10 than a, which passes 8. */
static void compared(struct text *out, const char *name, struct suite *s, const char *tenths,
                     double margin)
{
    char input[32];
    size_t n = strlen(tenths);
    for (size_t i = 0; i < n; i++) {
        int by = tenths[i] - '5';
        snprintf(input, sizeof input, n > 1 ? "n=%zu,style=a" : "text=refund,style=a", i);
        struct sample_case *c = samples_case(s, "f", input, (struct ran){5, 5, 0});
        c->costs = true;
        c->cost = .001;
        input[strlen(input) - 1] = 'b';
        c = samples_case(s, "f", input, (struct ran){5 + by, 5 - by, 0});
        c->costs = true;
        c->cost = .004;
    }
    samples_compare(s, "f", "style", margin);
    struct comparisons all;
    own_text struct text words = {0};
    suite_compare(s, &all);
    explain_comparison(&all.of[0], &all, &s->config, &words);
    scene(out, name, &words);
    comparisons_done(&all);
}

static void equivalent(struct text *out, const char *name, const char *tenths, double margin)
{
    SAMPLES(s);
    samples_case(&s, "f", "n=0,style=a", (struct ran){5, 5, 0});
    suite_function(&s, "f")->compare.equivalence = true;
    compared(out, name, &s, tenths, margin);
}

static void comparisons_told(struct text *out)
{
    SAMPLES(one_pair);
    compared(out, "one pair", &one_pair, "7", NAN);
    SAMPLES(one_clear);
    compared(out, "one pair, clear", &one_clear, "0", NAN);
    SAMPLES(few);
    compared(out, "a few pairs", &few, "3346", NAN);
    SAMPLES(few_margin);
    compared(out, "a few pairs, margin", &few_margin, "3346", .05);
    SAMPLES(many);
    compared(out, "many pairs, open", &many, "534656547455", NAN);
    SAMPLES(better);
    compared(out, "many pairs, better", &better, "777686778677776867677", NAN);
    SAMPLES(worse);
    compared(out, "margin, FAIL", &worse, "125041434534", .05);
    SAMPLES(kept);
    compared(out, "margin, PASS", &kept, "777686778677776867677", .02);
    SAMPLES(open);
    compared(out, "margin, UNDECIDED", &open, "534656547455", .02);
    SAMPLES(let, "undecided", "pass");
    compared(out, "margin, UNDECIDED may pass", &let, "534656547455", .02);
    SAMPLES(zero);
    compared(out, "margin of 0, PASS", &zero, "777686778677776867677", 0);
    SAMPLES(alike);
    compared(out, "all alike, PASS", &alike, "555555555555", .05);
    equivalent(out, "equivalence, PASS", "534656547455565656565", .2);
    equivalent(out, "equivalence, FAIL, better", "777686778677776867677", .1);
    equivalent(out, "equivalence, FAIL, worse", "125041434534125041434", .05);
    equivalent(out, "equivalence, UNDECIDED", "534656547455565656565", .02);
    equivalent(out, "equivalence, no interval", "5346", .02);
    SAMPLES(nine, "confidence", "0.9");
    compared(out, "few inputs at 90%", &nine, "534656547455", NAN);

    SAMPLES(stopped);
    samples_case(&stopped, "f", "n=0,style=a", (struct ran){5, 5, 0})->cut = 3;
    compared(out, "stopped, margin", &stopped, "3346", .05);
    SAMPLES(unpaired);
    samples_case(&unpaired, "f", "n=x,style=a", (struct ran){5, 5, 0});
    compared(out, "some unpaired", &unpaired, "534656547455", NAN);
    SAMPLES(none);
    samples_case(&none, "f", "n=1,style=a", (struct ran){5, 5, 0});
    samples_case(&none, "f", "n=2,style=b", (struct ran){5, 5, 0});
    compared(out, "no pairs", &none, "", .05);
    SAMPLES(holm, "adjust", "holm");
    samples_case(&holm, "f", "n=0,style=a", (struct ran){5, 5, 0});
    samples_case(&holm, "f", "n=0,style=b", (struct ran){5, 5, 0});
    samples_case(&holm, "f", "n=0,style=c", (struct ran){5, 5, 0});
    compared(out, "corrected", &holm, "777686778677776867677", NAN);
    SAMPLES(two);
    samples_case(&two, "f", "n=0,style=a", (struct ran){5, 5, 0});
    samples_case(&two, "f", "n=0,style=b", (struct ran){5, 5, 0});
    samples_case(&two, "f", "n=0,style=c", (struct ran){5, 5, 0});
    compared(out, "two comparisons", &two, "777686778677776867677", NAN);
}

static void against(struct text *out, const char *name, double margin, struct earlier_row *rows,
                    size_t n)
{
    SAMPLES(s);
    s.config.margin = margin;
    samples_case(&s, "one", "", (struct ran){7, 3, 0});
    samples_case(&s, "fresh", "", (struct ran){7, 3, 0});
    struct earlier r = {.path = (char[]){"main.json"}, .of = rows, .n = n};
    struct against a;
    suite_against(&s, &r, &a);
    own_text struct text words = {0};
    explain_baseline(&a, &s.config, &words);
    scene(out, name, &words);
    text_clear(&words);
    if (a.comparisons.n) {
        explain_comparison(&a.comparisons.of[0], &a.comparisons, &s.config, &words);
        scene(out, "… its comparison", &words);
    }
    against_done(&a);
}

static void baselines(struct text *out)
{
    struct earlier_row rows[] = {{(char[]){"gone"}, {10, 10}, 0, false},
                                 {(char[]){"gone::2"}, {10, 10}, 0, false},
                                 {(char[]){"one"}, {10, 10}, 0, false}};
    against(out, "baseline", NAN, rows, 3);
    against(out, "baseline with a margin", .05, rows, 3);
    against(out, "baseline, nothing in both", 0, rows, 2);
}

TEST(every_sentence_is_golden)
{
    own_text struct text got = {0}, want = {0};
    const char *path = FR_TEST_DATA "/explained.txt", *update = getenv("FR_UPDATE_GOLDEN");
    struct err e = {0};
    rows_without_a_gate(&got);
    rows_with_a_gate(&got);
    rows_with_a_count(&got);
    latencies(&got);
    means(&got);
    metrics(&got);
    comparisons_told(&got);
    baselines(&got);
    if (update && *update) {
        CHECK_EQ(fdio_write_atomic(path, text_str(&got), got.len, &e), 0);
        return;
    }
    CHECK_EQ(fdio_read_file(path, 1 << 20, &want, &e), 0);
    CHECK_STR(text_str(&got), text_str(&want));
}
