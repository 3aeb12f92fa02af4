/* The sections of a sampling session and its JSON report.
 *
 * What the described sessions print is written out here, word for word. What is ours beyond that
 * lies in tests/cli/fractions, which FR_UPDATE_GOLDEN=1 rewrites: read the difference. */
#include "../check.h"
#include "sample_world.h"

#include "base/fdio.h"
#include "base/own.h"
#include "report/fractions.h"
#include "report/fractions_json.h"
#include "report/fractions_impl.h"
#include "stats/quantile.h"

typedef void section(const struct fractions *, const struct style *, struct text *);

static char *printed(const struct suite *s, section *print, bool colour)
{
    own_aggregates struct aggregates means = {0};
    own_text struct text out = {0};
    struct style style = {.colour = colour};
    aggregates_of(s, &means);
    struct fractions f = {.suite = s, .means = &means, .json = s->config.json};
    print(&f, &style, &out);
    text_add(&out, "");
    return text_take(&out);
}

static void prints(const struct suite *s, section *print, const char *want)
{
    own_mem char *got = printed(s, print, false);
    CHECK_STR(got ? got : "", want);
}

static void starts(const struct suite *s, section *print, const char *want)
{
    own_mem char *got = printed(s, print, false);
    if (!text_starts(got, want))
        CHECK_SAY("got:\n%s\nwant it to begin with:\n%s", got, want);
}

static void golden(const char *name, const struct text *got)
{
    own_text struct text path = {0}, want = {0};
    const char *update = getenv("FR_UPDATE_GOLDEN");
    struct err e = {0};
    text_addf(&path, "tests/cli/fractions/%s", name);
    if (update && *update)
        CHECK_EQ(fdio_write_atomic(path.at, text_str(got), got->len, &e), 0);
    else if (fdio_read_file(path.at, 1 << 20, &want, &e) < 0)
        CHECK_SAY("%s", e.what);
    else
        CHECK_STR(text_str(got), text_str(&want));
}

static void spend(struct sample_case *c, const char *pattern, const char *model, int64_t in,
                  int64_t out, int64_t cached, double cost)
{
    struct usage u = {(char *)(uintptr_t)model, in, out, cached, cost};
    for (; *pattern; pattern++) {
        struct sample_run r = {.what = *pattern == 'P' ? RUN_PASS : RUN_FAIL,
                               .elapsed = .01,
                               .cost = model ? NAN : cost,
                               .usage = &u,
                               .usages = model ? 1 : 0};
        case_run(c, &r);
    }
}

/* The first session that is described. */
static void first_session(struct suite *s)
{
    struct rule r = no_rule(s, 10);
    spend(add_case(s, "classify::is_question", r), "PPPPPPPPPP", NULL, 0, 0, 0, .0002);
    spend(add_case(s, "classify::identify_pii", r), "PPFPPPFPFP", NULL, 0, 0, 0, .0002);
    spend(add_case(s, "classify::extract_amount", r), "FFFFFFFFFF", NULL, 0, 0, 0, .0002);
    spend(add_case(s, "triage::refund-terse", r), "PPFPPPFPPP", "m-small", 120, 8, 64, .0001);
    spend(add_case(s, "triage::refund-chain_of_thought", r), "PPPPPPPPPP", "m-large", 480, 90, 0,
          .0004);
}

TEST(the_first_described_session)
{
    own_suite struct suite s = world();
    first_session(&s);
    prints(&s, fractions_rows,
           "  classify::is_question            10/10  [69%, 100%]  $0.0020\n"
           "  classify::identify_pii            7/10  [35%,  93%]  $0.0020  FLAKY\n"
           "  classify::extract_amount          0/10  [ 0%,  31%]  $0.0020  FAIL\n"
           "  triage::refund-terse              8/10  [44%,  97%]  $0.0010  FLAKY\n"
           "  triage::refund-chain_of_thought  10/10  [69%, 100%]  $0.0040\n"
           "\n"
           "  Overall: 35/50 passed (70%)\n"
           "  Cost:    $0.0110\n"
           "  Tokens:  m-small  1,200 in / 80 out / 640 cached  $0.0010\n"
           "           m-large  4,800 in / 900 out              $0.0040\n"
           "\n"
           "  Diagnose: flaky-repro bench_x.py::bench_classify::identify_pii\n"
           "            flaky-repro bench_x.py::bench_triage::refund-terse\n");
    prints(&s, fractions_metrics, "");
    prints(&s, fractions_latency, "");
    prints(&s, fractions_gates, "");
}

