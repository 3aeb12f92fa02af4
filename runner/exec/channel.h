#ifndef FR_EXEC_CHANNEL_H
#define FR_EXEC_CHANNEL_H
/* What the plugin says: JSON, one object a line, {"v":1,"event":…}. The same lines come over the
 * channel of a warm process and in the file `r` of a trial. A line that cannot be read is an
 * error: a plugin of another version must not be half understood, and one that collects says of
 * which release it is. */
#include <stdbool.h>

#include "base/argv.h"
#include "base/err.h"
#include "base/text.h"

#define CHANNEL_VERSION 1

enum event_kind {
    EVENT_COLLECTED,     /* ids, rootdir, python, pytest, plugins, threads, errors; plugin (its
                          * release), plugin_path */
    EVENT_COLLECT_ERROR, /* id, text */
    EVENT_COLLECT_SKIP,  /* id */
    EVENT_BEGIN,         /* id: the tests before it are done */
    EVENT_PHASE,         /* id, when, outcome, xfail; type, site, message of a failure */
    EVENT_END,           /* id, changed */
    EVENT_FORKED,        /* pid */
    EVENT_DONE,          /* status: as waitpid gives it */
    EVENT_WITNESS,       /* file, line, function, call, count: a line that drew */
    EVENT_TRACE,         /* the trace of values, file `v`, is complete */
};

struct event {
    enum event_kind kind;
    char *id, *when, *outcome, *type, *site, *message, *text; /* owned; NULL if absent */
    char *file, *function, *call;
    char *rootdir, *python, *pytest, *plugin, *plugin_path;
    struct argv ids, plugins;
    bool xfail, drawn; /* drawn: Python's generators were drawn from */
    long pid, status, threads, errors, line, count;
};

void event_done(struct event *ev);
#define own_event __attribute__((cleanup(event_done)))

bool event_has(const struct event *ev, const char *nodeid); /* among ids */

int channel_parse(const char *line, struct event *ret_event, struct err *e);

/* The request line for one warm run of the test `nodeid` after the tests `before` it, newline
 * included. `held`: a word for what is held; the same one may build on what ran before. */
void channel_request(const char *folder, const char *nodeid, const struct argv *before,
                     const char *held, struct text *out);

#endif
