/* What a finding is said to be: headline, explanation, warnings. */
#include "check.h"

#include "live/words.h"

#include <string.h>

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