TEST(the_described_gates)
{
    own_suite struct suite s = world();
    struct rule r = rate_rule(&s, 40, .9);
    counted(&s, "classify::is_question", r, 40, 0, 0);
    counted(&s, "classify::identify_pii", r, 37, 3, 0);
    counted(&s, "classify::never", r, 3, 37, 0);
    prints(&s, fractions_gates,
           "  classify::identify_pii  37/40  [80%, 98%]  ≥90%  UNDECIDED\n"
           "  classify::never          3/40  [ 2%, 20%]  ≥90%  FAIL\n");
    own_mem char *rows = printed(&s, fractions_rows, false);
    CHECK(strstr(rows, "\n  Overall: 80/120 passed (67%)\n"
                       "  Gates:   1 passed, 1 failed, 1 undecided\n"));
    s.config.undecided_passes = true;
    own_mem char *allowed = printed(&s, fractions_rows, false);
    CHECK(strstr(allowed, "\n  Gates:   1 passed, 1 failed, 1 undecided (allowed)\n"));
}

static struct sample_case *stopped(struct suite *s, const char *name, struct rule r, int64_t pass,
                                   int64_t fail)
{
    struct sample_case *c = counted(s, name, r, pass, fail, 0);
    c->cut = r.runs - pass - fail;
    return c;
}

TEST(the_described_stops)
{
    own_suite struct suite s = world();
    struct rule r = rate_rule(&s, 40, .9);
    s.config.stop = STOP_CURTAIL;
    counted(&s, "classify::is_question", r, 40, 0, 0);
    stopped(&s, "classify::identify_pii", r, 37, 1);
    stopped(&s, "classify::never", r, 3, 9);
    starts(&s, fractions_rows,
           "  classify::is_question   40/40  [91%, 100%]\n"
           "  classify::identify_pii  37/38  [86%,  99%]  FLAKY  decided after 38/40\n"
           "  classify::never          3/12  [ 5%,  57%]  FLAKY  decided after 12/40\n"
           "\n"
           "  Overall: 80/90 passed (89%)\n"
           "  Gates:   1 passed, 1 failed, 1 undecided\n"
           "  Stopped: 2 cases early, saving 30 of 120 runs (25%)\n");
}

TEST(the_described_sequence)
{
    own_suite struct suite s = world();
    struct rule r = rate_rule(&s, 100, .9);
    s.config.stop = STOP_SEQUENTIAL;
    stopped(&s, "classify::solid", r, 53, 0);
    stopped(&s, "classify::weak", r, 45, 15);
    starts(&s, fractions_rows,
           "  classify::solid  53/53  [90%, 100%] seq  decided after 53/100\n"
           "  classify::weak   45/60  [55%,  90%] seq  FLAKY  decided after 60/100\n");
    /* beside its bar an end that rounds to the bar gets the decimals to tell them apart */
    prints(&s, fractions_gates,
           "  classify::weak  45/60  [55%, 89.7%] seq  ≥90%  FAIL  decided after 60/100\n");
}

/* 100 times whose order statistics are the ends that are described. */
static void timed(struct suite *s, const char *name, double low, double middle, double high)
{
    struct rule r = no_rule(s, 100);
    struct quantile_ranks ranks = quantile_ranks(100, .95, .95);
    int64_t rank = quantile_rank(100, .95);
    r.max_latency = 2;
    struct sample_case *c = add_case(s, name, r);
    for (int64_t i = 1; i <= 100; i++)
        runs(c, 'P', 1,
             i < ranks.low     ? low / 2
             : i < rank        ? low
             : i < ranks.high  ? middle
             : i == ranks.high ? high
                               : 2 * high,
             NAN);
}

TEST(the_described_latencies)
{
    own_suite struct suite s = world();
    timed(&s, "api::search", .6, .769, .933);
    timed(&s, "api::summarize", 1.71, 2, 4.84);
    timed(&s, "api::translate", 2.6, 3, 3.25);
    s.config.latency = true;
    prints(&s, fractions_latency,
           "  api::search     100 runs  p95  769ms  [600ms, 933ms]  ≤2s  PASS\n"
           "  api::summarize  100 runs  p95  2.00s  [1.71s, 4.84s]  ≤2s  UNDECIDED\n"
           "  api::translate  100 runs  p95  3.00s  [2.60s, 3.25s]  ≤2s  FAIL\n");
    prints(&s, fractions_gates,
           "  api::summarize  100 runs  p95  2.00s  [1.71s, 4.84s]  ≤2s  UNDECIDED\n"
           "  api::translate  100 runs  p95  3.00s  [2.60s, 3.25s]  ≤2s  FAIL\n");
}

