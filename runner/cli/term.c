#include "cli/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80 };

static bool set(const char *value)
{
    return value && *value;
}

/* A flag beats the environment; there "no" beats "force", as Python's own tools have it, and both
 * beat what the stream looks like. */
bool term_colour(const struct stream_facts *f, enum color_when when)
{
    if (when != COLOR_AUTO)
        return when == COLOR_ALWAYS;
    if (set(f->no_color))
        return false;
    if (set(f->force_color))
        return true;
    return term_live(f);
}

bool term_live(const struct stream_facts *f)
{
    return f->tty && !set(f->ci) && !(f->term && strcmp(f->term, "dumb") == 0);
}

bool term_foreground(int fd)
{
    return tcgetpgrp(fd) == getpgrp();
}

static struct stream_facts facts_of(int fd)
{
    return (struct stream_facts){
        .tty = isatty(fd),
        .term = getenv("TERM"),
        .no_color = getenv("NO_COLOR"),
        .force_color = getenv("FORCE_COLOR"),
        .ci = getenv("CI"),
    };
}

void term_decide(const struct options *o, struct term *ret)
{
    struct stream_facts out = facts_of(STDOUT_FILENO), err = facts_of(STDERR_FILENO);
    struct winsize size = {0};
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    *ret = (struct term){
        .out = {.colour = term_colour(&out, o->color), .verbose = o->verbose},
        .err = {.colour = term_colour(&err, o->color), .verbose = o->verbose},
        .live = term_live(&err),
        .width = known ? size.ws_col : WIDTH_DEFAULT,
    };
}
