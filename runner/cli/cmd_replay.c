#include "cli/cli.h"
#include "cli/say.h"
#include "live/live.h"
#include "report/columns.h"

/* pytest has already printed what it saw; one line says what that means for the recording. */
static void verdict(const struct replay_result *r, struct text *out)
{
    own_text struct text line = {0};
    const struct fingerprint *got = &r->outcome.print;
    if (r->reproduced)
        text_addf(&line, "reproduced: %s fails as recorded, %s", r->nodeid, got->type);
    else
        text_addf(&line, "DID NOT REPRODUCE: %s ", r->nodeid);
    if (r->reproduced && *got->site)
        text_addf(&line, " at %s", got->site);
    if (!r->reproduced && outcome_failed(&r->outcome))
        text_addf(&line, "failed as %s at %s, recorded was %s at %s", got->type, got->site,
                  r->wanted.type, r->wanted.site);
    else if (!r->reproduced)
        text_addf(&line, "came to \"%s\"", outcome_word(r->outcome.kind));
    if (r->layouts > 1)
        text_addf(&line, r->reproduced ? " (after %u address layouts)" : " with %u address layouts",
                  r->layouts);
    if (*r->missing)
        text_addf(&line, "; %s, which ran before it, is not there any more", r->missing);
    columns_clean(text_str(&line), out);
    text_addc(out, '\n');
}

enum status cmd_replay(const struct options *o, const struct term *t)
{
    struct err e = {0};
    struct replay_result result = {0};
    struct request q = {
        .args = &o->pytest_args,
        .program = o->program ? &o->pytest_args : NULL,
        .python = o->python,
        .axes = o->axes,
        .budget_ns = o->budget_ns,
        .allow_side_effects = o->allow_side_effects,
    };
    (void)t;
    if (!o->target) {
        err_set(&e, ERR_USAGE, "replay needs a BLOB");
        err_hint(&e, "it begins with fd1: and stands in a report made with --json, as repro.blob");
        return say_error(&e);
    }
    if (live_replay(o->target, &q, &result, &e) < 0)
        return say_error(&e);
    own_text struct text out = {0};
    verdict(&result, &out);
    if (say_result(&out, &e) < 0)
        return say_error(&e);
    return result.reproduced ? STATUS_FLAKY : STATUS_OPEN;
}