TEST(a_latency_of_few_runs_is_open)
{
    own_suite struct suite s = world();
    s.config.latency = true;
    counted(&s, "one", no_rule(&s, 1), 1, 0, 0);
    counted(&s, "nineteen", no_rule(&s, 19), 19, 0, 0);
    prints(&s, fractions_latency, "  one        1 run   p95  10.0ms  [     —, —]\n"
                                  "  nineteen  19 runs  p95  10.0ms  [10.0ms, —]\n");
}

TEST(every_mixture_of_classes_has_its_words)
{
    own_suite struct suite s = world();
    struct rule r = no_rule(&s, 10);
    counted(&s, "a", r, 10, 0, 0);
    counted(&s, "b", r, 0, 10, 0);
    counted(&s, "c", r, 0, 0, 10);
    counted(&s, "d", r, 5, 5, 0);
    counted(&s, "e", r, 7, 0, 3);
    counted(&s, "f", r, 0, 8, 2);
    counted(&s, "g", r, 5, 4, 1);
    s.config.intervals = false;
    starts(&s, fractions_rows, "  a  10/10\n"
                               "  b   0/10  FAIL\n"
                               "  c   0/10  ERROR\n"
                               "  d   5/10  FLAKY\n"
                               "  e   7/10  3 ERRORED\n"
                               "  f   0/10  FAIL (2 errored)\n"
                               "  g   5/10  FLAKY (1 errored)\n"
                               "\n"
                               "  Overall: 27/70 passed (39%), 16 errored\n");
}

TEST(errors_that_a_gate_leaves_out_are_told)
{
    own_suite struct suite s = world();
    struct rule r = rate_rule(&s, 40, .9);
    s.config.errors_excluded = true;
    counted(&s, "all", r, 0, 0, 40);
    counted(&s, "some", r, 38, 0, 2);
    counted(&s, "mixed", r, 30, 8, 2);
    counted(&s, "free", no_rule(&s, 40), 38, 0, 2);
    starts(&s, fractions_rows, "  all     0/40  [ 0%,  9%]  ERROR (40 errored, excluded)\n"
                               "  some   38/40  [83%, 99%]  (2 errored, excluded)\n"
                               "  mixed  30/40  [59%, 87%]  FLAKY (2 errored, excluded)\n"
                               "  free   38/40  [83%, 99%]  2 ERRORED\n");
    prints(&s, fractions_gates,
           "  all      0/0                ≥90%  UNDECIDED  (40 errored, excluded)\n"
           "  mixed  30/38  [63%, 90.4%]  ≥90%  UNDECIDED  (2 errored, excluded)\n");
}

TEST(a_single_run_has_no_interval_to_look_at)
{
    own_suite struct suite s = world();
    counted(&s, "a", rate_rule(&s, 1, .9), 1, 0, 0);
    starts(&s, fractions_rows, "  a  1/1\n\n  Overall: 1/1 passed (100%)\n  Gates:   1 undecided\n");
    prints(&s, fractions_gates, "  a  1/1  [3%, 100%]  ≥90%  UNDECIDED\n");
}

TEST(a_hundred_percent_is_exactly_that)
{
    own_text struct text t = {0};
    static const struct {
        double rate;
        const char *want;
    } rates[] = {{0, "0%"}, {1, "100%"}, {267.0 / 268, "99.6%"}, {.5, "50%"}, {1e-4, "0.01%"},
                 {.99999, "99.999%"}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        text_clear(&t);
        rate_words(rates[i].rate, &t);
        CHECK_STR(text_str(&t), rates[i].want);
    }
    static const struct {
        double bound;
        int decimals;
        double bar;
        const char *want;
    } bounds[] = {{.9993, 0, NAN, "99%"},  {1, 0, NAN, "100%"},    {.0025, 0, NAN, "1%"},
                  {0, 0, NAN, "0%"},       {.9999, 1, NAN, "99.9%"}, {1, 1, NAN, "100.0%"},
                  {.8998, 0, .9, "89.98%"}, {.9, 0, .9, "90%"},    {.9012, 0, .9, "90.1%"},
                  {.9751, 0, .975, "98%"}, {.904, 0, NAN, "90%"}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        text_clear(&t);
        bound_words(bounds[i].bound, bounds[i].decimals, bounds[i].bar, &t);
        CHECK_STR(text_str(&t), bounds[i].want);
    }
}

