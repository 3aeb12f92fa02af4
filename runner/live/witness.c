/* The lines by which an axis gets into the test. Axes with hooks: libfd.so notes the line at each
 * touch, the plugin those that draw from Python's own generator. Axes without: the first line whose
 * values differ between a failing and a passing run. */
#include "live/engine.h"

#include "axes/axis.h"
#include "base/clock.h"
#include "base/fdio.h"
#include "base/own.h"
#include "exec/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_MAX ((size_t)16 << 20)
/* Noting lines takes its time; under a value such as gc=every:1 more than a line is worth. */
#define WITNESS_LIMIT(g) (6 * NS_PER_S + 8 * (g)->first_ns)

static const char *relative(const struct engine *g, const char *path)
{
    size_t n = g->target->rootdir ? strlen(g->target->rootdir) : 0;
    return n && text_starts(path, g->target->rootdir) && path[n] == '/' ? path + n + 1 : path;
}

struct draws {
    const struct engine *g;
    const char *variable; /* whose reads are asked for; NULL: draws from Python's generator are */
    struct witness *at;
    size_t n, room;
};

static int take_draw(void *ctx, struct event *ev)
{
    struct draws *d = ctx;
    if (ev->kind != EVENT_WITNESS || d->n == d->room || !ev->file || !ev->function || !ev->call ||
        !d->variable != !ev->text || (ev->text && strcmp(ev->text, d->variable) != 0) ||
        (!d->variable && !text_starts(ev->call, "random.")))
        return 0;
    struct witness *w = &d->at[d->n++];
    *w = (struct witness){.axis = d->variable ? FD_AXIS_ENV : FD_AXIS_RNG,
                          .line = (unsigned)ev->line,
                          .count = (uint64_t)ev->count};
    text_copy(w->file, sizeof w->file, relative(d->g, ev->file));
    text_copy(w->function, sizeof w->function, ev->function);
    text_copy(w->call, sizeof w->call, d->variable ? d->variable : ev->call);
    return 0;
}

struct askings {
    struct witness *at;
    size_t n;
};

/* The name that Python has for it says that the line itself asked. */
static int take_asking(void *ctx, struct event *ev)
{
    struct askings *a = ctx;
    if (ev->kind != EVENT_WITNESS || !ev->file || !ev->call || !text_starts(ev->call, "os."))
        return 0;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->at[i].call, "fstat") == 0 && a->at[i].line == (unsigned)ev->line &&
            text_ends(ev->file, a->at[i].file))
            text_copy(a->at[i].call, sizeof a->at[i].call, ev->call);
    return 0;
}

/* Python asks for the state of each file that it opens or reads to the end: of such lines none is
 * left, unless there are no others. */
static size_t only_asked(const struct observed *o, struct witness *at, size_t n)
{
    struct askings asked = {at, n};
    struct err ignored;
    size_t kept = 0;
    (void)judge_events(o->folder, take_asking, &asked, &ignored);
    for (size_t i = 0; i < n; i++)
        if (strcmp(at[i].call, "fstat") != 0)
            at[kept++] = at[i];
    return kept ? kept : n;
}

static int most_first(const void *a, const void *b)
{
    const struct witness *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

/* Of what depends on the machine's pace, lines that wait say more than those that look at a clock:
 * unless there are none that wait. */
static int waits_first(const void *a, const void *b)
{
    const struct witness *x = a, *y = b;
    int reads = strcmp(x->call, "clock_gettime") == 0,
        other = strcmp(y->call, "clock_gettime") == 0;
    return reads != other ? reads - other : most_first(a, b);
}

/* The name in "NAME=value" or "-NAME"; of the lines, those that read it: n of them. */
static size_t only_of_variable(const char *value, char *ret_name, struct witness *at, size_t n)
{
    size_t kept = 0;
    text_copy(ret_name, SETTING_VALUE_MAX, value + (*value == '-'));
    ret_name[strcspn(ret_name, "=")] = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(at[i].call, ret_name, sizeof at[i].call - 1) == 0)
            at[kept++] = at[i];
    return kept;
}

