/* What is rewritten is a report still, which has all that was no flake; rewriting it again changes
 * nothing of its flakes. */
#include "fuzz.h"

#include "triage/gate.h"
#include "triage/junit.h"
#include "triage/junit_rewrite.h"

/* Every second failure of the report is a flake; the others were rerun. */
static size_t judge(struct failures *f)
{
    size_t flakes = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct failure *x = &f->at[i];
        x->judged = x->by_evidence = x->looked_into = true;
        x->verdict.category = i % 2 ? CATEGORY_REGRESSION : CATEGORY_FLAKY;
        flakes += i % 2 == 0;
        x->rerun.runs = 3;
        x->rerun.command = str_or_die(x->nodeid);
        x->rerun.kind[0] = (struct rerun_kind){NULL, NULL, str_or_die(x->nodeid), 2};
        x->rerun.kinds = 1;
    }
    return flakes;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    own_text struct text in = {0}, out = {0}, again = {0};
    own_failures struct failures f = {0}, left = {0};
    struct err e = {0};
    text_addn(&in, (const char *)bytes, n);
    bool good = junit_read(text_str(&in), n, "r.xml", &f, &e) == 0;
    size_t flakes = judge(&f);
    if (junit_rewrite(&in, "r.xml", &f, &out, &e) < 0) {
        CLAIM(out.len == 0 && *e.what);
        return 0;
    }
    CLAIM(good && out.len >= in.len - flakes); /* a count of ten becomes one of nine */
    CLAIM(junit_read(text_str(&out), out.len, "out", &left, &e) == 0);
    CLAIM(left.n <= f.n && left.n >= f.n - flakes);
    CLAIM(junit_rewrite(&out, "out", &(struct failures){0}, &again, &e) == 0);
    CLAIM(again.len == out.len);
    return 0;
}
