#ifndef FR_SAMPLE_MARK_H
#define FR_SAMPLE_MARK_H
/* @pytest.mark.probability(…): its arguments, and what they and the session's options make of one
 * case together. Pure; thread-safe. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sample/config.h"

/* One argument as it was written. Anything that is none of these keeps its repr() in `text` with
 * the kind OTHER. Texts are borrowed. */
enum argument_kind { ARGUMENT_NUMBER, ARGUMENT_BOOL, ARGUMENT_TEXT, ARGUMENT_PAIR, ARGUMENT_OTHER };
struct mark_argument {
    const char *name; /* NULL: given by position */
    enum argument_kind kind;
    double number, second; /* PAIR: both; BOOL: 0 or 1 */
    bool whole;            /* an int, not a float */
    const char *text;
};
struct mark {
    const struct mark_argument *argument;
    size_t arguments;
    bool of_case; /* on a pytest.param, where a comparison cannot be asked for */
};

/* What a case is held to. */
enum bar { BAR_NONE, BAR_RATE, BAR_COUNT };
struct rule {
    enum bar bar;
    double min_rate;    /* BAR_RATE */
    int64_t min_passes; /* BAR_COUNT */
    enum method method;
    double confidence;
    struct prior prior;
    int64_t runs; /* planned */
    double latency_quantile;
    double max_latency; /* seconds; NaN: no gate on latency */
};
struct compare_rule {      /* of a function */
    char *axis, *baseline; /* NULL: none; the first value. Owned */
    double margin;         /* NaN: report only */
    bool equivalence;
};

/* marks[0] is the closest to the case; a further one fills in what closer ones leave open.
 * -1 with ERR_USAGE: what is wrong and, as a hint, what was perhaps meant. */
int mark_rule(const struct mark *marks, size_t n, const struct sample_config *config,
              struct rule *ret, struct err *e);
int mark_compare(const struct mark *marks, size_t n, const struct sample_config *config,
                 struct compare_rule *ret, struct err *e);
void compare_rule_done(struct compare_rule *c);

#endif
