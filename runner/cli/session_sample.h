#ifndef FR_CLI_SESSION_SAMPLE_H
#define FR_CLI_SESSION_SAMPLE_H
/* Sampling inside pytest: what the plugin tells a session (session.h) and asks of it. A line with
 * "ask" gets one line back, a line with "tell" none. The plugin knows nothing of statistics; the
 * session knows nothing of pytest.
 *
 *   ask sample    the options as they were given, ini first, then the command line; where pytest
 *                 stands; its role: "whole", or under xdist "controller" or "worker". The answer:
 *                 the values the plugin itself needs. A refusal is a usage error
 *   ask cases     the cases of a file with their marks, closest first; before selection. For each:
 *                 how often to run it; whether its failing runs are its gate's to judge; when to
 *                 stop; what is wrong with its mark
 *   ask selected  which cases were selected
 *   tell run      one run ended; with "def", the case as in `cases`, if the session may not know it
 *   tell cut      one run was left out because the verdict is certain
 *   tell judged   an item of its own has failed or passed with a verdict
 *   ask stop      is the verdict on the case certain?
 *   ask verdict   on a case, on an arm or on a function
 *   ask finish    pytest's exit status; the answer: the session's, the sections to print
 *
 * When to stop: "stop" holds a row for each run, [P, F]: after run n stop where row n - 1 has P not
 * null and as many passes or more, or F not null and as many runs or more that did not pass. "idle"
 * holds rows of the same kind, null or [FROM, TO]: stop too where the passes lie between, ends
 * included. Where errors are not counted the rows hold as long as there was none; where one may
 * stop in spite of errors, or a table would be too long, "stop_ask" is true, and `stop` is asked
 * after a run instead.
 *
 * Every answer follows from what was said before, so workers and their controller agree. */
#include "report/json_out.h"
#include "sample/aggregate.h"
#include "sample/baseline.h"
#include "sample/journal.h"
#include "sample/suite.h"

enum saying {
    SAY_OTHER, /* not about sampling */
    SAY_SAMPLE,
    SAY_CASES,
    SAY_SELECTED,
    SAY_RUN,
    SAY_CUT,
    SAY_JUDGED,
    SAY_STOP,
    SAY_VERDICT,
    SAY_FINISH,
};

struct said_case {
    struct sample_case of; /* owned, but for its rule */
    struct mark *mark;
    size_t marks;
};

/* One line. Texts are borrowed from `json`; one that was not sent is NULL. */
struct said {
    void *json;
    enum saying what;
    bool ask;
    struct sample_option *option;
    size_t options;
    const char *cwd, *rootdir, *role;
    bool colour, loadgroup;
    struct said_case *cases; /* also the one of "def" */
    size_t n;
    struct selection { /* how many runs of a case were selected */
        const char *name;
        int64_t runs;
    } *selected;
    size_t selections;
    const char *name, *function; /* of a case */
    const char *arm;             /* of a function; NULL with `baseline`: against the report */
    bool baseline;
    struct sample_run run;
    int exit_status;
};

/* 1, or 0 for a line that is not about sampling or no JSON at all: session.h answers that. */
int said_parse(const char *line, struct said *ret);
void said_done(struct said *s);
#define own_said __attribute__((cleanup(said_done)))

/* The record of a line that tells of a run, as the report has it; false: it tells of none. */
bool said_record(const char *line, struct text *out);

struct sampling {
    bool begun, finished, worker;
    bool stopping; /* cases may stop: without xdist, or with --dist loadgroup */
    struct said begin; /* keeps the texts of the options */
    struct suite suite;
    struct journal journal;
    bool journaled; /* what is said is kept */
    char *json;     /* absolute, or NULL */
    struct earlier earlier, costs; /* --prob-baseline, --prob-plan-report */
    bool against;                  /* there is an earlier report */
    struct results *results;       /* of session_sample_finish.c: NULL until the end */
};
#define SAMPLING_INIT {.journal = JOURNAL_INIT, .journaled = true}
void sampling_done(struct sampling *s);
#define own_sampling __attribute__((cleanup(sampling_done)))

/* Takes in one line, with its newline. 1: it was about sampling, and what is to be answered, if
 * anything, is in *out; 0: it was not. -1: refused. */
int sampling_line(struct sampling *s, const char *line, struct text *out, struct err *e);

/* The pieces, for those who read a journal. */
struct section {
    const char *title;
    struct text text;
};
#define SECTIONS_MOST 8
struct finish {
    struct section section[SECTIONS_MOST]; /* those that have something to say */
    size_t n;
    int status;
};
void finish_done(struct finish *f);
#define own_finish __attribute__((cleanup(finish_done)))
int sampling_take(struct sampling *s, struct said *said, struct err *e); /* of no use to answer */
void sampling_finish(struct sampling *s, int pytest_status, bool colour, struct finish *ret);
void sampling_forget(struct sampling *s); /* releases what sampling_finish() found */
/* The JSON report: to a file, or to fd where path is NULL; its records from the journal. */
int sampling_write(struct sampling *s, int status, const char *journal, const char *path, int fd,
                   struct err *e);

void answer_cases(struct sampling *s, struct said *said, struct text *out);

/* session_sample_arms.c: comparisons, the earlier report, the plan. */
int arms_begin(struct sampling *s, const char *cwd, struct err *e);
void arms_done_all(struct sampling *s);
/* A comparison with a margin judges the case's runs, so that a failing one alone fails nothing. */
bool arms_judge(const struct sampling *s, const struct sample_case *c);
/* "compare" and "baseline" of an answer: the items to be made for the functions of these cases. */
void arms_put(struct json_out *j, const struct sampling *s, char *const *names, size_t n);
/* What is wrong with the comparison that a mark asks for, at the first case of its function. */
void arms_check(const struct sampling *s, char *const *names, size_t n, struct err *wrong);
/* The caller releases both. */
void arms_results(const struct sampling *s, struct comparisons *c, struct against *a);
enum gate_verdict arms_worst(const struct comparisons *c);
/* Of one arm of a function, or of the function against the earlier report where arm is NULL. */
enum gate_verdict arms_verdict(const struct sampling *s, const char *function, const char *arm,
                               struct text *line);
void arms_plan(const struct sampling *s, const struct said *said, struct text *out);

#endif
