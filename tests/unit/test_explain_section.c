/* The section as it is printed: headings are the lines of the other sections. And the JSON report
 * of a session with comparisons and explanations, byte for byte: tests/cli/fractions/compared.json,
 * which FR_UPDATE_GOLDEN=1 rewrites. */
#include "check.h"

#include "base/fdio.h"
#include "report/explain_section.h"
#include "report/fractions_json.h"
#include "samples.h"

TEST(headings_are_the_lines_that_were_printed)
{
    SAMPLES(s, "metric", "pass^3");
    struct sample_case *c =
        samples_case(&s, "triage", "text=refund,style=terse", (struct ran){8, 2, 0});
    c->costs = true;
    c->cost = .001;
    c->elapsed = mem_or_die(10 * sizeof *c->elapsed);
    c->elapsed_error = mem_or_die(10 * sizeof *c->elapsed_error);
    c->timed = 10;
    for (int i = 0; i < 10; i++)
        c->elapsed[i] = .01;
    c->rule.max_latency = 2;
    c = samples_case(&s, "triage", "text=refund,style=chain_of_thought", (struct ran){10, 0, 0});
    samples_case(&s, "skipped", "", (struct ran){0, 0, 0});
    samples_compare(&s, "triage", "style", NAN);
    s.config.min_inputs = 2;

    struct comparisons compared;
    own_aggregates struct aggregates means;
    struct earlier_row rows[] = {{(char[]){"triage::refund-terse"}, {10, 10}, 0, false}};
    struct earlier earlier = {.path = (char[]){"main.json"}, .of = rows, .n = 1};
    struct against against;
    aggregates_of(&s, &means);
    suite_compare(&s, &compared);
    suite_against(&s, &earlier, &against);
    struct fractions f = {
        .suite = &s, .means = &means, .comparisons = &compared, .against = &against};
    own_text struct text got = {0};
    explain_section(&f, 80, &got);

    static const char *const headings[] = {
        "  triage::refund-terse  8/10  [44%, 97%]  $0.0010  FLAKY\n    8 of 10 runs passed",
        "\n\n  triage::refund-chain_of_thought  10/10  [69%, 100%]\n    All 10 runs passed.",
        "\n\n  triage  N=2 inputs × k=10  90.0%  [80.0%, ",
        "\n\n  triage  pass^3  N=2 inputs  73.3%",
        "\n\n  triage::refund-terse  10 runs  p95  10.0ms",
        "\n\n  triage[style]  chain_of_thought − terse  +20 pp [−11, +51]  p=0.47  1 paired\n    "
        "On the "
        "one input",
        "\n\n  against main.json: 1 case paired, 1 only in this run\n    This run is held",
        "\n\n  triage  current − baseline  −20 pp"};
    const char *at = text_str(&got);
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        const char *found = strstr(at, headings[i]);
        if (!found)
            CHECK_SAY("%s is not, or too early, in:\n%s", headings[i], text_str(&got));
        at = found ? found : at;
    }
    CHECK(!strstr(text_str(&got), "skipped"));
    CHECK(text_ends(text_str(&got), ".\n"));
    CHECK(!strstr(text_str(&got), "Overall"));
    comparisons_done(&compared);
    against_done(&against);
}

TEST(a_session_without_runs_explains_nothing)
{
    SAMPLES(s);
    own_aggregates struct aggregates means;
    own_text struct text got = {0};
    aggregates_of(&s, &means);
    struct fractions f = {.suite = &s, .means = &means};
    explain_section(&f, 80, &got);
    CHECK_STR(text_str(&got), "");
}

static int no_records(void *ctx, int (*put)(void *, const char *, struct err *), void *to,
                      struct err *e)
{
    (void)ctx;
    (void)put;
    (void)to;
    (void)e;
    return 0;
}

static void json_of(const struct fractions *f, struct text *out)
{
    char folder[] = "/tmp/fr-compared-XXXXXX";
    own_text struct text path = {0};
    struct err e = {0};
    struct fractions_facts facts = {"2026-07-07T21:43:18", 1, false};
    struct records records = {no_records, NULL};
    if (!mkdtemp(folder))
        CHECK_SAY("no folder");
    text_addf(&path, "%s/report.json", folder);
    CHECK_EQ(fractions_json_write(f, &facts, &records, path.at, &e), 0);
    CHECK_EQ(fdio_read_file(path.at, 1 << 20, out, &e), 0);
    fdio_remove_tree(folder);
}

TEST(the_report_of_a_session_with_comparisons_is_golden)
{
    static const char golden[] = "tests/cli/fractions/compared.json";
    SAMPLES(s, "metric", "pass^3", "explain", "true", "adjust", "holm");
    static const char *const inputs[] = {"refund", "login", "invoice"};
    struct earlier_row rows[] = {{(char[]){"triage::refund-terse"}, {10, 10}, .001, false},
                                 {(char[]){"triage::removed"}, {10, 10}, 0, false}};
    struct earlier earlier = {.path = (char[]){"main.json"},
                              .created = (char[]){"2026-07-01T00:00:00"},
                              .of = rows,
                              .n = 2};
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "text=%s,style=terse", inputs[i]);
        samples_case(&s, "triage", name, (struct ran){8, 1, 1});
        snprintf(name, sizeof name, "text=%s,style=chain_of_thought", inputs[i]);
        samples_case(&s, "triage", name, (struct ran){i ? 10 : 0, 0, 0});
    }
    samples_case(&s, "route", "style=terse", (struct ran){8, 2, 0});
    samples_case(&s, "route", "style=chain_of_thought", (struct ran){10, 0, 0});
    samples_compare(&s, "triage", "style", .05);
    samples_compare(&s, "route", "style", NAN);
    struct comparisons compared;
    struct against against;
    own_aggregates struct aggregates means;
    aggregates_of(&s, &means);
    suite_compare(&s, &compared);
    suite_against(&s, &earlier, &against);
    struct fractions f = {
        .suite = &s, .means = &means, .comparisons = &compared, .against = &against};
    own_text struct text got = {0}, want = {0};
    struct err e = {0};
    const char *update = getenv("FR_UPDATE_GOLDEN");
    json_of(&f, &got);
    comparisons_done(&compared);
    against_done(&against);
    if (update && *update) {
        CHECK_EQ(fdio_write_atomic(golden, text_str(&got), got.len, &e), 0);
        return;
    }
    CHECK_EQ(fdio_read_file(golden, 1 << 20, &want, &e), 0);
    CHECK_STR(text_str(&got), text_str(&want));
}