TEST(numbers_have_the_digits_that_can_be_read)
{
    static const struct {
        double seconds;
        const char *want;
    } times[] = {{.769, "769ms"}, {2, "2.00s"}, {12.34, "12.3s"}, {123.4, "123s"},
                 {5e-6, "5.00µs"}, {.0009996, "1.00ms"}, {.9996, "1.00s"}, {3e-8, "30.0ns"},
                 {0, "0.00ns"}, {.09996, "100ms"}};
    own_text struct text t = {0};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        text_clear(&t);
        seconds_words(times[i].seconds, &t);
        CHECK_STR(text_str(&t), times[i].want);
    }
    text_clear(&t);
    count_words(1234567, &t);
    text_addc(&t, ' ');
    count_words(999, &t);
    text_addc(&t, ' ');
    count_words(-1000, &t);
    CHECK_STR(text_str(&t), "1,234,567 999 -1,000");
}

/* Functions large and small, costs, metrics, stops: what is ours in the layout as well. */
static void large_session(struct suite *s)
{
    s->config.metrics = 2;
    s->config.metric[0] = (struct metric){true, 3};
    s->config.metric[1] = (struct metric){false, 15};
    for (int i = 0; i < 24; i++) {
        char name[32];
        snprintf(name, sizeof name, "classify::c%02d", i);
        struct sample_case *c = add_case(s, name, no_rule(s, 10));
        runs(c, 'P', 10 - i % 4, .02, .001);
        runs(c, 'F', i % 4, .02, .001);
    }
    for (int i = 0; i < 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "triage::t%02d", i);
        struct sample_case *c = counted(s, name, rate_rule(s, 20, .5), 15 + i % 5, 5 - i % 5, 0);
        c->cut = i == 3 ? 2 : 0;
    }
    for (int i = 0; i < 11; i++) {
        char name[32];
        snprintf(name, sizeof name, "rank::r%02d", i);
        counted(s, name, no_rule(s, 5), i % 3, 3, i == 7);
    }
    for (int i = 0; i < 10; i++) {
        char name[32];
        snprintf(name, sizeof name, "sure::s%02d", i);
        counted(s, name, no_rule(s, 1), 1, 0, 0);
    }
    counted(s, "few::x", no_rule(s, 20), 19, 1, 0);
}

TEST(means_and_metrics_are_golden)
{
    own_suite struct suite s = world();
    own_text struct text out = {0};
    static section *const all[] = {fractions_rows, fractions_metrics, fractions_latency,
                                   fractions_gates};
    large_session(&s);
    s.config.json = "report.json";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        own_mem char *text = printed(&s, all[i], false);
        text_addf(&out, "---- %zu\n%s", i, text ? text : "");
    }
    golden("large.txt", &out);
}

TEST(few_inputs_get_a_label_and_one_function_no_overall_line)
{
    own_suite struct suite s = world();
    for (int i = 0; i < 19; i++) {
        char name[32];
        snprintf(name, sizeof name, "f::c%02d", i);
        counted(&s, name, no_rule(&s, 4), i % 5, 4 - i % 5, 0);
    }
    own_mem char *nineteen = printed(&s, fractions_rows, false);
    CHECK(strstr(nineteen, "\n  f  N=19 inputs × k=4  ") && !strstr(nineteen, "  Overall  "));
    CHECK(strstr(nineteen, "  covers about 90%\n"));
    s.config.confidence = .8;
    own_mem char *other = printed(&s, fractions_rows, false);
    CHECK(strstr(other, "  covers less than 80%\n"));
    counted(&s, "f::c99", no_rule(&s, 4), 1, 3, 0);
    own_mem char *twenty = printed(&s, fractions_rows, false);
    CHECK(strstr(twenty, "N=20 inputs") && !strstr(twenty, "covers"));
}

