#include "cli/stop.h"

#include "cli/status.h"
#include "live/live.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t asked; /* times the user asked to stop */

static void on_stop(int signal)
{
    static const char line[] = "\nflaky-repro: stopping; once more leaves at once\n";
    (void)signal;
    int had = errno;
    if (asked)
        _exit(STATUS_INTERRUPTED);
    asked = 1;
    live_interrupt();
    (void)!write(STDERR_FILENO, line, sizeof line - 1);
    errno = had;
}

/* A handler and not SIG_IGN: what is ignored stays ignored in the tests we start, a handler is
 * reset by exec. */
static void on_pipe(int signal)
{
    (void)signal;
}

void stop_install(void)
{
    struct sigaction stop = {.sa_handler = on_stop}, pipe = {.sa_handler = on_pipe};
    sigemptyset(&stop.sa_mask);
    sigemptyset(&pipe.sa_mask);
    pipe.sa_flags = SA_RESTART;
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGPIPE, &pipe, NULL);
}
