#ifndef FR_MODEL_TRIAL_LOG_H
#define FR_MODEL_TRIAL_LOG_H
/* The log of a diagnosis: one JSON object a line, appended as trials end, so that what was learnt
 * outlives whatever ends us. The first line says what was diagnosed; a line that was torn by a kill
 * is none. Plain data; docs/manual.md tells users of it. */
#include "base/argv.h"
#include "model/trial.h"

#define LOG_FORMAT  "flaky-repro-log"
#define LOG_VERSION 1

struct log_head {
    char *tool, *target, *python, *pytest; /* owned; NULL if not known */
    struct argv args;                      /* of pytest */
    struct argv files;                     /* "HASH PATH": what the tests are written in */
    uint64_t seed;
    uint32_t axes;
    int64_t wall_ns; /* what "now" meant to the axes */
};

enum log_kind { LOG_FIRST, LOG_TRIAL, LOG_TOUCHES };

struct log_entry {
    enum log_kind kind;
    char *nodeid;  /* owned */
    char *setting; /* owned; as it was asked for: what is recorded after a run is not in it */
    enum tier wished;
    char phase[24];
    struct outcome outcome; /* LOG_FIRST, LOG_TRIAL */
    uint32_t axes;          /* LOG_TOUCHES */
    int64_t at_ns;          /* when it ended, on the clock of the search for this test */
    bool used;              /* it has answered */
};

struct trial_log {
    struct log_head head;
    struct log_entry *entry;
    size_t n;
    int fd;      /* lines are appended there; -1: nowhere */
    bool broken; /* a line could not be written: none is tried any more */
};
#define TRIAL_LOG_NONE ((struct trial_log){.fd = -1})

/* Reads a whole log. *ret_whole: the bytes up to the end of its last whole line. */
int trial_log_read(const char *path, struct trial_log *ret, size_t *ret_whole, struct err *e);
void trial_log_done(struct trial_log *l); /* closes fd */
#define own_trial_log __attribute__((cleanup(trial_log_done)))

/* The first line, or one more; nothing happens where there is no fd. */
void trial_log_begin(struct trial_log *l);
void trial_log_append(struct trial_log *l, const struct log_entry *one);

#endif