TEST(colours_follow_the_status_and_say_nothing_more)
{
    own_suite struct suite s = world();
    counted(&s, "a", rate_rule(&s, 40, .9), 40, 0, 0);
    counted(&s, "b", rate_rule(&s, 40, .9), 0, 40, 0);
    counted(&s, "c", no_rule(&s, 40), 20, 20, 0);
    own_mem char *got = printed(&s, fractions_rows, true);
    CHECK(text_starts(got, "\033[32m  a  40/40  [91%, 100%]\033[0m\n"
                           "\033[1;31m  b   0/40  [ 0%,   9%]  FAIL\033[0m\n"
                           "\033[33m  c  20/40  [34%,  66%]  FLAKY\033[0m\n\n"
                           "\033[1m  Overall: 60/120 passed (50%)\033[0m\n"
                           "\033[1;31m  Gates:   1 passed, 1 failed\033[0m\n"));
}

TEST(nothing_of_a_test_reaches_the_terminal_raw)
{
    own_suite struct suite s = world();
    counted(&s, "a::\033[31mred\nline", no_rule(&s, 1), 1, 0, 0);
    starts(&s, fractions_rows, "  a::?[31mred line  1/1\n");
}

TEST(at_most_three_diagnoses_and_none_of_what_passed_its_gate)
{
    own_suite struct suite s = world();
    counted(&s, "held", rate_rule(&s, 40, .5), 35, 5, 0);
    own_mem char *none = printed(&s, fractions_rows, false);
    CHECK(!strstr(none, "Diagnose"));
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "f::c %d", i);
        counted(&s, name, no_rule(&s, 10), 5, 5, 0);
    }
    own_mem char *some = printed(&s, fractions_rows, false);
    CHECK(strstr(some, "\n\n  Diagnose: flaky-repro \"bench_x.py::bench_f::c 0\"\n"
                       "            flaky-repro \"bench_x.py::bench_f::c 1\"\n"
                       "            flaky-repro \"bench_x.py::bench_f::c 2\"\n"
                       "            and so on for 2 more\n"));
}

static void typed(const char *rootdir, const char *cwd, const char *want)
{
    struct suite s = {.cwd = cwd, .rootdir = rootdir};
    own_text struct text got = {0};
    typed_words("sub/bench_x.py::bench_f::a", &s, &got);
    CHECK_STR(text_str(&got), want);
}

TEST(a_command_is_typed_where_pytest_stands)
{
    typed(NULL, NULL, "sub/bench_x.py::bench_f::a");
    typed("/r", "/r", "sub/bench_x.py::bench_f::a");
    typed("/r/", "/r", "sub/bench_x.py::bench_f::a");
    typed("/r", "/r/sub", "bench_x.py::bench_f::a");
    typed("/r", "/r/su", "../sub/bench_x.py::bench_f::a");
    typed("/r", "/r/other/deep", "../../sub/bench_x.py::bench_f::a");
    typed("/r/in/side", "/r", "in/side/sub/bench_x.py::bench_f::a");
    typed("/r", "/elsewhere", "/r/sub/bench_x.py::bench_f::a");
    typed("/", "/tmp", "../sub/bench_x.py::bench_f::a");
}

static void verdict(const struct suite *s, const char *name, const char *want)
{
    own_text struct text got = {0};
    fractions_verdict(suite_find(s, name), &s->config, &got);
    CHECK_STR(text_str(&got), want);
}

TEST(a_gate_item_says_one_line_for_each_gate_the_worse_first)
{
    own_suite struct suite s = world();
    struct rule both = rate_rule(&s, 40, .9);
    both.max_latency = .001;
    counted(&s, "pii", rate_rule(&s, 40, .9), 37, 3, 0);
    counted(&s, "count", count_rule(&s, 20, 19), 14, 6, 0);
    counted(&s, "both", both, 40, 0, 0);
    counted(&s, "free", no_rule(&s, 40), 40, 0, 0);
    verdict(&s, "pii", "pii  37/40  [80%, 98%]  ≥90%  UNDECIDED");
    verdict(&s, "count", "count  14/20  [46%, 88%]  ≥19 passes  FAIL");
    verdict(&s, "both", "both  40 runs  p95  10.0ms  [10.0ms, —]  ≤0.001s  FAIL\n"
                        "both  40/40  [91%, 100%]  ≥90%  PASS");
    verdict(&s, "free", "");
}

