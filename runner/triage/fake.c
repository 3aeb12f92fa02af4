/* Verdicts by a rule, without a network: to set up a pipeline before there is a model. */
#include "triage/provider.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

static enum category category_by_type(const char *type)
{
    static const char *const env[] = {"ConnectionError", "TimeoutError", "OSError"};
    if (!type)
        return CATEGORY_REGRESSION;
    if (strcmp(type, "AssertionError") == 0)
        return CATEGORY_TEST_BUG;
    for (size_t i = 0; i < sizeof env / sizeof *env; i++)
        if (strcmp(type, env[i]) == 0)
            return CATEGORY_ENV;
    return CATEGORY_REGRESSION;
}

static int open_fake(const struct provider_setup *s, struct provider *p, struct err *e)
{
    (void)s;
    (void)p;
    (void)e;
    return 0;
}

static enum asked ask_fake(struct provider *p, const struct inquiry *q, struct opinion *ret,
                           struct err *e)
{
    own_text struct text words = {0};
    (void)p;
    (void)e;
    const char *type = q->failure->exc_type;
    ret->category = category_by_type(type);
    ret->confidence = CONFIDENCE_LOW;
    text_addf(&words, "%s in %s", type ? type : "failure", q->nodeid);
    opinion_say(ret, text_str(&words), NULL);
    return ASKED_ANSWERED;
}

const struct provider_kind provider_fake = {"fake", open_fake, ask_fake, NULL};

/* The same behind a token that is fetched when it is first needed and again when it is old. */
struct token {
    int64_t until_ns; /* monotonic; 0: there is none yet */
    unsigned fetched;
};
#define TOKEN_LIFE_NS (60 * NS_PER_S)

static int open_oauth(const struct provider_setup *s, struct provider *p, struct err *e)
{
    (void)s;
    (void)e;
    p->state = mem_or_die(sizeof(struct token));
    return 0;
}

static enum asked ask_oauth(struct provider *p, const struct inquiry *q, struct opinion *ret,
                            struct err *e)
{
    struct token *t = p->state;
    int64_t now = clock_mono_ns();
    if (now >= t->until_ns) {
        t->until_ns = now + TOKEN_LIFE_NS;
        t->fetched++;
    }
    return ask_fake(p, q, ret, e);
}

static void close_oauth(struct provider *p)
{
    free(p->state);
}

const struct provider_kind provider_oauth_fake = {"oauth-fake", open_oauth, ask_oauth, close_oauth};
