#include "search/logged.h"

#include "base/own.h"

#include <stdlib.h>
#include <string.h>

struct log_asked { /* one trial of a batch that the log does not know */
    size_t job;    /* its place in the caller's batch */
    bool noted;
};

static int64_t now_ns(struct source *s)
{
    struct logged *l = (struct logged *)s;
    if (!l->live)
        return l->virtual_ns;
    return l->virtual_ns + l->inner->ops->now_ns(l->inner) - l->inner_ns;
}

static void go_live(struct logged *l)
{
    if (l->live)
        return;
    l->inner_ns = l->inner->ops->now_ns(l->inner);
    l->live = true;
}

static struct log_entry *find(struct logged *l, enum log_kind kind, const char *setting,
                              enum tier tier)
{
    for (size_t i = 0; i < l->log->n; i++) {
        struct log_entry *one = &l->log->entry[i];
        if (!one->used && one->kind == kind && one->nodeid && strcmp(one->nodeid, l->nodeid) == 0 &&
            (kind != LOG_TRIAL ||
             (one->wished == tier && strcmp(one->setting ? one->setting : "", setting) == 0)))
            return one;
    }
    return NULL;
}

static void take(struct logged *l, struct log_entry *one)
{
    one->used = true;
    if (!l->live && one->at_ns > l->virtual_ns)
        l->virtual_ns = one->at_ns;
}

struct pass { /* what is passed on to the inner source */
    struct logged *l;
    struct trial *trial;
    struct log_asked *asked;
};

static void note(struct pass *p, size_t i, const struct outcome *o)
{
    if (p->asked[i].noted || (o->kind == OUTCOME_NOT_RUN && o->took_ns == 0))
        return;
    own_text struct text setting = {0};
    setting_text(&p->trial[i].at, &setting);
    union { /* borrowed, and only read */
        const char *from;
        char *to;
    } id = {p->l->nodeid};
    struct log_entry one = {.kind = LOG_TRIAL,
                            .nodeid = id.to,
                            .setting = setting.at,
                            .wished = p->trial[i].tier,
                            .outcome = *o,
                            .at_ns = now_ns(&p->l->base)};
    text_copy(one.phase, sizeof one.phase, p->l->base.phase ? p->l->base.phase : "");
    trial_log_append(p->l->log, &one);
    p->asked[i].noted = true;
}

static void ended(void *ctx, size_t i, const struct outcome *o)
{
    note(ctx, i, o);
}

static int pass_on(struct pass *p, size_t n, struct outcome *ret, struct err *e)
{
    struct source *inner = p->l->inner;
    own_mem struct outcome *got = mem_or_die(n * sizeof *got);
    go_live(p->l);
    inner->ended = ended;
    inner->ended_ctx = p;
    int did = inner->ops->run(inner, p->trial, n, got, e);
    inner->ended = NULL;
    for (size_t i = 0; did == 0 && i < n; i++) {
        note(p, i, &got[i]);
        ret[p->asked[i].job] = got[i];
    }
    return did;
}

static int run(struct source *s, const struct trial *batch, size_t n, struct outcome *ret,
               struct err *e)
{
    struct logged *l = (struct logged *)s;
    own_mem struct trial *rest = mem_or_die((n + 1) * sizeof *rest);
    own_mem struct log_asked *asked = mem_or_die((n + 1) * sizeof *asked);
    size_t passed = 0;
    for (size_t i = 0; i < n; i++) {
        own_text struct text setting = {0};
        setting_text(&batch[i].at, &setting);
        struct log_entry *known = find(l, LOG_TRIAL, text_str(&setting), batch[i].tier);
        if (known) {
            take(l, known);
            ret[i] = known->outcome;
        } else {
            asked[passed].job = i;
            rest[passed++] = batch[i];
        }
    }
    struct pass p = {.l = l, .trial = rest, .asked = asked};
    return passed ? pass_on(&p, passed, ret, e) : 0;
}

