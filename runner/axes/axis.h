#ifndef FR_AXES_AXIS_H
#define FR_AXES_AXIS_H
/* An axis of nondeterminism: which values it can take and how one is put into force. One file and
 * one row of shim/axes.def each; forgetting the file is a link error.
 *
 * Functions that give the nth value of a series write at most SETTING_VALUE_MAX bytes and return
 * false at the series' end. They depend on their arguments alone: the same question has the same
 * answer, in any process. */
#include <stdbool.h>

#include "model/outcome.h"
#include "model/recipe.h"
#include "model/target.h"

struct axis_view {              /* what is known of the target when values are chosen */
    const struct outcome *seen; /* an ordinary run: clock reads, zone files … ; never NULL */
    int64_t now_ns;             /* wall clock */
    /* What the watched run was seen to do: ports it bound, files it missed … NULL: not watched. */
    const struct fd_seen *watched;
    const struct target *target; /* what is run, with which plugins; NULL: not known */
};

struct axis {
    const char *catches; /* for people: "set and dict order that leaks into behaviour" */
    const char *held_by; /* "PYTHONHASHSEED of each process" */
    const char *by_hand; /* the variables that hold it without us */
    bool at_start;       /* fixed when the interpreter starts: the process is the unit */
    bool has_hook;       /* calls are counted: untouched means nothing to search */

    /* A value as nature would draw it; NULL: nature's value is only recorded afterwards. */
    void (*draw)(uint64_t seed, char *ret_value);
    /* The value a run had by nature, so that it can be played again; false: none. May be NULL. */
    bool (*recorded)(const struct outcome *o, char *ret_value);
    /* Values that nature seldom draws, most likely cause first. */
    bool (*provoke)(const struct axis_view *v, size_t nth, char *ret_value);
    /* Values with which the test should pass, given one with which it fails (or NULL: it always
     * fails as things are), nearest first. */
    bool (*benign)(const struct axis_view *v, const char *failing, size_t nth, char *ret_value);
    /* Plainer values that may fail as well as this one does, plainest first. May be NULL. */
    bool (*plainer)(const struct axis_view *v, const char *failing, size_t nth, char *ret_value);
    /* Whether the value lies beyond what a verdict may rest on. May be NULL. */
    bool (*requirement)(const struct axis_view *v, const char *value);
    int (*apply)(const char *value, struct recipe *r, struct err *e);
    /* Adds "NAME=value " words that hold it in front of a command line typed by hand. NULL: none
     * do; what goes behind it is in live/repro.c. */
    void (*command)(const char *value, struct text *out);
    /* Whether it is held by running the command twice, and no library is needed for it. NULL: no
     * value is. */
    bool (*by_second_run)(const char *value);
    /* Whether the watched run shows that it may matter, also where no touch is counted inside the
     * test: what a module does when it is imported, what is written. May be NULL. */
    bool (*matters)(const struct fd_seen *w);
    /* Adds a sentence that says what the value stands for in the world, or nothing. May be NULL:
     * values speak for themselves. */
    void (*meaning)(const char *value, struct text *out);
    /* For values that a shell itself can hold: adds what a subshell does before that command line,
     * "ulimit -Sn 256; ", in the place of those words; false: not this value. May be NULL. */
    bool (*shell)(const char *value, struct text *out);
    /* Whether this machine has none of the values that tell most: what was tried says less then.
     * May be NULL. */
    bool (*lacking)(void);
    bool plain_benign; /* the first benign value says how to mend it: it is shown if it passes */
    bool needs_shim;   /* by hand: only with libfd.so preloaded */
    /* One cause shows as several failures: a race is cut at another place each time. Any failure
     * is then the one that is explained. */
    bool many_faces;
    bool alone; /* a trial that holds it has the machine to itself: load would be part of it */
    /* A value does not mean quite the same on another machine: a replay may try so many values
     * until one fails as recorded. 0: the recorded one alone. */
    unsigned replay_tries;
};

extern const struct axis *const axes[FD_AXIS_COUNT];
#define AXIS(ID, word) extern const struct axis axis_##ID;
#include "shim/axes.def"
#undef AXIS

/* Puts every held axis of the setting into force. */
int axes_apply(const struct setting *s, struct recipe *r, struct err *e);

/* A well-mixed 64-bit number from two: the finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t axes_mix(uint64_t seed, uint64_t salt);

/* The nth of a series of `most` numbers from `first` on, and the same without `failing` (NULL: it
 * is none of them); the nth of a series of one. */
bool axes_nth_number(size_t nth, uint64_t first, size_t most, char *ret_value);
bool axes_nth_other_number(const char *failing, size_t nth, uint64_t first, size_t most,
                           char *ret_value);
bool axes_only_value(const char *value, size_t nth, char *ret_value);

#endif
