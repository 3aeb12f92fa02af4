/* A JUnit report is read as a whole or refused; reports of ours too. */
#include "fuzz.h"

#include "triage/failed.h"
#include "triage/junit.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    own_text struct text in = {0}, json = {0};
    own_failures struct failures f = {0}, g = {0};
    struct err e = {0};
    text_addn(&in, (const char *)bytes, n);
    if (junit_read(text_str(&in), n, "r.xml", &f, &e) == 0)
        for (size_t i = 0; i < f.n; i++)
            CLAIM(f.at[i].nodeid && f.at[i].phase && f.at[i].select.n == 1);
    else
        CLAIM(f.n == 0 && *e.what);
    failures_merge(&f);
    struct failed_report r = {.failures = &f, .seconds = -1};
    failed_json(&r, &json);
    CLAIM(failed_read(text_str(&json), "r", &g, &e) == 0 && g.n == f.n);
    failures_done(&g);
    (void)failed_read(text_str(&in), "r", &g, &e);
    return 0;
}