/* Lines that touched the axis through a hook, or drew from Python's generator. */
static size_t by_touch(struct engine *g, enum fd_axis a, const struct setting *failing,
                       struct witness *ret, size_t room)
{
    own_observed struct observed o = {0};
    struct err ignored; /* a witness run that fails leaves the finding without a line */
    if (engine_observe(g, &(struct observing){failing, "draws", NULL, WITNESS_LIMIT(g)}, &o,
                       &ignored) < 0)
        return 0;
    size_t n = page_witness(&o.page, a, ret, room);
    if (a == FD_AXIS_FS && text_starts(failing->value[a], "mtime:")) /* else who opens counts too */
        n = only_asked(&o, ret, n);
    for (size_t i = 0; i < n; i++) {
        char path[sizeof ret[i].file];
        text_copy(path, sizeof path, ret[i].file);
        text_copy(ret[i].file, sizeof ret[i].file, relative(g, path));
    }
    char name[SETTING_VALUE_MAX] = "";
    if (a == FD_AXIS_ENV)
        n = only_of_variable(failing->value[a], name, ret, n);
    if (a == FD_AXIS_RNG || a == FD_AXIS_ENV) {
        struct draws d = {.g = g, .at = ret, .n = n, .room = room, .variable = *name ? name : NULL};
        (void)judge_events(o.folder, take_draw, &d, &ignored);
        n = d.n;
    }
    /* In the order of the reads where there is one, else the busiest line first. */
    if (a != FD_AXIS_TIME)
        qsort(ret, n, sizeof *ret, a == FD_AXIS_TIMING ? waits_first : most_first);
    return n;
}

static bool read_trace(const struct observed *o, struct text *out)
{
    own_text struct text path = {0};
    struct err ignored;
    text_addf(&path, "%s/v", o->folder);
    return fdio_read_file(text_str(&path), TRACE_MAX, out, &ignored) == 0 && out->len > 0;
}

/* A record is "path:line TAB function TAB digest". */
static bool parse_record(const struct engine *g, const char *record, struct witness *w)
{
    const char *tab = strchr(record, '\t');
    const char *second = tab ? strchr(tab + 1, '\t') : NULL;
    if (!second)
        return false;
    const char *colon = tab;
    while (colon > record && *colon != ':')
        colon--;
    own_text struct text path = {0}, function = {0};
    text_addn(&path, record, (size_t)(colon - record));
    text_addn(&function, tab + 1, (size_t)(second - tab - 1));
    w->line = (unsigned)strtoul(colon + 1, NULL, 10);
    w->count = 1;
    text_copy(w->file, sizeof w->file, relative(g, text_str(&path)));
    text_copy(w->function, sizeof w->function, text_str(&function));
    text_copy(w->call, sizeof w->call, "value");
    return w->line > 0;
}

/* The traces of two runs side by side, and whether each failed; `in_test`: of the test alone,
 * without what came before it. False: one of them has none. */
static bool trace_pair(struct engine *g, const struct setting at[2], bool in_test,
                       struct text out[2], bool ret_failed[2])
{
    const struct observing how[2] = {
        {&at[0], in_test ? "test" : "values", NULL, WITNESS_LIMIT(g)},
        {&at[1], in_test ? "test" : "values", NULL, WITNESS_LIMIT(g)},
    };
    struct observed o[2] = {0};
    struct err ignored;
    bool all = engine_observe_all(g, how, 2, o, &ignored) == 0;
    for (int i = 0; i < 2; i++) {
        struct outcome came;
        all = all && o[i].status != -1 && read_trace(&o[i], &out[i]);
        ret_failed[i] = all && engine_judge(g, o[i].folder, o[i].status, &came, &ignored) == 0 &&
                        outcome_failed(&came);
    }
    observed_done(&o[0]);
    observed_done(&o[1]);
    return all;
}

/* Tracing allocates too, and a layout is another one then: other values are drawn until one run
 * has failed and one has passed. */
