/* Whatever a model says, the verdict is whole and can be printed. */
#include "fuzz.h"

#include "triage/reply.h"
#include "triage/wire.h"

#include <string.h>

static void check(struct opinion *v)
{
    CLAIM(v->category < CATEGORY_COUNT && v->confidence < CONFIDENCE_COUNT);
    CLAIM(v->hypothesis && strlen(v->hypothesis) <= OPINION_HYPOTHESIS_MAX);
    CLAIM(!v->fix || strlen(v->fix) <= OPINION_FIX_MAX);
    for (const char *s = v->hypothesis; *s; s++)
        CLAIM((unsigned char)*s >= ' ' && *s != 0x7f);
    opinion_done(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    own_text struct text in = {0}, token = {0};
    struct opinion v = {0};
    struct err e = {0};
    int64_t until;
    text_addn(&in, (const char *)bytes, n);
    reply_read(text_str(&in), &v);
    check(&v);
    if (wire_anthropic_reply(text_str(&in), &v, &e) == 0)
        check(&v);
    if (wire_openai_reply(text_str(&in), &v, &e) == 0)
        check(&v);
    (void)wire_token(text_str(&in), &token, &until, &e);
    return 0;
}
