#include "triage/headline.h"

#include "triage/gate.h"
#include "triage/rerun_words.h"

#include <ctype.h>
#include <string.h>

#define TITLE_MAX   200 /* bytes */
#define GROUNDS_MAX 1500

void failure_headline(const struct failure *f, struct text *out)
{
    own_text struct text t = {0};
    bool told = f->exc_message && *f->exc_message;
    text_add(&t, f->exc_type ? f->exc_type : told ? "" : "failure");
    if (told)
        text_addf(&t, "%s%s", t.len ? ": " : "", f->exc_message);
    opinion_clean(text_str(&t), TITLE_MAX, out);
}

const char *failure_label(const struct failure *f)
{
    static const char *const labels[CATEGORY_COUNT] = {
        [CATEGORY_REGRESSION] = "regression", [CATEGORY_FLAKY] = "flaky, says a model",
        [CATEGORY_ENV] = "surroundings",      [CATEGORY_TEST_BUG] = "test bug",
        [CATEGORY_UNKNOWN] = "cause unknown",
    };
    return !f->judged ? "failure" : failure_is_flake(f) ? "flaky" : labels[f->verdict.category];
}

static void sentence(const char *s, struct text *out)
{
    if (!*s)
        return;
    if (out->len)
        text_addc(out, ' ');
    text_addc(out, (char)toupper((unsigned char)*s));
    text_add(out, s + 1);
    if (!text_ends(s, ".") && !text_ends(s, "!") && !text_ends(s, "?"))
        text_addc(out, '.');
}

void failure_grounds(const struct failure *f, struct text *out)
{
    own_text struct text t = {0}, runs = {0};
    const char *why = f->judged && f->verdict.hypothesis ? f->verdict.hypothesis : "";
    sentence(why, &t);
    if (f->looked_into && !(f->by_evidence && *why)) {
        text_add(&runs, "reruns: ");
        rerun_words(&f->rerun, &runs);
    }
    sentence(text_str(&runs), &t);
    opinion_clean(text_str(&t), GROUNDS_MAX, out);
}

const char *failure_look_at(const struct failure *f)
{
    const char *fix = f->judged && f->verdict.fix ? f->verdict.fix : "";
    const char *at = f->looked_into ? f->rerun.look_at : NULL;
    return at && !strstr(fix, at) ? at : NULL;
}
