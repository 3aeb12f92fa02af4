/* What a finding is said to be: headline, explanation, warnings. */
#include "check.h"

#include "live/words.h"

#include <stdlib.h>
#include <string.h>

/* glibc's newlocale() forgets its copy of LOCPATH where a locale is not found. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:argz_add_sep\n";
}

/* Blamed for one value of timing. */
static void slow(struct finding *f, const char *value)
{
    *f = (struct finding){.verdict = VERDICT_FLAKY, .strength = STRENGTH_ALWAYS, .causes = 1};
    f->cause[0].axis = FD_AXIS_TIMING;
    text_copy(f->cause[0].value, sizeof f->cause[0].value, value);
    words_explain(NULL, f);
}

TEST(a_coarse_clock_is_no_slow_machine)
{
    own_finding struct finding f = {0}, other = {0};
    slow(&f, "coarse:16ms");
    CHECK_STR(text_str(&f.headline), "depends on how fine the machine's clocks are");
    CHECK(strstr(text_str(&f.explanation), "a machine with a coarse timer."));
    slow(&other, "speed:x10");
    CHECK_STR(text_str(&other.headline), "depends on how fast the machine is");
}

TEST(runs_are_said_to_be_fresh_as_far_as_they_were)
{
    own_finding struct finding all = {.stats = {.trials = 30, .fresh = 30}},
                               some = {.stats = {.trials = 300, .warm = 260, .fresh = 40}};
    words_no_warm(&all, "it has threads");
    CHECK_STR(all.warnings.at[0], "every run was a fresh process: it has threads");
    words_no_warm(&some, "it has threads");
    CHECK_STR(some.warnings.at[0],
              "40 of 300 runs were fresh processes; warm ones were given up: it has threads");
}

TEST(languages_that_are_not_here_are_told_to_be_missing)
{
    const struct fd_seen speaks = {.deeds = 1u << FD_DEED_LANGUAGE}, reads = {0};
    own_finding struct finding f = {.verdict = VERDICT_NOT_FLAKY},
                               other = {.verdict = VERDICT_NOT_FLAKY},
                               skipped = {.verdict = VERDICT_NOT_FLAKY},
                               found = {.verdict = VERDICT_FLAKY};
    setenv("LOCPATH", "/nowhere", 1);
    setenv("LC_ALL", "C", 1);
    words_languages(&speaks, &f);
    CHECK_EQ(f.warnings.n, 1);
    CHECK(strstr(f.warnings.at[0], "only C was tried"));
    words_languages(&reads, &other); /* a text file without an encoding asks for no language */
    CHECK_EQ(other.warnings.n, 0);
    finding_skip(&skipped, FD_AXIS_LOCALE, "left out by --axes");
    words_languages(&speaks, &skipped);
    CHECK_EQ(skipped.warnings.n, 0);
    words_languages(&speaks, &found);
    CHECK_EQ(found.warnings.n, 0);
}
