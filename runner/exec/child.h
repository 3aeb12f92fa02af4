#ifndef FR_EXEC_CHILD_H
#define FR_EXEC_CHILD_H
/* A process we started: never a bare pid. It leads its own process group, dies with us (parent
 * death signal), and is waited for through its pidfd. Single-threaded use. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/argv.h"
#include "base/err.h"
#include "base/text.h"
#include "exec/copies.h"
#include "exec/sandbox.h"

struct child {
    pid_t pid; /* 0: none */
    int pidfd;
    int out; /* its stdout and stderr, non-blocking; -1 when closed or not ours to read */
};
#define CHILD_STACK_SIGNAL (SIGRTMAX - 1) /* "say where you stand"; as in the plugin */
#define CHILD_NONE         ((struct child){.pidfd = -1, .out = -1})

struct command {
    const struct argv *argv, *env;
};

struct spawn {
    const struct command *before; /* runs to its end first, in the same box; or NULL */
    const struct argv *argv;      /* argv[0] is looked up in PATH */
    const struct argv *env;
    const char *cwd;             /* NULL: ours */
    const struct sandbox *box;   /* what it lives in; NULL: nothing */
    int keep_fd;                 /* stays open in the child under its own number; -1: none */
    bool no_aslr;                /* without address space randomization, where that is allowed */
    uint64_t stack_limit;        /* soft, in bytes; 0: as it is */
    const char *errors;          /* a file that stderr goes to, or NULL: where stdout goes */
    const struct copies *copies; /* several of it at once, instead of argv and env; NULL: one */
    bool terminal;               /* the three streams stay the user's: nothing to read */
};

/* The terminal is ours again after a child that had it has ended. */
void child_terminal_back(void);

/* Starts it. An exec that fails is an error here, not an exit status later. */
int child_spawn(const struct spawn *how, struct child *ret_child, struct err *e);

/* Takes in what it printed, keeping the last CHILD_TAIL bytes in *tail. Returns false at EOF. */
#define CHILD_TAIL 8192
bool child_read(struct child *c, struct text *tail);

/* Its wait status if it has ended (it is reaped then), else false. */
bool child_ended(struct child *c, int *ret_status);

/* Ends the whole group for certain and reaps it; "already gone" is a normal answer. */
void child_kill(struct child *c, int *ret_status);

void child_done(struct child *c); /* kills if need be, closes */

/* Processes that were left to us (we are their subreaper) and are not among `known`: ended. */
void child_sweep(const pid_t *known, size_t n);

#endif
