#ifndef FR_REPORT_HUMAN_IMPL_H
#define FR_REPORT_HUMAN_IMPL_H
/* Shared by the files of the human report, by nobody else. */
#include "model/finding.h"
#include "report/columns.h"
#include "report/style.h"

enum {
    INDENT = 3,   /* of everything below a section's title */
    FACT_AT = 17, /* column in which the facts "look at  …" begin */
};

/* human_layout.c: " TITLE" on a line of its own, an empty line before it. */
void human_title(const char *title, const struct style *s, struct text *out);
/* A wrapped paragraph at INDENT. */
void human_paragraph(const char *words, struct text *out);
/* "   name          words", wrapped below itself. */
void human_fact(const char *name, const char *words, struct text *out);

/* DIAGNOSIS: what it is, where it shows, which line reads it. */
void human_diagnosis(const struct finding *f, const struct style *s, struct text *out);

/* EVIDENCE: the table of counts. */
void human_evidence(const struct finding *f, const struct style *s, struct text *out);

/* All of the experiment over worker counts, where that is what was made. */
void human_concurrency(const struct finding *f, const struct style *s, struct text *out);

/* What a verdict means: each adds sentences, or nothing. */
const char *words_headline(const struct finding *f); /* when the search wrote none */
void words_certainty(const struct finding *f, struct text *out);
void words_next(const struct finding *f, struct text *out);

#endif
