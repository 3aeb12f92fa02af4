/* The section as it is printed: headings are the lines of the other sections. */
#include "check.h"

#include "report/explain_section.h"
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
