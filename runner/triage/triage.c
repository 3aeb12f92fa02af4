#include "triage/triage.h"

#include "base/clock.h"
#include "base/own.h"
#include "triage/chain.h"
#include "triage/redact.h"

#include <stdlib.h>
#include <string.h>

/* So much more than what is kept is looked through for secrets: one that begins before the cut is
 * seen whole, and a flood costs no time. */
#define MARGIN 8192

void triage_done(struct triage *t)
{
    failures_done(&t->failures);
    free(t->model);
    free(t->trouble);
    *t = (struct triage){0};
}

int triage_check(struct triage *t, struct argv *warnings, struct err *e)
{
    struct triage_config *c = &t->config;
    own_provider struct provider p = PROVIDER_INIT;
    t->setup.name = c->provider;
    if (!c->provider) {
        if (c->triage)
            argv_add(warnings,
                     "pytest-triage: triage is on without a provider: the report will have "
                     "no verdicts; name one with --ai-provider");
        return 0;
    }
    if (!c->triage) {
        argv_addf(warnings,
                  "pytest-triage: the provider \"%s\" will not be asked, for triage is off; "
                  "--ai-triage=on turns it on",
                  c->provider);
        return 0;
    }
    if (!provider_find(&t->setup)) {
        own_text struct text names = {0};
        provider_names(&t->setup, &names);
        argv_addf(
            warnings,
            "pytest-triage: triage is off, for no provider is called \"%s\"; there are %s and "
            "MODULE:ATTR",
            c->provider, text_str(&names));
        c->provider = NULL;
        return 0;
    }
    return provider_open(&t->setup, &p, e);
}

static void clean(struct redactor *r, char **s, const struct clip *how)
{
    if (!*s)
        return;
    own_text struct text safe = {0}, cut = {0};
    size_t n = strlen(*s), most = how->max + MARGIN;
    struct clip rest = *how;
    if (n > most) {
        rest.gone = n - most;
        if (!how->tail)
            (*s)[most] = 0;
        redact_text(r, how->tail ? *s + rest.gone : *s, &safe);
    } else {
        redact_text(r, *s, &safe);
    }
    failure_clip(text_str(&safe), &rest, &cut);
    free(*s);
    *s = text_take(&cut);
    if (!*s)
        *s = str_or_die("");
}

static void clean_failure(struct redactor *r, struct failure *f)
{
    const struct clip head = {FAILURE_MESSAGE_MAX, false, 0};
    clean(r, &f->exc_message, &head);
    clean(r, &f->traceback, &(struct clip){FAILURE_TRACEBACK_MAX, true, 0});
    clean(r, &f->out, &(struct clip){FAILURE_OUTPUT_MAX, true, 0});
    clean(r, &f->err, &(struct clip){FAILURE_OUTPUT_MAX, true, 0});
    clean(r, &f->exc_type, &(struct clip){200, false, 0});
}

/* The order of asking: what most tests share first, so that a small budget goes to what explains
 * most; else that of the run. */
struct place {
    char *key;
    size_t at, first, shared;
};

static int by_key(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    int order = strcmp(p->key, q->key);
    return order ? order : (p->at > q->at) - (p->at < q->at);
}

static int by_weight(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->shared != q->shared)
        return p->shared < q->shared ? 1 : -1;
    if (p->first != q->first)
        return p->first > q->first ? 1 : -1;
    return (p->at > q->at) - (p->at < q->at);
}

static struct place *order_of(const struct failures *f)
{
    struct place *p = mem_or_die((f->n + 1) * sizeof *p);
    for (size_t i = 0; i < f->n; i++) {
        own_text struct text key = {0};
        failure_key(&f->at[i], &key);
        p[i] = (struct place){.key = text_take(&key), .at = i};
    }
    qsort(p, f->n, sizeof *p, by_key);
    for (size_t i = 0, end; i < f->n; i = end) {
        size_t shared = 0;
        for (end = i; end < f->n && strcmp(p[end].key, p[i].key) == 0; end++)
            shared += f->at[p[end].at].count;
        for (size_t k = i; k < end; k++) {
            p[k].first = p[i].at;
            p[k].shared = shared;
        }
    }
    qsort(p, f->n, sizeof *p, by_weight);
    return p;
}

static void judge(struct triage *t, struct provider *p, struct redactor *r)
{
    own_chain struct chain c = {.provider = p,
                                .redactor = r,
                                .budget = t->config.budget,
                                .timeout_ns = t->config.timeout_ns};
    struct place *order = order_of(&t->failures);
    for (size_t i = 0; i < t->failures.n; i++) {
        own_text struct text id = {0};
        struct failure *f = &t->failures.at[order[i].at];
        redact_nodeid(r, f->nodeid ? f->nodeid : "", &id);
        chain_ask(&c, f, text_str(&id), &f->verdict);
        f->judged = true;
        f->count = order[i].shared;
    }
    for (size_t i = 0; i < t->failures.n; i++)
        free(order[i].key);
    free(order);
    t->calls = c.calls;
    t->cached = c.cached;
    t->trouble = take_ptr(&c.trouble);
}

int triage_run(struct triage *t, struct err *e)
{
    own_redactor struct redactor *r = NULL;
    own_provider struct provider p = PROVIDER_INIT;
    if (t->config.redact && redactor_new(t->setup.env, &r, e) < 0)
        return -1;
    for (size_t i = 0; i < t->failures.n; i++)
        clean_failure(r, &t->failures.at[i]);
    t->setup.name = t->config.provider;
    if (!t->config.triage || !t->config.provider || !provider_find(&t->setup))
        return 0;
    int64_t began = clock_mono_ns();
    struct err why = {0};
    t->asked = true;
    if (provider_open(&t->setup, &p, &why) < 0) {
        t->asked = false;
        t->trouble = str_or_die(why.what);
        return 0;
    }
    judge(t, &p, r);
    t->model = *p.model ? str_or_die(p.model) : NULL;
    t->seconds = (double)(clock_mono_ns() - began) / (double)NS_PER_S;
    return 0;
}

/* Categories in the order of the alphabet, as scripts have them. */
static const enum category listed[] = {CATEGORY_ENV, CATEGORY_FLAKY, CATEGORY_REGRESSION,
                                       CATEGORY_TEST_BUG, CATEGORY_UNKNOWN};

void triage_summary(const struct triage *t, struct text *out)
{
    size_t of[CATEGORY_COUNT] = {0};
    const char *between = "";
    if (t->trouble && !t->asked)
        text_addf(out, "pytest-triage: %s\n", t->trouble);
    if (!t->asked || t->failures.n == 0)
        return;
    for (size_t i = 0; i < t->failures.n; i++)
        of[t->failures.at[i].verdict.category]++;
    text_add(out, "pytest-triage: ");
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        if (of[listed[i]] == 0)
            continue;
        text_addf(out, "%s%zu %s", between, of[listed[i]], category_words[listed[i]]);
        between = ", ";
    }
    text_addf(out, "\npytest-triage: %zu provider call(s), %zu from cache\n", t->calls, t->cached);
    if (t->trouble)
        text_addf(out, "pytest-triage: %s\n", t->trouble);
}
