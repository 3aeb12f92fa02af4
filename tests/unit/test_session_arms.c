/* What a sampling session answers about comparisons, the earlier report and the plan. */
#include "check.h"

#include <unistd.h>

#include "base/fdio.h"
#include "base/own.h"
#include "cli/session_sample.h"

static char *answered(struct sampling *s, const char *line)
{
    struct text out = {0};
    struct err e = {0};
    if (sampling_line(s, line, &out, &e) < 0) {
        text_clear(&out);
        text_addf(&out, "refused: %s", e.what);
    }
    text_add(&out, "");
    return text_take(&out);
}

static void says(struct sampling *s, const char *line, const char *part)
{
    own_mem char *got = answered(s, line);
    if (!strstr(got, part))
        CHECK_SAY("%s is not in %s", part, got);
}

static void begins(struct sampling *s, const char *options)
{
    own_text struct text t = {0};
    s->journaled = false; /* nothing is written */
    text_addf(&t, "{\"v\":1,\"ask\":\"sample\",\"options\":[%s],\"cwd\":\"/\",\"role\":\"whole\"}",
              options);
    says(s, text_str(&t), "\"v\": 1");
}

#define MARK                                                                                       \
    "\"marks\":[{\"of_case\":false,\"args\":[],\"kwargs\":{\"compare\":\"style\",\"margin\":0.02}" \
    "}]"
#define CASE(name, style, index, marks)                                                            \
    "{\"case\":\"" name "\",\"function\":\"triage\",\"input\":\"x\",\"nodeid\":\"b.py::x\","       \
    "\"file\":\"b.py\",\"index\":" #index                                                          \
    ",\"parameters\":[[\"text\",\"refund\"],[\"style\",\"" style "\"]]," marks "}"
#define TWO(marks)                                                                                 \
    "{\"v\":1,\"ask\":\"cases\",\"cases\":[" CASE("triage::refund-terse", "terse", 0,              \
                                                  marks) "," CASE("triage::refund-cot", "cot", 1,  \
                                                                  marks) "]}"

static void runs(struct sampling *s, const char *name, int passes)
{
    for (int i = 0; i < 10; i++) {
        own_text struct text t = {0};
        text_addf(&t,
                  "{\"v\":1,\"tell\":\"run\",\"case\":\"%s\",\"run\":%d,\"outcome\":\"%s\","
                  "\"elapsed\":0.01,\"cost\":0.001,\"usage\":[]}",
                  name, i + 1, i < passes ? "pass" : "fail");
        says(s, text_str(&t), "");
    }
}

TEST(a_margin_makes_an_item_and_judges_the_runs)
{
    own_sampling struct sampling s = SAMPLING_INIT;
    begins(&s, "[\"runs\",\"10\",\"--prob-runs\"]");
    own_mem char *got = answered(&s, TWO(MARK));
    CHECK(strstr(got, "\"compare\": [{\"function\": \"triage\", \"arms\": [\"cot\"], "
                      "\"gate\": true}]") != NULL);
    CHECK(strstr(got, "\"gated\": true") != NULL);
    CHECK(strstr(got, "\"gate_item\": true") == NULL);
    runs(&s, "triage::refund-terse", 10);
    runs(&s, "triage::refund-cot", 2);
    says(
        &s, "{\"v\":1,\"ask\":\"verdict\",\"function\":\"triage\",\"arm\":\"cot\"}",
        "\"verdict\": \"fail\", \"passed\": false, \"text\": \"triage[style]  cot − terse  −80 pp");
    says(&s, "{\"v\":1,\"ask\":\"verdict\",\"function\":\"triage\",\"arm\":\"terse\"}",
         "\"verdict\": \"none\", \"passed\": true");
    own_mem char *end = answered(&s, "{\"v\":1,\"ask\":\"finish\",\"exitstatus\":0}");
    CHECK(strstr(end, "\"status\": 1") != NULL);
    CHECK(strstr(end, "\"title\": \"probability: comparisons\"") != NULL);
    CHECK(strstr(end, "probability: explained") == NULL);
}

TEST(without_a_margin_there_is_a_section_alone)
{
    own_sampling struct sampling s = SAMPLING_INIT;
    begins(&s,
           "[\"compare\",\"style\",\"--prob-compare\"],[\"explain\",\"true\",\"prob_explain\"]");
    own_mem char *got = answered(&s, TWO("\"marks\":[]"));
    CHECK(strstr(got, "\"compare\": []") != NULL);
    CHECK(strstr(got, "\"gated\": true") == NULL);
    runs(&s, "triage::refund-terse", 10);
    runs(&s, "triage::refund-cot", 2);
    own_mem char *end = answered(&s, "{\"v\":1,\"ask\":\"finish\",\"exitstatus\":0}");
    CHECK(strstr(end, "\"status\": 0") != NULL);
    CHECK(strstr(end, "probability: comparisons") != NULL);
    CHECK(strstr(end, "probability: explained") != NULL);
}

