#include "triage/triage.h"

#include "base/clock.h"
#include "base/own.h"
#include "triage/chain.h"
#include "triage/redact.h"

#include <stdlib.h>
#include <string.h>

/* So much more than what is kept is looked through for secrets: one that begins before the cut is
 * seen whole, and a flood costs no time. */
#define MARGIN 8192 /* the plugin hands over 1 << 14 characters, which are more */

#define COMMANDS_SHOWN 5
#define COMMAND_MAX    4000 /* bytes */

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
        if (c->triage && !c->evidence) /* reruns give verdicts of their own */
            argv_add(warnings,
                     "pytest-triage: triage is on without a provider: the report will have "
                     "no verdicts; name one with --ai-provider, or add --ai-evidence");
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
        rest.gone += n - most;
        if (!how->tail)
            (*s)[most] = 0;
        redact_text(r, how->tail ? *s + n - most : *s, &safe);
    } else {
        redact_text(r, *s, &safe);
    }
    failure_clip(text_str(&safe), &rest, &cut);
    free(*s);
    *s = text_take(&cut);
    if (!*s)
        *s = str_or_die("");
}

/* A command stays as it is, for it is to be run; what fails is never a value of the user's own. */
static void clean_rerun(struct redactor *r, struct rerun *of)
{
    const struct clip how = {FAILURE_MESSAGE_MAX, false, 0};
    clean(r, &of->reason, &how);
    for (size_t i = 0; i < of->causes; i++) {
        clean(r, &of->cause[i].value, &how);
        clean(r, &of->cause[i].passes, &how);
    }
    for (size_t i = 0; i < of->kinds; i++)
        clean(r, &of->kind[i].message, &how);
}

static void clean_opinion(struct redactor *r, struct opinion *v)
{
    own_text struct text hypothesis = {0}, fix = {0};
    redact_text(r, v->hypothesis ? v->hypothesis : "", &hypothesis);
    redact_text(r, v->fix ? v->fix : "", &fix);
    opinion_say(v, text_str(&hypothesis), text_str(&fix));
}

static void clean_failure(struct redactor *r, struct failure *f)
{
    const struct lost *lost = &f->lost;
    clean(r, &f->exc_type, &(struct clip){FAILURE_TYPE_MAX, false, 0});
    clean(r, &f->exc_message, &(struct clip){FAILURE_MESSAGE_MAX, false, lost->exc_message});
    clean(r, &f->traceback, &(struct clip){FAILURE_TRACEBACK_MAX, true, lost->traceback});
    clean(r, &f->out, &(struct clip){FAILURE_OUTPUT_MAX, true, lost->out});
    clean(r, &f->err, &(struct clip){FAILURE_OUTPUT_MAX, true, lost->err});
    clean(r, &f->log, &(struct clip){FAILURE_OUTPUT_MAX, true, lost->log});
    if (f->looked_into)
        clean_rerun(r, &f->rerun);
    if (f->judged && f->by_evidence)
        clean_opinion(r, &f->verdict);
}

/* What was measured is not for a model to decide; where it agrees, its words may say more. */
static void take_opinion(struct failure *f, const struct opinion *said)
{
    if (!f->judged || !f->by_evidence)
        opinion_copy(&f->verdict, said);
    else if (said->category == f->verdict.category && *said->hypothesis)
        opinion_say(&f->verdict, said->hypothesis, said->fix ? said->fix : f->verdict.fix);
    f->by_evidence = f->judged && f->by_evidence;
    f->judged = true;
}

static void judge(struct triage *t, struct provider *p, struct redactor *r)
{
    own_chain struct chain c = {.provider = p,
                                .redactor = r,
                                .budget = t->config.budget,
                                .timeout_ns = t->config.timeout_ns};
    struct failure_place *order = failures_by_weight(&t->failures);
    for (size_t i = 0; i < t->failures.n; i++) {
        own_text struct text id = {0};
        own_opinion struct opinion said = {0};
        struct failure *f = &t->failures.at[order[i].at];
        redact_nodeid(r, f->nodeid ? f->nodeid : "", &id);
        chain_ask(&c, f, text_str(&id), &said);
        take_opinion(f, &said);
        f->count = order[i].shared;
    }
    free(order);
    t->calls = c.calls;
    t->cached = c.cached;
    t->trouble = take_ptr(&c.trouble);
}

int triage_run(struct triage *t, struct err *e)
{
    own_redactor struct redactor *r = NULL;
    own_provider struct provider p = PROVIDER_INIT;
    if (t->config.redact && t->failures.n && redactor_new(t->setup.env, &r, e) < 0)
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

/* "1 flaky, 2 regression (evidence)" */
static void count_verdicts(const struct triage *t, struct text *out)
{
    size_t of[CATEGORY_COUNT] = {0}, judged = 0, measured = 0;
    const char *between = "";
    for (size_t i = 0; i < t->failures.n; i++) {
        const struct failure *f = &t->failures.at[i];
        of[f->verdict.category] += f->judged;
        judged += f->judged;
        measured += f->judged && f->by_evidence;
    }
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        if (of[listed[i]] == 0)
            continue;
        text_addf(out, "%s%zu %s", between, of[listed[i]], category_words[listed[i]]);
        between = ", ";
    }
    if (judged < t->failures.n)
        text_addf(out, "%s%zu without a verdict", between, t->failures.n - judged);
    if (measured && measured < judged)
        text_addf(out, " (%zu by evidence)", measured);
    else if (t->evidenced && measured == judged)
        text_add(out, " (evidence)");
    text_addc(out, '\n');
}

/* What fails every time, to be pasted: of a few. */
static void commands(const struct triage *t, struct text *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < t->failures.n && shown < COMMANDS_SHOWN; i++) {
        const struct failure *f = &t->failures.at[i];
        bool again = !t->evidenced || !f->judged || !f->by_evidence || !f->rerun.command;
        for (size_t k = 0; k < i && !again; k++) {
            const char *other = t->failures.at[k].rerun.command;
            again = other && strcmp(other, f->rerun.command) == 0;
        }
        if (again)
            continue;
        text_addf(out,
                  "pytest-triage: %s, fails every time: ", category_words[f->verdict.category]);
        opinion_clean(f->rerun.command, COMMAND_MAX, out);
        text_addc(out, '\n');
        shown++;
    }
}

void triage_summary(const struct triage *t, struct text *out)
{
    if (t->trouble && !t->asked)
        text_addf(out, "pytest-triage: %s\n", t->trouble);
    if (!(t->asked || t->evidenced) || t->failures.n == 0)
        return;
    text_add(out, "pytest-triage: ");
    count_verdicts(t, out);
    commands(t, out);
    if (!t->asked)
        return;
    text_addf(out, "pytest-triage: %zu provider call(s), %zu from cache\n", t->calls, t->cached);
    if (t->trouble)
        text_addf(out, "pytest-triage: %s\n", t->trouble);
}
