/* Redaction ends, gives text, and what was given as a secret is gone. */
#include "fuzz.h"

#include "triage/redact.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct redactor *r;
    struct err e = {0};
    own_text struct text in = {0}, out = {0}, id = {0};
    if (!r) {
        char secret[] = "MY_TOKEN=zq-secret-value", url[] = "DATABASE=db://app:zq%2Dother@h/x";
        char *env[] = {secret, url, NULL};
        CLAIM(redactor_new(env, &r, &e) == 0);
    }
    text_addn(&in, (const char *)bytes, n);
    redact_text(r, text_str(&in), &out);
    CLAIM(!strstr(text_str(&out), "zq-secret-value"));
    CLAIM(!strstr(text_str(&out), "zq-other") && !strstr(text_str(&out), "zq%2Dother"));
    CLAIM(strcmp(text_str(&in), text_str(&out)) == 0 || strstr(text_str(&out), REDACTED));
    redact_nodeid(r, text_str(&in), &id);
    return 0;
}
