#ifndef FR_MODEL_EVIDENCE_H
#define FR_MODEL_EVIDENCE_H
/* Outcomes counted per setting: the rows of the report. */
#include "model/trial.h"

struct row {
    char label[64]; /* "baseline", "provoke", "VERIFY", "counterfactual" … */
    bool has_axis;
    enum fd_axis axis;
    char value[SETTING_VALUE_MAX]; /* "" where the row is about no one value */
    enum tier tier;
    unsigned runs, failed;
    double p, p_adjusted; /* negative: not computed */
    char note[80];        /* "deterministic", "passes", "perturbation-induced" */
};

struct evidence {
    struct row *at;
    size_t n, room;
};

void evidence_done(struct evidence *ev);

/* Appends a row with no counts and no p; the pointer is good until the next append. */
struct row *evidence_add(struct evidence *ev, const char *label, enum tier tier);
void row_about(struct row *r, enum fd_axis a, const char *value);
void row_count(struct row *r, const struct outcome *o); /* what did not run is not counted */

#endif
