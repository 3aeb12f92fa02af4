/* A session against an earlier report: what pairs, what is listed, what the margin decides, and
 * what is said of files that are no such report. */
#include "check.h"

#include <unistd.h>

#include "base/fdio.h"
#include "report/comparisons.h"
#include "samples.h"

static char scratch[] = "/tmp/flaky-repro-baseline-XXXXXX";

static const char *written(const char *json)
{
    struct err e = {0};
    int fd = mkstemp(scratch);
    if (fd < 0 || fdio_write_all(fd, json, strlen(json)) < 0)
        CHECK_SAY("cannot write a file");
    close(fd);
    (void)e;
    return scratch;
}

static void written_done(void)
{
    unlink(scratch);
    memcpy(scratch + strlen(scratch) - 6, "XXXXXX", 6);
}

static void read_of(const char *json, struct earlier *ret)
{
    struct err e = {0};
    *ret = (struct earlier){0};
    if (earlier_read(written(json), "main.json", "--prob-baseline", ret, &e) < 0)
        CHECK_SAY("%s", e.what);
    written_done();
}

static void refused(const char *json, const char *want)
{
    struct err e = {0};
    struct earlier r = {0};
    CHECK_EQ(earlier_read(written(json), "old.json", "--prob-baseline", &r, &e), -1);
    CHECK_STR(e.what, want);
    CHECK_STR(e.hint, "it takes a report that --prob-json=PATH wrote");
    CHECK_EQ(e.kind, ERR_USAGE);
    written_done();
}

#define ROW(name, passes, total)                                                                   \
    "{\"case\": \"" name "\", \"passes\": " #passes ", \"total\": " #total ", \"cost\": 0.02, "    \
    "\"stopped\": null}"
static const char *const report =
    "{\"created\": \"2026-11-30T09:40:10\", \"rows\": [" ROW("small::0", 9, 10) "," ROW(
        "small::1", 9,
        10) "," ROW("small::2", 9,
                    10) "," ROW("one", 10, 10) "," ROW("gone", 10,
                                                       10) ","
                                                           "" ROW("small::100", 5,
                                                                  10) "," ROW("empty", 0, 0) "]}";

static void now(struct suite *s)
{
    samples_case(s, "small", "n=0", (struct ran){7, 2, 1});
    samples_case(s, "small", "n=1", (struct ran){7, 2, 1});
    samples_case(s, "small", "n=2", (struct ran){7, 2, 1});
    samples_case(s, "small", "n=101", (struct ran){7, 2, 1});
    samples_case(s, "one", "", (struct ran){7, 2, 1})->costs = true;
    s->of[s->n - 1].cost = .01;
    samples_case(s, "fresh", "", (struct ran){10, 0, 0});
    samples_case(s, "empty", "", (struct ran){10, 0, 0});
    samples_case(s, "skipped", "", (struct ran){0, 0, 0});
}

TEST(cases_pair_by_name_and_the_rest_is_listed)
{
    SAMPLES(s, "baseline", "main.json", "margin", "0.05");
    now(&s);
    own_earlier struct earlier r;
    read_of(report, &r);
    CHECK_EQ(r.n, 6); /* a row without runs is none */
    struct against a;
    suite_against(&s, &r, &a);
    CHECK_EQ(a.paired, 4);
    own_text struct text got = {0};
    const struct style plain = {0};
    baseline_section(&a, &s.config, &plain, &got);
    CHECK_STR(
        text_str(&got),
        "  against main.json (2026-11-30T09:40:10): 4 cases paired, 3 only in this run, 2 only "
        "in the baseline\n"
        "  one    current − baseline    −30 pp [−60, +4]  p=0.21  1 paired              cost "
        "×0.50  ≥−5 pp  UNDECIDED\n"
        "  small  current − baseline  −20.0 pp            p=0.25  3 paired, 2 unpaired         "
        "     ≥−5 pp  UNDECIDED\n"
        "      0  7/10 vs 9/10  −20 pp [−51, +16]  p=0.58\n"
        "      1  7/10 vs 9/10  −20 pp [−51, +16]  p=0.58\n"
        "      2  7/10 vs 9/10  −20 pp [−51, +16]  p=0.58\n"
        "\n"
        "  p not adjusted for 2 comparisons: exploratory (--prob-adjust=holm adjusts them)\n"
        "\n"
        "  only in this run:     empty, fresh, small::101\n"
        "  only in the baseline: gone, small::100\n");
    against_done(&a);
}

