#include "triage/github.h"

#include "triage/gate.h"
#include "triage/headline.h"

#include <string.h>

#define TITLE_MAX   200 /* bytes */
#define COMMAND_MAX 2000

/* As GitHub documents it: a property ends at a comma, its list at a colon. */
static void escaped(const char *s, bool property, struct text *out)
{
    for (; *s; s++) {
        if (*s == '%' || *s == '\r' || *s == '\n' || (property && (*s == ':' || *s == ',')))
            text_addf(out, "%%%02X", (unsigned)(unsigned char)*s);
        else
            text_addc(out, *s);
    }
}

static void title(const struct failure *f, struct text *out)
{
    own_text struct text t = {0}, cleaned = {0};
    text_addf(&t, "%s: %s", failure_label(f), f->nodeid ? f->nodeid : "");
    opinion_clean(text_str(&t), TITLE_MAX, &cleaned);
    text_add(out, "title=");
    escaped(text_str(&cleaned), true, out);
}

static void line(const char *s, struct text *out)
{
    if (*s)
        text_addf(out, "%s%s", out->len ? "\n" : "", s);
}

static void message(const struct failure *f, struct text *out)
{
    own_text struct text t = {0}, part = {0};
    failure_headline(f, &t);
    if (f->count > 1)
        text_addf(&t, " (and %zu more like it)", f->count - 1);
    failure_grounds(f, &part);
    line(text_str(&part), &t);
    if (f->rerun.command) {
        text_clear(&part);
        text_add(&part, "Fails every time: ");
        opinion_clean(f->rerun.command, COMMAND_MAX, &part);
        line(text_str(&part), &t);
    }
    escaped(text_str(&t), false, out);
}

static void annotation(const struct failure *f, const struct folder *at, struct text *out)
{
    own_spot struct spot spot = {0};
    own_text struct text file = {0};
    spot_of(f, at, &spot);
    text_addf(out, "::%s ", failure_is_flake(f) ? "warning" : "error");
    opinion_clean(text_str(&spot.file), FAILURE_MESSAGE_MAX, &file);
    if (file.len) {
        text_add(out, "file=");
        escaped(text_str(&file), true, out);
        text_addf(out, ",line=%u,", spot.line ? spot.line : 1);
    }
    title(f, out);
    text_add(out, "::");
    message(f, out);
    text_addc(out, '\n');
}

void github_annotations(const struct failures *f, const struct folder *at, struct text *out)
{
    for (size_t i = 0; i < f->n; i++)
        if (!failure_is_flake(&f->at[i]))
            annotation(&f->at[i], at, out);
    for (size_t i = 0; i < f->n; i++)
        if (failure_is_flake(&f->at[i]))
            annotation(&f->at[i], at, out);
}
