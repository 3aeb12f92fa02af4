#ifndef FR_SAMPLE_COMPARISON_IMPL_H
#define FR_SAMPLE_COMPARISON_IMPL_H
/* How a comparison is put together; for comparison.c and baseline.c alone. */
#include "sample/comparison.h"

struct side { /* of a pair: a case here, or a row of an earlier report */
    struct compared_runs runs;
    double cost; /* of all its runs; 0: none was recorded */
    bool stopped;
};

/* A new one at the end of *c, its texts copied; axis may be NULL. */
struct comparison *comparisons_add(struct comparisons *c, const char *function, const char *axis,
                                   const char *baseline, const char *arm);
void comparison_pair(struct comparison *c, const char *input, const struct side *baseline,
                     const struct side *arm);
void comparison_leave_out(struct comparison *c, const char *input);

/* Everything but the pairs, which are complete. */
void comparison_judge(struct comparison *c, const struct sample_config *config);

/* p values of the family; sorts by function. */
void comparisons_finish(struct comparisons *c, const struct sample_config *config);

#endif
