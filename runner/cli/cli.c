#include "cli/cli.h"

#include "cli/help.h"
#include "cli/say.h"
#include "cli/stop.h"

#include <fcntl.h>
#include <unistd.h>

static enum status (*const run[COMMAND_COUNT])(const struct options *, const struct term *) = {
    [COMMAND_DIAGNOSE] = cmd_diagnose,
    [COMMAND_AXES] = cmd_axes,
    [COMMAND_ENV] = cmd_env,
    [COMMAND_SESSION] = cmd_session,
    [COMMAND_REPLAY] = cmd_replay,
    [COMMAND_REPORT] = cmd_report,
    [COMMAND_TRIAGE] = cmd_triage,
    [COMMAND_CI] = cmd_ci,
};

/* A stream that was closed before we started would be taken by the first file we open, and a
 * report would end up in it. */
static void keep_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static enum status show(void (*words)(struct text *))
{
    own_text struct text out = {0};
    struct err e = {0};
    words(&out);
    return say_result(&out, &e) < 0 ? say_error(&e) : STATUS_NOTHING_SHOWN;
}

int cli_main(int argc, char **argv, char **env)
{
    struct err e = {0};
    own_options struct options o = {0};
    keep_streams();
    stop_install();
    if (argc == 0)
        return STATUS_NO_WORK;
    if (options_parse(argv + 1, env, &o, &e) < 0)
        return (int)say_error(&e);
    switch (o.wish) {
    case WISH_HELP_SHORT:
        return (int)show(o.command == COMMAND_CI ? help_ci : help_short);
    case WISH_HELP:
        return (int)show(o.command == COMMAND_CI ? help_ci : help_all);
    case WISH_VERSION:
        return (int)show(help_version);
    case WISH_WORK:
        break;
    }
    struct term t;
    term_decide(&o, &t);
    return (int)run[o.command](&o, &t);
}
