#include "triage/chain.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define ERRORS_MOST 2   /* in a row */
#define DETAIL_MAX  200 /* bytes of an error's text */

struct remembered {
    uint64_t hash;
    char *key, *nodeid;
    struct opinion verdict;
};

void chain_done(struct chain *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->known[i].key);
        free(c->known[i].nodeid);
        opinion_done(&c->known[i].verdict);
    }
    free(c->known);
    free(c->trouble);
    *c = (struct chain){0};
}

static uint64_t hash_of(const char *s) /* FNV-1a */
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return h;
}

static struct remembered *find(const struct chain *c, uint64_t hash, const char *key)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->known[i].hash == hash && strcmp(c->known[i].key, key) == 0)
            return &c->known[i];
    return NULL;
}

static struct remembered *remember(struct chain *c, uint64_t hash, const char *key)
{
    if (c->n == c->room) {
        c->room = c->room ? 2 * c->room : 16;
        c->known = mem_grow_or_die(c->known, c->room * sizeof *c->known);
    }
    struct remembered *r = &c->known[c->n++];
    *r = (struct remembered){.hash = hash, .key = str_or_die(key)};
    return r;
}

static void add_with(const char *s, const char *old, const char *new, struct text *out)
{
    const char *next;
    for (; *old && (next = strstr(s, old)); s = next + strlen(old)) {
        text_addn(out, s, (size_t)(next - s));
        text_add(out, new);
    }
    text_add(out, s);
}

/* The verdict on a failure like this one speaks of this one's test. */
static void recall(const struct remembered *r, const char *nodeid, struct opinion *ret)
{
    own_text struct text hypothesis = {0}, fix = {0};
    const struct opinion *v = &r->verdict;
    add_with(v->hypothesis, r->nodeid, nodeid, &hypothesis);
    add_with(v->fix ? v->fix : "", r->nodeid, nodeid, &fix);
    ret->category = v->category;
    ret->confidence = v->confidence;
    opinion_say(ret, text_str(&hypothesis), text_str(&fix));
}

static void clean_words(struct chain *c, struct opinion *v)
{
    own_text struct text hypothesis = {0}, fix = {0};
    redact_text(c->redactor, v->hypothesis ? v->hypothesis : "", &hypothesis);
    redact_text(c->redactor, v->fix ? v->fix : "", &fix);
    opinion_say(v, text_str(&hypothesis), text_str(&fix));
}

static void fail(struct chain *c, const struct err *e, struct opinion *ret)
{
    own_text struct text safe = {0}, words = {0};
    redact_text(c->redactor, e->what, &safe);
    text_add(&words, "triage provider error: ");
    opinion_clean(text_str(&safe), DETAIL_MAX, &words);
    free(c->trouble);
    c->trouble = str_or_die(text_str(&words));
    c->open = ++c->errors >= ERRORS_MOST;
    opinion_unknown(ret, text_str(&words));
}

static bool call(struct chain *c, const struct failure *f, const char *nodeid, struct opinion *ret)
{
    struct err e = {0};
    struct inquiry q = {f, nodeid, clock_mono_ns() + c->timeout_ns};
    c->budget--;
    c->calls++;
    switch (c->provider->kind->ask(c->provider, &q, ret, &e)) {
    case ASKED_ANSWERED:
        c->errors = 0;
        clean_words(c, ret);
        return true;
    case ASKED_FAILED:
        fail(c, &e, ret);
        return false;
    case ASKED_LATE:
        break;
    }
    c->open = true;
    free(c->trouble);
    c->trouble = str_or_die("triage timed out");
    opinion_unknown(ret, c->trouble);
    return false;
}

void chain_ask(struct chain *c, const struct failure *f, const char *nodeid, struct opinion *ret)
{
    own_text struct text key = {0};
    failure_key(f, &key);
    uint64_t hash = hash_of(text_str(&key));
    struct remembered *r = find(c, hash, text_str(&key));
    if (r) {
        c->cached++;
        recall(r, nodeid, ret);
    } else if (c->open) {
        opinion_unknown(ret, "triage stopped: the provider kept failing");
    } else if (c->budget <= 0) {
        opinion_unknown(ret, "triage budget exhausted");
    } else if (call(c, f, nodeid, ret)) {
        r = remember(c, hash, text_str(&key));
        r->nodeid = str_or_die(nodeid);
        opinion_copy(&r->verdict, ret);
    }
}
