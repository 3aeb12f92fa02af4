#ifndef FD_STOP_H
#define FD_STOP_H
/* What the library says, one line on fd 2 by a single raw write, and how it ends a process it
 * cannot serve. A shim that quietly does nothing makes every conclusion false. */

/* fd_say("PATH", " is …"): writes "libfd: PATH is …\n". */
#define fd_say(...) fd_say_parts((const char *const[]){__VA_ARGS__, (const char *)0})
void fd_say_parts(const char *const *parts);

/* fd_stop("what is wrong", "; what to do"): the same, then _exit(FD_EXIT). */
#define fd_stop(...) fd_stop_parts((const char *const[]){__VA_ARGS__, (const char *)0})
__attribute__((noreturn)) void fd_stop_parts(const char *const *parts);

#endif