static bool trace_both(struct engine *g, enum fd_axis a, const struct setting *failing,
                       const struct setting *passing, struct text *ret_failing,
                       struct text *ret_passing)
{
    enum { TRIES = 12 };
    struct text *const traces[2] = {ret_failing, ret_passing};
    bool drawn = axes[a]->replay_tries > 0, all = true;
    bool in_test = setting_holds(failing, FD_AXIS_ORDER); /* the others' lines differ anyhow */
    for (unsigned i = 0; all && i < (drawn ? TRIES : 2) && !(traces[0]->len && traces[1]->len);
         i += 2) {
        struct text one[2] = {0};
        struct setting at[2] = {*failing, *passing};
        char value[SETTING_VALUE_MAX];
        bool failed[2];
        for (unsigned k = 0; i > 0 && k < 2; k++) {
            axes[a]->draw(i + k, value);
            at[k] = *passing;
            setting_hold(&at[k], a, value);
        }
        all = trace_pair(g, at, in_test, one, failed);
        for (unsigned k = 0; k < 2; k++) {
            struct text *to = traces[drawn ? !failed[k] : k];
            if (all && to->len == 0)
                text_addn(to, one[k].at, one[k].len);
            text_done(&one[k]);
        }
    }
    return traces[0]->len && traces[1]->len;
}

/* The first record in which the two traces differ. */
static size_t by_values(struct engine *g, enum fd_axis a, const struct setting *failing,
                        const struct setting *passing, struct witness *ret)
{
    own_text struct text x = {0}, y = {0};
    if (!trace_both(g, a, failing, passing, &x, &y))
        return 0;
    size_t line = 0, i = 0;
    for (; i < x.len && i < y.len && x.at[i] == y.at[i]; i++)
        if (x.at[i] == '\n')
            line = i + 1;
    if (i == x.len && i == y.len)
        return 0;
    *ret = (struct witness){.axis = a};
    /* One may end where the other goes on: there the line stands that did not come to its end. */
    return parse_record(g, (line < x.len ? x.at : y.at) + line, ret) ? 1 : 0;
}

/* Whether it may know how much time went by: by two looks at the wall clock, from wherever. */
static bool measures_time(const struct page *p)
{
    struct witness line[8];
    uint64_t reads = 0;
    for (size_t n = page_witness(p, FD_AXIS_TIME, line, 8); n-- > 0;)
        reads += line[n].count;
    return reads > 1;
}

int engine_touches(struct source *s, uint32_t *ret_axes, struct err *e)
{
    struct engine *g = (struct engine *)s;
    own_observed struct observed o = {0};
    struct witness line;
    if (g->target->program.n) /* all it does is its own */
        return 0;
    /* A test that hangs now and then may do so here: no longer than the budget lasts. */
    int64_t left = g->pool.deadline_ns - clock_mono_ns();
    int64_t limit = left < WITNESS_LIMIT(g) ? left : WITNESS_LIMIT(g);
    if (limit < NS_PER_S)
        limit = NS_PER_S;
    if (engine_observe(g, &(struct observing){NULL, "draws", NULL, limit}, &o, e) < 0)
        return -1;
    /* Lines are known of the main thread of the first process alone: where others took part, what
     * was counted has to do. */
    if (o.page.at->slots > 1 || o.page.at->attached > 1 || o.page.at->windows == 0)
        return 0;
    struct draws d = {.g = g, .at = &line, .room = 1};
    if (judge_events(o.folder, take_draw, &d, e) < 0)
        return -1;
    /* What modules read as they were imported is decided by now as well. */
    const struct fd_seen *seen = page_seen(&g->first_page);
    *ret_axes = seen ? seen->reads : 0;
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++)
        if ((s->hooked & axis_bit(a)) &&
            (page_witness(&o.page, a, &line, 1) > 0 || (a == FD_AXIS_RNG && d.n > 0) ||
             (axes[a]->matters && page_seen(&g->first_page) &&
              axes[a]->matters(page_seen(&g->first_page)))))
            *ret_axes |= axis_bit(a);
    if (measures_time(&o.page))
        *ret_axes |= axis_bit(FD_AXIS_TIMING);
    return 0;
}

size_t engine_witness(struct source *s, enum fd_axis a, const struct setting *failing,
                      const struct setting *passing, struct witness *ret, size_t room)
{
    struct engine *g = (struct engine *)s;
    size_t n = 0;
    if (g->target->program.n) /* no line of Python's is asked for */
        return 0;
    if (s->hooked & axis_bit(a))
        n = by_touch(g, a, failing, ret, room);
    if (n == 0 && room > 0)
        n = by_values(g, a, failing, passing, ret);
    return n;
}