TEST(gate_items_may_be_left_out)
{
    own_sampling struct sampling s = SAMPLING_INIT;
    begins(&s, "[\"gate-items\",\"false\",\"--prob-no-gate-items\"]");
    says(&s, TWO(MARK), "\"compare\": []");
}

TEST(a_comparison_that_cannot_be_is_told_once)
{
    own_sampling struct sampling s = SAMPLING_INIT;
    begins(&s, "");
    own_mem char *got =
        answered(&s, "{\"v\":1,\"ask\":\"cases\",\"cases\":[" CASE(
                         "triage::a", "a", 0, MARK) "," CASE("triage::b", "a", 1, MARK) "]}");
    const char *first = strstr(got, "has one value only");
    CHECK(first != NULL);
    CHECK(first && strstr(first + 1, "has one value only") == NULL);
}

static char folder[] = "/tmp/flaky-repro-arms-XXXXXX";

TEST(an_earlier_report_has_its_verdicts)
{
    own_sampling struct sampling s = SAMPLING_INIT;
    own_text struct text path = {0}, options = {0};
    struct err e = {0};
    static const char json[] = "{\"created\": \"2026-01-01T00:00:00\", \"rows\": [{\"case\": "
                               "\"triage::refund-terse\", \"passes\": 10, \"total\": 10}]}";
    if (!mkdtemp(folder))
        CHECK_SAY("no folder");
    text_addf(&path, "%s/main.json", folder);
    CHECK_EQ(fdio_write_atomic(path.at, json, strlen(json), &e), 0);
    text_addf(&options,
              "[\"baseline\",\"%s\",\"--prob-baseline\"],[\"margin\",\"0.05\",\"--prob-margin\"]",
              path.at + 1); /* below cwd, which is / */
    begins(&s, text_str(&options));
    own_mem char *got = answered(&s, TWO("\"marks\":[]"));
    CHECK(strstr(got, "\"baseline\": [{\"function\": \"triage\"}]") != NULL);
    const char *judged = strstr(got, "\"gated\": true"); /* the case of the report, no other */
    CHECK(judged && !strstr(judged + 1, "\"gated\": true"));
    runs(&s, "triage::refund-terse", 2);
    runs(&s, "triage::refund-cot", 10);
    says(
        &s, "{\"v\":1,\"ask\":\"verdict\",\"function\":\"triage\",\"baseline\":true}",
        "\"verdict\": \"fail\", \"passed\": false, \"text\": \"triage  current − baseline  −80 pp");
    own_mem char *end = answered(&s, "{\"v\":1,\"ask\":\"finish\",\"exitstatus\":0}");
    CHECK(strstr(end, "\"status\": 1") != NULL);
    CHECK(strstr(end, "probability: baseline") != NULL);
    CHECK(strstr(end, "only in this run:     triage::refund-cot") != NULL);
    fdio_remove_tree(folder);
}

TEST(a_report_that_cannot_be_read_refuses_the_session)
{
    own_sampling struct sampling s = SAMPLING_INIT;
    says(&s,
         "{\"v\":1,\"ask\":\"sample\",\"options\":[[\"baseline\",\"nope.json\",\"--prob-baseline\"]"
         "],"
         "\"cwd\":\"/nonexistent\",\"role\":\"whole\"}",
         "refused: --prob-baseline: nope.json: No such file or directory");
}

TEST(a_plan_is_about_what_was_selected)
{
    own_sampling struct sampling s = SAMPLING_INIT;
    begins(&s, "[\"runs\",\"40\",\"--prob-runs\"],[\"plan\",\"true\",\"--prob-plan\"],"
               "[\"min-rate\",\"0.9\",\"prob_min_rate\"]");
    says(&s, TWO("\"marks\":[]"), "\"cases\"");
    own_mem char *got = answered(&s, "{\"v\":1,\"ask\":\"selected\",\"cases\":"
                                     "[\"triage::refund-cot\"],\"runs\":[40]}");
    CHECK(strstr(got, "triage::refund-cot    40        36           100         30%") != NULL);
    CHECK(strstr(got, "terse") == NULL);
    CHECK(strstr(got, "1 case, 40 runs; nothing was run.") != NULL);
    says(&s, "{\"v\":1,\"ask\":\"selected\",\"cases\":[],\"runs\":[]}", "\"plan\": null");
}