static int two_records(void *ctx, int (*put)(void *, const char *, struct err *), void *to,
                       struct err *e)
{
    (void)ctx;
    if (put(to, "{\"case\": \"classify::c00\", \"run\": 1, \"outcome\": \"pass\", \"message\": null, "
                "\"error\": null, \"elapsed\": 0.02, \"cost\": 0.001, \"usage\": [], \"steps\": []}",
            e) < 0)
        return -1;
    return put(to,
               "{\"case\": \"rank::r07\", \"run\": 4, \"outcome\": \"error\", \"message\": \"\\\"x\\\"\", "
               "\"error\": \"ValueError\", \"elapsed\": 0.01, \"cost\": null, \"usage\": [], "
               "\"steps\": []}",
               e);
}

static void report_of(const struct suite *s, struct text *out)
{
    own_aggregates struct aggregates means = {0};
    char folder[] = "/tmp/fr-fractions-XXXXXX";
    own_text struct text path = {0};
    struct err e = {0};
    struct fractions_facts facts = {"2026-07-07T21:43:18", 1, true};
    struct records records = {two_records, NULL};
    aggregates_of(s, &means);
    struct fractions f = {.suite = s, .means = &means};
    if (!mkdtemp(folder))
        CHECK_SAY("no folder");
    text_addf(&path, "%s/new/er/report.json", folder);
    CHECK_EQ(fractions_json_write(&f, &facts, &records, text_str(&path), &e), 0);
    CHECK_EQ(fdio_read_file(text_str(&path), 1 << 20, out, &e), 0);
    fdio_remove_tree(folder);
}

TEST(json_reports_are_golden)
{
    own_suite struct suite first = world(), large = world();
    own_text struct text a = {0}, b = {0};
    first_session(&first);
    first.config.runs = 10;
    report_of(&first, &a);
    golden("first.json", &a);
    large_session(&large);
    large.config.stop = STOP_CURTAIL;
    large.of[0].rule.max_latency = 1;
    large.of[1].rule = count_rule(&large, 10, 9);
    report_of(&large, &b);
    golden("large.json", &b);
}

static int failing(void *ctx, int (*put)(void *, const char *, struct err *), void *to,
                   struct err *e)
{
    (void)ctx;
    (void)put;
    (void)to;
    return err_set(e, ERR_SYSTEM, "the journal is gone");
}

TEST(a_report_that_cannot_be_whole_is_none)
{
    own_suite struct suite s = world();
    own_aggregates struct aggregates means = {0};
    char folder[] = "/tmp/fr-fractions-XXXXXX";
    own_text struct text path = {0}, ls = {0};
    struct err e = {0};
    struct fractions_facts facts = {"", 0, false};
    struct records records = {failing, NULL};
    first_session(&s);
    aggregates_of(&s, &means);
    struct fractions f = {.suite = &s, .means = &means};
    if (!mkdtemp(folder))
        CHECK_SAY("no folder");
    text_addf(&path, "%s/r.json", folder);
    CHECK_EQ(fdio_write_atomic(text_str(&path), "old", 3, &e), 0);
    CHECK_EQ(fractions_json_write(&f, &facts, &records, text_str(&path), &e), -1);
    CHECK_STR(e.what, "the journal is gone");
    CHECK_EQ(fdio_read_file(text_str(&path), 100, &ls, &e), 0);
    CHECK_STR(text_str(&ls), "old");
    CHECK_EQ(rmdir(folder), -1); /* the old report is there, */
    CHECK_EQ(unlink(text_str(&path)), 0);
    CHECK_EQ(rmdir(folder), 0); /* and nothing else */
}

TEST(what_is_written_as_json_is_json)
{
    own_text struct text t = {0};
    struct json_out j = {.to = &t};
    json_open(&j, NULL, '{');
    json_text(&j, "a\"b", "x\\\n\t\x01\xff\xc3\xa9");
    json_double(&j, "whole", 70);
    json_double(&j, "third", 1.0 / 3);
    json_double(&j, "none", NAN);
    json_double(&j, "huge", 1e300);
    json_open(&j, "list", '[');
    json_count(&j, NULL, -5);
    json_null(&j, NULL);
    json_flag(&j, NULL, true);
    json_close(&j, ']');
    json_raw(&j, "raw", "{}");
    json_close(&j, '}');
    CHECK_STR(text_str(&t), "{\"a\\\"b\": \"x\\\\\\n\\u0009\\u0001\xEF\xBF\xBD\xc3\xa9\", "
                            "\"whole\": 70.0, \"third\": 0.3333333333333333, \"none\": null, "
                            "\"huge\": 1e+300, \"list\": [-5, null, true], \"raw\": {}}");
}