TEST(a_report_without_a_date_or_costs_will_do)
{
    SAMPLES(s, "baseline", "main.json");
    samples_case(&s, "one", "", (struct ran){10, 0, 0});
    own_earlier struct earlier r;
    read_of("{\"rows\": [{\"case\": \"one\", \"passes\": 10, \"total\": 10}]}", &r);
    struct against a;
    suite_against(&s, &r, &a);
    own_text struct text got = {0};
    const struct style plain = {0};
    baseline_section(&a, &s.config, &plain, &got);
    CHECK_STR(text_str(&got), "  against main.json: 1 case paired\n"
                              "  one  current − baseline  0 pp [−28, +28]  p=1  1 paired\n");
    against_done(&a);
}

TEST(a_long_list_of_names_is_cut)
{
    SAMPLES(s, "baseline", "main.json");
    for (int i = 0; i < 7; i++) {
        char name[16];
        snprintf(name, sizeof name, "n=%d", i);
        samples_case(&s, "f", name, (struct ran){1, 0, 0});
    }
    own_earlier struct earlier r;
    read_of("{\"rows\": []}", &r);
    struct against a;
    suite_against(&s, &r, &a);
    own_text struct text got = {0};
    const struct style plain = {0};
    baseline_section(&a, &s.config, &plain, &got);
    CHECK_STR(text_str(&got), "  against main.json: 0 cases paired, 7 only in this run\n"
                              "\n"
                              "  only in this run:     f::0, f::1, f::2, f::3, f::4 and 2 more\n");
    against_done(&a);
}

static enum gate_verdict regression(double margin, int drop)
{
    SAMPLES(s);
    own_text struct text json = {0};
    s.config.margin = margin;
    text_add(&json, "{\"rows\": [");
    for (int i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof name, "n=%d", i);
        int worse = i % 3 ? drop : drop + 1;
        samples_case(&s, "f", name, (struct ran){9 - worse, 1 + worse, 0});
        text_addf(&json, "%s{\"case\": \"f::%d\", \"passes\": 9, \"total\": 10}", i ? "," : "", i);
    }
    text_add(&json, "]}");
    own_earlier struct earlier r;
    read_of(text_str(&json), &r);
    struct against a;
    suite_against(&s, &r, &a);
    enum gate_verdict v = a.comparisons.n == 1 ? a.comparisons.of[0].verdict : GATE_OPEN;
    against_done(&a);
    return v;
}

TEST(a_margin_fails_a_function_that_dropped)
{
    CHECK_EQ(regression(.05, 2), GATE_FAIL);
    CHECK_EQ(regression(.5, 2), GATE_PASS);
    CHECK_EQ(regression(.15, 1), GATE_UNDECIDED);
    CHECK_EQ(regression(NAN, 2), GATE_OPEN);
}

TEST(a_row_that_was_stopped_hides_the_interval)
{
    SAMPLES(s, "baseline", "main.json");
    samples_case(&s, "one", "", (struct ran){10, 0, 0});
    own_earlier struct earlier r;
    read_of("{\"rows\": [{\"case\": \"one\", \"passes\": 3, \"total\": 12, \"stopped\": "
            "{\"after\": 12}}]}",
            &r);
    struct against a;
    suite_against(&s, &r, &a);
    CHECK_EQ(a.comparisons.of[0].hidden, HIDDEN_STOPPED);
    CHECK_EQ(a.comparisons.of[0].stopped, 1);
    against_done(&a);
}

TEST(a_function_meets_the_report_before_anything_runs)
{
    SAMPLES(s, "baseline", "main.json");
    own_earlier struct earlier r;
    now(&s);
    read_of(report, &r);
    CHECK(earlier_meets(&r, &s, suite_function(&s, "small"), NULL));
    CHECK(!earlier_meets(&r, &s, suite_function(&s, "fresh"), NULL));
    bool selected[8] = {[3] = true}; /* small::101 alone */
    CHECK(!earlier_meets(&r, &s, suite_function(&s, "small"), selected));
    selected[0] = true;
    CHECK(earlier_meets(&r, &s, suite_function(&s, "small"), selected));
}

TEST(a_margin_needs_a_baseline)
{
    const struct sample_option option = {"margin", "0.05", "--prob-margin"};
    struct sample_config config;
    struct err e = {0};
    CHECK_EQ(sample_config_read(&option, 1, &config, &e), -1);
    CHECK_EQ(e.kind, ERR_USAGE);
    CHECK(strstr(e.what, "--prob-margin") && strlen(e.hint) > 0);
}

