#ifndef FR_CLI_SESSION_H
#define FR_CLI_SESSION_H
/* What our pytest plugin asks when pytest is the parent, and what it is answered: JSON, one object
 * a line, on stdin and stdout. A question: {"v": 1, "ask": "doctor", …}; an answer: {"v": 1,
 * "status": N, "text": "…"} or {"v": 1, "refused": "…", "hint": "…"}. Questions:
 *
 *   check   may this doctor's run begin? Nothing has run yet
 *   doctor  diagnose these tests; the text is the report
 *   repro   may this blob be played for these arguments? The argv to become is in "become"
 *   marker  play this blob for one test; pytest's reports go to a file
 *   triage  what failed; session_triage.h */
#include "base/argv.h"
#include "base/err.h"
#include "base/text.h"
#include "cli/term.h"

#define SESSION_VERSION 1

struct asked_test {
    const char *id;
    struct argv before; /* what ran before it, in order */
};

struct asked_option {
    const char *value, *from; /* NULL: not given */
};

/* Strings are borrowed from `json`; one that was not sent is NULL. */
struct question {
    void *json;
    const char *ask, *python, *script, *cwd, *rootdir, *blob, *id, *reports;
    struct asked_option runs, budget, max, path; /* of --doctor-json */
    bool repro_too, allow_side_effects, colour, quiet;
    struct argv args;     /* pytest's, but for those that select tests */
    struct argv selected; /* those */
    struct argv blobs;    /* of a test's marks */
    struct asked_test *test; /* NULL: pytest has run none, and `selected` is asked about */
    size_t tests;
};

struct answer {
    int status;
    size_t diagnosed; /* tests */
    bool none; /* the mark is for another set of parameters: nothing was played */
    struct text text;
    struct argv become;
};

int question_parse(const char *line, struct question *ret, struct err *e);
void question_done(struct question *q);
#define own_question __attribute__((cleanup(question_done)))

void answer_done(struct answer *a);
#define own_answer __attribute__((cleanup(answer_done)))
void answer_line(const struct answer *a, struct text *out);
void answer_refusal(const struct err *e, struct text *out);

int session_check(const struct question *q, const struct term *t, struct answer *a, struct err *e);
int session_doctor(const struct question *q, const struct term *t, struct answer *a,
                   struct err *e);
int session_repro(const struct question *q, const struct term *t, struct answer *a, struct err *e);
int session_marker(const struct question *q, const struct term *t, struct answer *a,
                   struct err *e);

/* What of pytest's arguments goes on to runs of one test. */
enum forward {
    FORWARD_ASKED,  /* what was selected is still for pytest to find */
    FORWARD_CHOSEN, /* the test is named by its id */
    FORWARD_SEEN,   /* and somebody looks on, with a debugger perhaps */
};
void session_forward(const struct argv *args, enum forward to, struct argv *out);

#endif
