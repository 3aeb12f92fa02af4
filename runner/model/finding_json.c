#include "model/finding_json.h"

#include "base/utf8.h"
#include "model/concurrency_json.h"
#include "model/number_json.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

typedef struct json_object json; /* owned by the object it is added to */

static void put(json *o, const char *key, json *value)
{
    json_object_object_add(o, key, value);
}

static json *string(const char *s)
{
    own_text struct text t = {0};
    for (size_t left = strlen(s), n; left > 0; s += n, left -= n) {
        uint32_t point;
        n = utf8_next(s, left, &point);
        if (n)
            text_addn(&t, s, n);
        else
            text_add(&t, "\xEF\xBF\xBD"); /* U+FFFD, one for each byte */
        n += n == 0;
    }
    return json_object_new_string(text_str(&t));
}

static json *string_or_null(const char *s)
{
    return s && *s ? string(s) : NULL;
}

static json *number_or_null(double x)
{
    return x < 0 ? NULL : json_number(x);
}

static json *count(uint64_t n)
{
    return json_object_new_uint64(n);
}

static json *strings(const struct argv *v)
{
    json *a = json_object_new_array();
    for (size_t i = 0; i < v->n; i++)
        json_object_array_add(a, string(v->at[i]));
    return a;
}

/* "tests/test_cart.py:31" as two keys; a site without a line gets line null. */
static void put_site(json *o, const char *site)
{
    const char *colon = strrchr(site, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (!colon || digits == 0 || digits > 9 || colon[1 + digits]) {
        put(o, "file", string_or_null(site));
        put(o, "line", NULL);
        return;
    }
    own_text struct text file = {0};
    text_addn(&file, site, (size_t)(colon - site));
    put(o, "file", string_or_null(text_str(&file)));
    put(o, "line", count(strtoul(colon + 1, NULL, 10)));
}

static json *failure(const struct fingerprint *p, const char *message)
{
    json *o = json_object_new_object();
    put(o, "phase", string(p->phase));
    put(o, "exception", string(p->type));
    put_site(o, p->site);
    put(o, "message", string(message));
    return o;
}

void finding_platform(struct text *out)
{
    struct utsname u;
    if (uname(&u) == 0)
        text_addf(out, "%s %s %s", u.sysname, u.release, u.machine);
    else
        text_add(out, "Linux");
}

static json *tool(void)
{
    json *o = json_object_new_object();
    put(o, "name", string("flaky-repro"));
    put(o, "version", string(FR_VERSION));
    return o;
}

static json *env(const struct target *t, const struct finding *f)
{
    own_text struct text platform = {0};
    finding_platform(&platform);
    json *o = json_object_new_object();
    put(o, "python", string_or_null(t->python));
    put(o, "pytest", string_or_null(t->pytest));
    put(o, "plugins", strings(&t->plugins));
    put(o, "platform", string(text_str(&platform)));
    put(o, "layers", strings(&f->layers));
    return o;
}

static json *causes(const struct finding *f)
{
    json *all = json_object_new_array();
    for (size_t i = 0; i < f->causes; i++) {
        const struct cause *c = &f->cause[i];
        json *o = json_object_new_object(), *lines = json_object_new_array();
        put(o, "axis", string(axis_word(c->axis)));
        put(o, "value", string(c->value));
        put(o, "benign", string_or_null(c->benign));
        put(o, "tests", strings(&c->tests));
        for (size_t j = 0; j < c->witnesses; j++) {
            const struct witness *w = &c->witness[j];
            json *line = json_object_new_object();
            put(line, "call", string(w->call));
            put(line, "file", string(w->file));
            put(line, "line", count(w->line));
            put(line, "function", string(w->function));
            put(line, "count", count(w->count));
            json_object_array_add(lines, line);
        }
        put(o, "witness", lines);
        json_object_array_add(all, o);
    }
    return all;
}

static json *baseline(const struct baseline *b)
{
    json *o = json_object_new_object(), *prints = json_object_new_array();
    bool known = b->runs > 0; /* without a run there is no rate to speak of */
    put(o, "runs", count(b->units));
    put(o, "failed", count(b->units_failed));
    put(o, "rate", known ? json_number(b->rate) : NULL);
    put(o, "low", known ? json_number(b->low) : NULL);
    put(o, "high", known ? json_number(b->high) : NULL);
    put(o, "unit", string(b->by_process ? "process" : "run"));
    put(o, "processes", count(b->processes));
    put(o, "median_seconds", b->median_ns > 0 ? json_number((double)b->median_ns / 1e9) : NULL);
    for (size_t i = 0; i < b->prints; i++) {
        json *p = failure(&b->print[i].print, b->print[i].message);
        put(p, "count", count(b->print[i].count));
        json_object_array_add(prints, p);
    }
    put(o, "fingerprints", prints);
    return o;
}

static json *evidence(const struct evidence *ev)
{
    json *all = json_object_new_array();
    for (size_t i = 0; i < ev->n; i++) {
        const struct row *r = &ev->at[i];
        json *o = json_object_new_object();
        put(o, "label", string(r->label));
        put(o, "axis", r->has_axis ? string(axis_word(r->axis)) : NULL);
        put(o, "value", string_or_null(r->value));
        put(o, "tier", string(r->tier == TIER_FRESH ? "fresh" : "warm"));
        put(o, "runs", count(r->runs));
        put(o, "failed", count(r->failed));
        put(o, "p", number_or_null(r->p));
        put(o, "p_adjusted", number_or_null(r->p_adjusted));
        put(o, "note", string(r->note));
        json_object_array_add(all, o);
    }
    return all;
}

static json *axes_skipped(const struct finding *f)
{
    json *all = json_object_new_array();
    for (size_t i = 0; i < f->skipped; i++) {
        json *o = json_object_new_object();
        put(o, "axis", string(axis_word(f->axis_skipped[i].axis)));
        put(o, "reason", string(f->axis_skipped[i].reason));
        json_object_array_add(all, o);
    }
    return all;
}

static json *requirements(const struct finding *f)
{
    json *all = json_object_new_array();
    for (size_t i = 0; i < f->requirements; i++) {
        const struct requirement *r = &f->requirement[i];
        json *o = json_object_new_object();
        put(o, "axis", string(axis_word(r->axis)));
        put(o, "value", string(r->value));
        put(o, "exception", string(r->exception));
        put_site(o, r->site);
        json_object_array_add(all, o);
    }
    return all;
}

static json *side_effects(const struct finding *f)
{
    json *all = json_object_new_array();
    for (size_t i = 0; i < f->effects; i++) {
        json *o = json_object_new_object();
        put(o, "kind", string(f->effect[i].kind));
        put(o, "what", string(f->effect[i].what));
        json_object_array_add(all, o);
    }
    return all;
}

static json *repro(const struct finding *f)
{
    if (!f->repro.command)
        return NULL;
    own_text struct text setting = {0};
    setting_text(&f->repro.setting, &setting);
    json *o = json_object_new_object();
    put(o, "command", string(f->repro.command));
    put(o, "setting", string(text_str(&setting)));
    put(o, "blob", string_or_null(f->repro.blob));
    put(o, "marker", string_or_null(f->repro.marker));
    put(o, "order", strings(&f->repro.order));
    return o;
}

static void put_verified(json *o, const struct finding *f)
{
    json *v = json_object_new_object(), *c = json_object_new_object();
    put(v, "runs", count(f->verify.runs));
    put(v, "failed", count(f->verify.failed));
    put(v, "low", f->verify.runs ? json_number(f->verify.low) : NULL);
    put(o, "verify", v);
    put(c, "value", string_or_null(f->counterfactual.value));
    put(c, "runs", count(f->counterfactual.runs));
    put(c, "failed", count(f->counterfactual.failed));
    put(o, "counterfactual", c);
}

static json *stats(const struct finding *f)
{
    char seed[24]; /* as text: JSON numbers are doubles to many readers */
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)f->seed);
    json *o = json_object_new_object();
    put(o, "trials", count(f->stats.trials));
    put(o, "warm", count(f->stats.warm));
    put(o, "fresh", count(f->stats.fresh));
    put(o, "seconds", json_number(f->stats.seconds));
    put(o, "seed", string(seed));
    return o;
}

