/* What the acceptance list of a peer asks of the numbers alone; fdNN: its case NN. */
#include "../check.h"

#include "stats/compare.h"

#include <math.h>

#define ALPHA 0.05

/* Whether k of n runs with a value are more than chance against the baseline's. */
static bool elevates(int64_t k, int64_t n, int64_t base_k, int64_t base_n)
{
    return fisher_greater(k, n, base_k, base_n) < ALPHA;
}

TEST(fd08_what_elevates_and_what_does_not)
{
    CHECK(!elevates(5, 10, 5, 10));
    CHECK(!elevates(7, 10, 5, 10));
    CHECK(elevates(9, 10, 2, 10));
    CHECK(!elevates(1, 2, 0, 10));
    CHECK(elevates(8, 10, 0, 10));
}

/* Clean control runs that 5 failures of 10 need beside them: five leave it open, seven do not. */
TEST(fd09_a_control_of_five_is_inconclusive)
{
    CHECK(fabs(fisher_greater(5, 10, 0, 5) - 0.0839) < 0.00005);
    CHECK(!elevates(5, 10, 0, 6));
    CHECK(elevates(5, 10, 0, 7));
}