TEST(what_is_no_report_is_refused_in_a_sentence)
{
    refused("", "--prob-baseline: old.json: it is empty");
    refused("x", "--prob-baseline: old.json: it is not JSON, or not all of it is there");
    refused("{\"rows\": [", "--prob-baseline: old.json: it is not JSON, or not all of it is there");
    refused(
        "{\"a\": 1}",
        "--prob-baseline: old.json: it has no \"rows\", so it is no report of a sampling session");
    refused(
        "[]",
        "--prob-baseline: old.json: it has no \"rows\", so it is no report of a sampling session");
    refused(
        "3",
        "--prob-baseline: old.json: it has no \"rows\", so it is no report of a sampling session");
    refused("{\"rows\": [{\"case\": 3}]}",
            "--prob-baseline: old.json: row 1 of \"rows\" has no case name");
    refused("{\"rows\": [7]}", "--prob-baseline: old.json: row 1 of \"rows\" has no case name");
    refused("{\"rows\": [" ROW("a", 1, 2) ", " ROW("b", 3, 2) "]}",
            "--prob-baseline: old.json: row 2 of \"rows\" has more passes than runs");
    refused("{\"rows\": [" ROW("a", -1, 2) "]}",
            "--prob-baseline: old.json: row 1 of \"rows\" has no whole numbers \"passes\" and "
            "\"total\"");
    refused("{\"rows\": [" ROW("a", 1, 1e99) "]}",
            "--prob-baseline: old.json: row 1 of \"rows\" has no whole numbers \"passes\" and "
            "\"total\"");
    refused("{\"rows\": [" ROW("a", 1, 2) ", " ROW("a", 2, 2) "]}",
            "--prob-baseline: old.json: \"a\" has two rows");
}

TEST(a_file_that_is_not_there_is_named)
{
    struct earlier r;
    struct err e = {0};
    CHECK_EQ(earlier_read("/nonexistent/x.json", "x.json", "--prob-plan-report", &r, &e), -1);
    CHECK_STR(e.what, "--prob-plan-report: x.json: No such file or directory");
    CHECK_EQ(e.kind, ERR_USAGE);
    CHECK_EQ(earlier_read("/tmp", "folder", "--prob-baseline", &r, &e), -1);
    CHECK_STR(e.what, "--prob-baseline: folder: that is a directory");
}

static void json_has(const char *json, const char *part)
{
    if (!strstr(json, part))
        CHECK_SAY("%s is not in %s", part, json);
}

TEST(the_json_has_the_described_fields)
{
    SAMPLES(s, "baseline", "main.json", "margin", "0.05", "explain", "true");
    now(&s);
    own_earlier struct earlier r;
    read_of(report, &r);
    struct against a;
    suite_against(&s, &r, &a);
    own_text struct text got = {0};
    struct json_out j = {.to = &got};
    json_open(&j, NULL, '{');
    baseline_json(&j, "baseline", &a, &s.config);
    json_close(&j, '}');
    static const char *const parts[] = {
        "\"path\": \"main.json\"",
        "\"created\": \"2026-11-30T09:40:10\"",
        "\"margin\": 0.05",
        "\"paired\": 4",
        "\"only_current\": [\"empty\", \"fresh\", \"small::101\"]",
        "\"only_baseline\": [\"gone\", \"small::100\"]",
        "\"function\": \"small\"",
        "\"axis\": null",
        "\"baseline\": \"baseline\"",
        "\"arm\": \"current\"",
        "\"pairs\": 3",
        "\"unpaired\": [\"100\", \"101\"]",
        "\"difference\": -0.2",
        "\"ci\": null",
        "\"p\": 0.25",
        "\"p_method\": \"sign-flip\"",
        "\"exact\": true",
        "\"p_adjusted\": 0.25",
        "\"adjustment\": \"none\"",
        "\"family\": 2",
        "\"exploratory\": true",
        "\"equivalence\": false",
        "\"verdict\": \"undecided\"",
        "\"suppressed\": \"fewer than 10 paired inputs\"",
        "\"resamples\": 5000",
        "\"seed\": 0",
        "\"cost_ratio\": null",
        "\"input\": \"0\"",
        "\"baseline\": {\"passes\": 9, \"total\": 10}",
        "\"arm\": {\"passes\": 7, \"total\": 10}",
        "\"method\": \"newcombe\"",
        "\"level\": 0.95",
        "\"p_method\": \"fisher\"",
        "\"stopped\": 0",
        "\"cost_ratio\": 0.5",
        "\"explanation\": \"On the one case that both ran",
        "\"explanation\": \"This run is held against an earlier report, main.json."};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        json_has(text_str(&got), parts[i]);
    against_done(&a);
}
