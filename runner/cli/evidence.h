#ifndef FR_CLI_EVIDENCE_H
#define FR_CLI_EVIDENCE_H
/* --ai-evidence: runs each distinct failure again, what most tests share first, and gives it a
 * verdict where that decides one. */
#include "cli/term.h"
#include "triage/triage.h"

struct evidence_plan {
    const char *python, *script;
    const char *rootdir;     /* NULL: where we stand */
    const struct argv *args; /* of pytest; may be NULL */
    int64_t budget_ns;       /* of all together */
    int64_t began_ns;        /* the run that failed, since the epoch; 0: not known */
    const struct argv *streams; /* "device:inode" of files that its output goes to; may be NULL */
    bool allow_side_effects;
    const struct term *term; /* progress goes there; NULL: nowhere */
    /* The tests that ran before failure number i, in their order. NULL: not known. */
    int (*before)(void *of, size_t i, struct argv *out, struct err *e);
    void *of;
};

/* Fills `rerun` of every failure, and its verdict where the reruns decide. Returns 0, or -1 with
 * ERR_INTERRUPT (what is known stands in the failures) or what `before` said. */
int evidence_gather(struct triage *t, const struct evidence_plan *p, struct err *e);

#endif
