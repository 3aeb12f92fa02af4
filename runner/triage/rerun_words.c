#include "triage/rerun_words.h"

void rerun_words(const struct rerun *r, struct text *out)
{
    if (r->runs == 0) {
        text_add(out, r->reason ? r->reason : "nothing was run");
        return;
    }
    text_addf(out, "%u run%s, %u failed", r->runs, r->runs == 1 ? "" : "s", r->failed);
    for (size_t i = 0; i < r->causes; i++) {
        const struct rerun_cause *c = &r->cause[i];
        const char *axis = c->axis ? c->axis : "";
        text_addf(out, "%sfails with %s=%s", i ? ", " : "; ", axis, c->value ? c->value : "");
        if (c->passes)
            text_addf(out, ", passes with %s=%s", axis, c->passes);
    }
    if (r->verify_runs)
        text_addf(out, " (%u of %u failed, against %u of %u)", r->verify_failed, r->verify_runs,
                  r->passing_failed, r->passing_runs);
    if (r->reason)
        text_addf(out, "; %s", r->reason);
}