static void put_conclusion(json *o, const struct finding *f)
{
    static const char *const claims[] = {
        [CLAIM_NONE] = "none", [CLAIM_OBSERVED] = "observed", [CLAIM_LATENT] = "latent"};
    static const char *const strengths[] = {[STRENGTH_NONE] = NULL,
                                            [STRENGTH_ALWAYS] = "always",
                                            [STRENGTH_ELEVATES] = "elevates",
                                            [STRENGTH_UNCONFIRMED] = "unconfirmed"};
    own_text struct text verdict = {0};
    finding_verdict(f, &verdict);
    put(o, "verdict", string(text_str(&verdict)));
    put(o, "claim", string(claims[f->claim]));
    put(o, "strength", string_or_null(strengths[f->strength]));
    put(o, "headline", string(text_str(&f->headline)));
    put(o, "explanation", string(text_str(&f->explanation)));
    put(o, "cause", causes(f));
    put(o, "failure", *f->print.type ? failure(&f->print, f->message) : NULL);
    put(o, "stack", string_or_null(text_str(&f->stack)));
}

void finding_json(const struct target *t, const struct finding *f, struct text *out)
{
    json *o = json_object_new_object();
    put(o, "format", string(FINDING_FORMAT));
    put(o, "version", json_object_new_int(FINDING_VERSION));
    put(o, "tool", tool());
    put(o, "env", env(t, f));
    put(o, "target", string(t->spec ? t->spec : ""));
    put(o, "nodeid", string_or_null(t->nodeid));
    put_conclusion(o, f);
    put(o, "baseline", baseline(&f->baseline));
    put(o, "evidence", evidence(&f->evidence));
    put(o, "axes_skipped", axes_skipped(f));
    put(o, "requirements", requirements(f));
    put(o, "side_effects", side_effects(f));
    put_verified(o, f);
    put(o, "repro", repro(f));
    put(o, "warnings", strings(&f->warnings));
    put(o, "stats", stats(f));
    put(o, "concurrency", f->concurrency ? concurrency_json(f->concurrency) : NULL);
    text_add(out,
             json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
                                                   JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(o);
}
