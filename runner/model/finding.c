#include "model/finding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void finding_done(struct finding *f)
{
    text_done(&f->headline);
    text_done(&f->explanation);
    text_done(&f->stack);
    evidence_done(&f->evidence);
    argv_done(&f->warnings);
    argv_done(&f->layers);
    argv_done(&f->repro.order);
    for (size_t i = 0; i < f->causes; i++)
        argv_done(&f->cause[i].tests);
    free(f->repro.command);
    free(f->repro.blob);
    free(f->repro.marker);
    free(f->concurrency);
    *f = (struct finding){0};
}

void finding_warn(struct finding *f, const char *fmt, ...)
{
    own_text struct text t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_addv(&t, fmt, ap);
    va_end(ap);
    if (!argv_has(&f->warnings, text_str(&t)))
        argv_add(&f->warnings, text_str(&t));
}

void finding_skip(struct finding *f, enum fd_axis a, const char *reason)
{
    for (size_t i = 0; i < f->skipped; i++)
        if (f->axis_skipped[i].axis == a)
            return;
    struct skipped_axis *s = &f->axis_skipped[f->skipped++];
    s->axis = a;
    text_copy(s->reason, sizeof s->reason, reason);
}

void finding_verdict(const struct finding *f, struct text *out)
{
    static const char *const words[] = {
        [VERDICT_NONE] = "incomplete",
        [VERDICT_FLAKY] = "flaky",
        [VERDICT_UNATTRIBUTED] = "flaky-unattributed",
        [VERDICT_DETERMINISTIC] = "deterministic-failure",
        [VERDICT_HANG] = "hang",
        [VERDICT_NOT_FLAKY] = "not-flaky",
        [VERDICT_SKIPPED] = "skipped",
        [VERDICT_USAGE] = "usage-error",
        [VERDICT_NO_TESTS] = "no-tests",
        [VERDICT_HELD] = "held-side-effects",
        [VERDICT_INCOMPLETE] = "incomplete",
    };
    text_add(out, words[f->verdict]);
    for (size_t i = 0; f->verdict == VERDICT_FLAKY && i < f->causes; i++)
        text_addf(out, "%c%s", i ? '+' : '-', axis_word(f->cause[i].axis));
}

void baseline_note(struct baseline *b, const struct outcome *o)
{
    size_t i = 0;
    while (i < b->prints && !fingerprint_same(&b->print[i].print, &o->print))
        i++;
    if (i == PRINTS_MAX)
        return;
    if (i == b->prints) {
        b->print[i] = (struct seen_print){.print = o->print};
        text_copy(b->print[i].message, sizeof b->print[i].message, o->message);
        b->prints++;
    }
    b->print[i].count++;
    for (; i > 0 && b->print[i].count > b->print[i - 1].count; i--) {
        struct seen_print t = b->print[i];
        b->print[i] = b->print[i - 1];
        b->print[i - 1] = t;
    }
}
