#ifndef FR_SAMPLE_BASELINE_H
#define FR_SAMPLE_BASELINE_H
/* This session against an earlier report (--prob-baseline), cases paired by their names. A case
 * that only one of the two has is listed and compared with nothing. Thread-safe. */
#include "sample/comparison.h"

struct earlier_row {
    char *name; /* of the case */
    struct compared_runs runs;
    double cost;  /* of all its runs; 0: none was recorded */
    bool stopped; /* early */
};

/* An earlier --prob-json report, ours or another tool's of the same format. Owns its texts. */
struct earlier {
    char *path;             /* as the user wrote it */
    char *created;          /* NULL: the report does not say */
    struct earlier_row *of; /* those with runs, sorted by name; each name once */
    size_t n;
};

/* baseline_json.c. `shown` is how messages call the file, `option` the option that names it. -1: it
 * cannot be read, is no such report, or has counts that cannot be. */
int earlier_read(const char *path, const char *shown, const char *option, struct earlier *ret,
                 struct err *e);
void earlier_done(struct earlier *r);
#define own_earlier __attribute__((cleanup(earlier_done)))

const struct earlier_row *earlier_find(const struct earlier *r, const char *name);

/* Whether any case of the function is in the report: it has a verdict then, if there is a margin.
 * Of the selected cases alone, where `selected` (one for each case of the suite) is not NULL. */
bool earlier_meets(const struct earlier *r, const struct suite *s, const struct sample_function *f,
                   const bool *selected);

struct against {
    const struct earlier *earlier;  /* borrowed */
    struct comparisons comparisons; /* at most one for each function; the arm is this session */
    size_t paired;                  /* cases */
    char **only_here, **only_there; /* names, sorted */
    size_t only_here_n, only_there_n;
};

/* *r must outlive *ret. Cases that did not run are as absent. */
void suite_against(const struct suite *s, const struct earlier *r, struct against *ret);
void against_done(struct against *a);

#endif
