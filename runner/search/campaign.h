#ifndef FR_SEARCH_CAMPAIGN_H
#define FR_SEARCH_CAMPAIGN_H
/* One diagnosis under way: what the phases share. The phases (baseline, replay, transplant,
 * provoke, shrink, verify) are functions over it, called in turn by diagnose(). */
#include "model/finding.h"
#include "search/source.h"
#include "search/watch.h"

#define VERIFIED_MAX 32
#define RUNS_MAX     1024 /* baseline outcomes that are remembered */

#define QUIET_RUNS      300 /* no failure in so many: below 1 % (one-sided 95 %) */
#define QUIET_PROCESSES 12
#define MINIMUM_RUNS    20 /* fewer say nothing: incomplete */

struct run { /* a trial that was made, with the setting that plays it again */
    struct setting at;
    unsigned process; /* which draw of the axes fixed at process start */
    struct outcome outcome;
};

struct swept {         /* how far the values of an axis were tried */
    size_t nth;        /* the next one */
    bool ended;        /* there are no more, or no need for them */
    uint64_t fine;     /* bit n: value n passed, of the first 64 */
    size_t candidates; /* that failed every time */
    size_t passed;     /* values with which every run passed */
    unsigned clean;    /* runs of these */
    size_t mixed;      /* values with which some runs failed */
    unsigned mixed_runs, mixed_failed;
    size_t needed; /* of its values: they say what the test needs */
    size_t row[2]; /* evidence rows, counted from 1, of the passed and of the mixed */
};

struct campaign {
    struct source *source;
    struct watch *watch;
    struct finding *finding;
    uint64_t seed;
    uint64_t draws;      /* settings drawn so far */
    int64_t deadline_ns; /* on the source's clock */
    int64_t began_ns;
    unsigned least_runs; /* the baseline is no smaller, if the budget allows */
    bool fresh_only;     /* no warm tier, or it disagrees */
    bool brief;          /* see struct diagnosis */
    bool varies;         /* one setting gave both outcomes: what is held does not decide alone */
    enum before_level before_next; /* which tests before it are looked at next */
    size_t before_known;           /* how many there are so far */
    struct outcome seen;           /* an ordinary run of the target */
    struct outcome first;          /* the user's own run */
    uint32_t touched;              /* axes that the test was seen to touch */
    bool unfinished;               /* the budget ended before every value of an axis was tried */
    bool looked;                   /* `touched` was narrowed to what the test itself touches */
    struct run *run;               /* the baseline */
    size_t runs;
    unsigned processes;     /* draws of the axes fixed at process start, in the baseline */
    struct setting process; /* for campaign_draw_near() */
    unsigned process_uses;
    struct swept swept[FD_AXIS_COUNT];
    unsigned round; /* of the values that are provoked */
    const char *phase;
    double verified_p[VERIFIED_MAX]; /* of every value that was put to the test */
    size_t verified;
    int64_t cost_ns[2]; /* what a run of each tier takes, as seen lately; 0: not seen */
};

/* Budget: whether another n runs of this tier fit. */
bool campaign_affords(const struct campaign *c, size_t n, enum tier tier);
int64_t campaign_left_ns(const struct campaign *c);
int64_t campaign_cost_ns(const struct campaign *c, enum tier tier);

/* The next setting drawn from the master seed: every axis that can be drawn is held. */
void campaign_draw(struct campaign *c, struct setting *ret);
/* The same for trials that only screen: what is fixed at process start stays for some two dozen of
 * them, so that one warm process serves them all. */
void campaign_draw_near(struct campaign *c, struct setting *ret);
uint64_t campaign_random(struct campaign *c); /* for orders and spare pids */

/* Runs trials and counts them; `row` may be NULL. What could not be recorded before the run (the
 * instant) is put into the trial's setting afterwards. */
int campaign_run(struct campaign *c, struct trial *t, size_t n, struct outcome *ret,
                 struct row *row, struct err *e);
void campaign_tell(struct campaign *c, const char *what, unsigned planned, const struct row *row);

enum tier campaign_tier(const struct campaign *c);
/* Whether one of the axes has many faces: every failure is the one that is explained. */
bool campaign_is_race(const struct campaign *c, uint32_t axes);

/* Narrows `touched` to what the test's own code touches; asks the source once. */
int campaign_look(struct campaign *c, struct err *e);

/* How a failing value stands against others of its axes. */
struct candidate {
    uint32_t axes;          /* the set that is held */
    struct setting failing; /* values with which it fails */
    struct setting passing; /* values with which it passes */
    struct setting benign;  /* axis by axis, where `passing` has the failing value too */
    bool has_passing;
    struct fingerprint print;
    char message[224];
};

#endif
