#ifndef FR_BASE_ERR_H
#define FR_BASE_ERR_H
/* What went wrong, in words for the user. Lives on the caller's stack and owns nothing, so it can
 * be filled in when memory is gone and never needs releasing.
 *
 * Contract: a function that takes a struct err * returns 0, or -1 with the error set. On success
 * the error is untouched. Only cli/ prints one; everyone below returns it. Not shared between
 * threads. */
enum err_kind {
    ERR_NONE,
    ERR_USAGE,     /* the user asked for something that cannot be: exit 2 */
    ERR_SETUP,     /* a part is missing or unfit: exit 2 */
    ERR_SYSTEM,    /* the system refused: exit 2 */
    ERR_STALE,     /* a recorded repro does not fit any more: exit 2 */
    ERR_INTERRUPT, /* the user pressed Ctrl-C: exit 130 */
    ERR_BUG,       /* we are wrong: exit 70 */
};

struct err {
    enum err_kind kind; /* chooses the exit status */
    int os;             /* errno at the point of failure, or 0 */
    char what[640];     /* "opening page: No such file or directory" */
    char hint[320];     /* what to try next, or "" */
};

/* All four return -1, so that a caller can say `return err_set(e, …)`. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int err_sys(struct err *e, const char *fmt, ...) /* adds errno's text */
    __attribute__((format(printf, 2, 3)));
int err_while(struct err *e, const char *fmt, ...) /* prepends "doing X: " */
    __attribute__((format(printf, 2, 3)));
int err_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
