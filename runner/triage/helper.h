#ifndef FR_TRIAGE_HELPER_H
#define FR_TRIAGE_HELPER_H
/* A program that answers what it reads on stdin, in a process group of its own that ends with it:
 * whatever it starts is killed with it. Single-threaded use. */
#include <stdint.h>
#include <sys/types.h>

#include "base/argv.h"
#include "base/err.h"
#include "base/text.h"
#include "triage/provider.h"

struct helper {
    pid_t pid;        /* 0: none */
    int in, out, err; /* its stdin, stdout, stderr; -1: closed */
    struct text said; /* the end of what it wrote to stderr */
    struct text got;  /* of its stdout, not taken yet */
};
#define HELPER_NONE ((struct helper){.in = -1, .out = -1, .err = -1})

/* argv[0] is looked up in PATH. An exec that fails is an error here. */
int helper_start(const struct argv *argv, char *const *env, struct helper *ret, struct err *e);

enum helper_until {
    UNTIL_LINE, /* it lives on */
    UNTIL_END,  /* its stdin is closed, and it is to end with status 0 */
};
struct exchange {
    const char *say;
    enum helper_until until;
    int64_t deadline_ns; /* monotonic */
    size_t most;         /* bytes of an answer; more is an error */
};
/* ASKED_LATE and ASKED_FAILED leave it in no state to be asked again. */
enum asked helper_exchange(struct helper *h, const struct exchange *x, struct text *reply,
                           struct err *e);

/* Its stdin is closed, at which it ends by itself, or is stopped at the deadline (monotonic). */
void helper_finish(struct helper *h, int64_t deadline_ns);
void helper_stop(struct helper *h); /* for certain; one that is not there too */
#define own_helper __attribute__((cleanup(helper_stop)))

#endif
