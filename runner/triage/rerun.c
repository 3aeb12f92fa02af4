#include "triage/rerun.h"

#include "base/own.h"
#include "model/finding.h"

#include <stdlib.h>
#include <string.h>

#define NETWORK_CUT "network cut off" /* among the layers of a finding */
#define AFTER       "other test"      /* in the label of a row: so many before it */

void rerun_done(struct rerun *r)
{
    char *texts[] = {r->status,   r->reason, r->command, r->blob,     r->look_at,
                     r->headline, r->advice, r->said,    r->provoked, r->reached};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (size_t i = 0; i < r->causes; i++) {
        free(r->cause[i].axis);
        free(r->cause[i].value);
        free(r->cause[i].passes);
        argv_done(&r->cause[i].tests);
    }
    for (size_t i = 0; i < r->kinds; i++) {
        free(r->kind[i].type);
        free(r->kind[i].site);
        free(r->kind[i].message);
    }
    for (size_t i = 0; i < r->needs; i++) {
        free(r->need[i].axis);
        free(r->need[i].value);
        free(r->need[i].type);
        free(r->need[i].site);
    }
    *r = (struct rerun){0};
}

static char *copy(const char *s)
{
    return s ? str_or_die(s) : NULL;
}

static char *said(const char *s) /* "" is nothing */
{
    return s && *s ? str_or_die(s) : NULL;
}

void rerun_copy(struct rerun *to, const struct rerun *from)
{
    *to = *from;
    char **texts[] = {&to->status,   &to->reason, &to->command, &to->blob,     &to->look_at,
                      &to->headline, &to->advice, &to->said,    &to->provoked, &to->reached};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = copy(*texts[i]);
    for (size_t i = 0; i < to->causes; i++) {
        const struct rerun_cause *c = &from->cause[i];
        to->cause[i] = (struct rerun_cause){copy(c->axis), copy(c->value), copy(c->passes), {0}};
        argv_copy(&to->cause[i].tests, &c->tests);
    }
    for (size_t i = 0; i < to->kinds; i++) {
        const struct rerun_kind *k = &from->kind[i];
        to->kind[i] = (struct rerun_kind){copy(k->type), copy(k->site), copy(k->message), k->count};
    }
    for (size_t i = 0; i < to->needs; i++) {
        const struct rerun_need *n = &from->need[i];
        to->need[i] =
            (struct rerun_need){copy(n->axis), copy(n->value), copy(n->type), copy(n->site)};
    }
}

static void take_causes(const struct finding *f, struct rerun *ret)
{
    for (size_t i = 0; i < f->causes && i < RERUN_CAUSES_MAX; i++) {
        const struct cause *c = &f->cause[i];
        struct rerun_cause *to = &ret->cause[ret->causes++];
        to->axis = str_or_die(axis_word(c->axis));
        to->value = said(c->value);
        to->passes = said(c->benign);
        argv_copy(&to->tests, &c->tests);
        if (ret->look_at || c->witnesses == 0)
            continue;
        own_text struct text at = {0};
        text_addf(&at, "%s:%u", c->witness[0].file, c->witness[0].line);
        ret->look_at = str_or_die(text_str(&at));
    }
}

static void take_kinds(const struct finding *f, struct rerun *ret)
{
    for (size_t i = 0; i < f->baseline.prints && i < RERUN_KINDS_MAX; i++) {
        const struct seen_print *p = &f->baseline.print[i];
        ret->kind[ret->kinds++] = (struct rerun_kind){said(p->print.type), said(p->print.site),
                                                      said(p->message), p->count};
    }
}

static void take_surroundings(const struct finding *f, struct rerun *ret)
{
    for (size_t i = 0; i < f->requirements && i < RERUN_NEEDS_MAX; i++) {
        const struct requirement *q = &f->requirement[i];
        ret->need[ret->needs++] = (struct rerun_need){
            str_or_die(axis_word(q->axis)), said(q->value), said(q->exception), said(q->site)};
    }
    for (size_t i = 0; i < f->skipped; i++)
        ret->network_untouched |= f->axis_skipped[i].axis == FD_AXIS_NETWORK;
    for (size_t i = 0; i < f->evidence.n; i++) {
        const struct row *row = &f->evidence.at[i];
        bool after = strstr(row->label, AFTER) != NULL;
        ret->after_runs += after ? row->runs : 0;
        ret->after_failed += after ? row->failed : 0;
    }
    for (size_t i = 0; i < f->layers.n; i++)
        ret->network_cut |= strcmp(f->layers.at[i], NETWORK_CUT) == 0;
    for (size_t i = 0; i < f->effects && !ret->reached; i++)
        if (strcmp(f->effect[i].kind, "outside") == 0)
            ret->reached = str_or_die(f->effect[i].what);
}

static void say_why(const struct finding *f, struct rerun *ret)
{
    own_text struct text why = {0};
    const char *told = text_str(&f->explanation);
    switch (f->verdict) {
    case VERDICT_HELD:
        text_addf(&why, "it was not run again: %s", told);
        for (size_t i = 0; i < f->effects; i++)
            text_addf(&why, "%s%s", i ? ", " : " Seen: ", f->effect[i].what);
        break;
    case VERDICT_SKIPPED:
        text_add(&why, "it was skipped when it was run again");
        break;
    case VERDICT_NO_TESTS:
        text_add(&why, "no test was collected under this id when it was run again");
        break;
    case VERDICT_USAGE:
        text_addf(&why, "pytest could not run it again: %s", told);
        break;
    case VERDICT_NONE:
    case VERDICT_INCOMPLETE:
        text_add(&why, f->interrupted ? "it was interrupted" : "its share of the budget ended");
        text_addf(&why, "%s%s", *told ? ": " : "", told);
        break;
    case VERDICT_FLAKY:
    case VERDICT_UNATTRIBUTED:
    case VERDICT_DETERMINISTIC:
    case VERDICT_HANG:
    case VERDICT_NOT_FLAKY:
        return;
    }
    ret->reason = str_or_die(text_str(&why));
}

void rerun_fill(const struct finding *f, const char *advice, struct rerun *ret)
{
    own_text struct text status = {0};
    finding_verdict(f, &status);
    *ret = (struct rerun){.status = str_or_die(text_str(&status)),
                          .runs = f->baseline.runs,
                          .failed = f->baseline.failed,
                          .trials = f->stats.trials,
                          .seconds = f->stats.seconds,
                          .verify_runs = f->verify.runs,
                          .verify_failed = f->verify.failed,
                          .passing_runs = f->counterfactual.runs,
                          .passing_failed = f->counterfactual.failed,
                          .command = copy(f->repro.command),
                          .blob = f->repro.command ? copy(f->repro.blob) : NULL,
                          .headline = said(text_str(&f->headline)),
                          .advice = said(advice),
                          .said = said(text_str(&f->explanation)),
                          .provoked = said(f->print.type)};
    take_causes(f, ret);
    take_kinds(f, ret);
    take_surroundings(f, ret);
    say_why(f, ret);
}

void rerun_count_collection(struct rerun *r, const char *exc_type)
{
    bool alike = !exc_type || (r->said && strstr(r->said, exc_type));
    if (!r->status || strcmp(r->status, "usage-error") != 0 || !alike)
        return;
    r->runs = r->failed = 1;
    free(take_ptr(&r->reason));
}

void rerun_none(const char *reason, struct rerun *ret)
{
    *ret = (struct rerun){.reason = str_or_die(reason)};
}