static int touches(struct source *s, uint32_t *ret_axes, struct err *e)
{
    struct logged *l = (struct logged *)s;
    struct log_entry *known = find(l, LOG_TOUCHES, "", TIER_FRESH);
    if (known) {
        take(l, known);
        *ret_axes = known->axes;
        return 0;
    }
    go_live(l);
    if (l->inner->ops->touches(l->inner, ret_axes, e) < 0)
        return -1;
    union {
        const char *from;
        char *to;
    } id = {l->nodeid};
    const struct log_entry one = {
        .kind = LOG_TOUCHES, .nodeid = id.to, .axes = *ret_axes, .at_ns = now_ns(s)};
    trial_log_append(l->log, &one);
    return 0;
}

static int before(struct source *s, enum before_level level, size_t *ret_n, struct err *e)
{
    struct logged *l = (struct logged *)s;
    return l->inner->ops->before(l->inner, level, ret_n, e); /* asked again: it costs one run */
}

static struct source *inner_of(struct source *s)
{
    return ((struct logged *)s)->inner;
}

static bool draw(struct source *s, enum fd_axis a, uint64_t seed, char *ret_value)
{
    return inner_of(s)->ops->draw(inner_of(s), a, seed, ret_value);
}

static bool recorded(struct source *s, enum fd_axis a, const struct outcome *o, char *ret_value)
{
    return inner_of(s)->ops->recorded(inner_of(s), a, o, ret_value);
}

static bool provoke(struct source *s, enum fd_axis a, const struct outcome *seen, size_t nth,
                    char *ret_value)
{
    return inner_of(s)->ops->provoke(inner_of(s), a, seen, nth, ret_value);
}

static bool benign(struct source *s, enum fd_axis a, const struct outcome *seen,
                   const char *failing, size_t nth, char *ret_value)
{
    return inner_of(s)->ops->benign(inner_of(s), a, seen, failing, nth, ret_value);
}

static bool plainer(struct source *s, enum fd_axis a, const struct outcome *seen,
                    const char *failing, size_t nth, char *ret_value)
{
    return inner_of(s)->ops->plainer(inner_of(s), a, seen, failing, nth, ret_value);
}

static bool requirement(struct source *s, enum fd_axis a, const char *value)
{
    return inner_of(s)->ops->requirement(inner_of(s), a, value);
}

static size_t witness(struct source *s, enum fd_axis a, const struct setting *failing,
                      const struct setting *passing, struct witness *ret, size_t room)
{
    return inner_of(s)->ops->witness(inner_of(s), a, failing, passing, ret, room);
}

#define OPS                                                                                        \
    .run = run, .now_ns = now_ns, .draw = draw, .recorded = recorded, .provoke = provoke,          \
    .benign = benign, .plainer = plainer, .requirement = requirement

void logged_init(struct logged *l, struct source *inner, struct trial_log *log, const char *nodeid)
{
    *l =
        (struct logged){.base = *inner, .inner = inner, .log = log, .nodeid = nodeid, .ops = {OPS}};
    /* What a source may lack is there where the inner one has it. */
    l->ops.touches = inner->ops->touches ? touches : NULL;
    l->ops.witness = inner->ops->witness ? witness : NULL;
    l->ops.before = inner->ops->before ? before : NULL;
    l->base.ops = &l->ops;
}

bool logged_first(const struct trial_log *log, const char *nodeid, struct outcome *ret_first,
                  int64_t *ret_used_ns)
{
    bool known = false;
    *ret_used_ns = 0;
    for (size_t i = 0; i < log->n; i++) {
        const struct log_entry *one = &log->entry[i];
        if (!one->nodeid || strcmp(one->nodeid, nodeid) != 0)
            continue;
        if (one->kind == LOG_FIRST && !known) {
            *ret_first = one->outcome;
            known = true;
        }
        if (one->at_ns > *ret_used_ns)
            *ret_used_ns = one->at_ns;
    }
    return known;
}
