/* Triage after the run: of a report of failures, or of the JUnit report of any runner of tests. */
#include "cli/cli.h"
#include "cli/evidence.h"
#include "cli/order_file.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/session_triage.h"
#include "cli/triage_words.h"
#include "triage/failed.h"
#include "triage/junit.h"

#include "base/fdio.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#define INPUT_MOST (256 << 20) /* bytes */

struct triage_run {
    const struct options *o;
    const struct triage *all;
};

static int configure(const struct options *o, struct triage *t, struct err *e)
{
    const struct triage_option given[] = {
        {"provider", o->ai[OPT_AI_PROVIDER - OPT_AI_PROVIDER], "--ai-provider"},
        {"budget", o->ai[OPT_AI_BUDGET - OPT_AI_PROVIDER], "--ai-budget"},
        {"timeout", o->ai[OPT_AI_TIMEOUT - OPT_AI_PROVIDER], "--ai-timeout"},
        {"redact", o->ai[OPT_AI_REDACT - OPT_AI_PROVIDER], "--ai-redact"}};
    if (triage_config_read(given, sizeof given / sizeof *given, &t->config, e) < 0)
        return -1;
    t->setup = (struct provider_setup){
        .name = t->config.provider, .env = environ, .python = o->python ? o->python : "python3"};
    t->config.triage = t->config.provider != NULL;
    if (!t->config.triage)
        return 0;
    own_argv struct argv warnings = {0};
    if (!provider_find(&t->setup)) {
        own_text struct text names = {0};
        provider_names(&t->setup, &names);
        err_set(e, ERR_USAGE, "--ai-provider: no provider is called \"%.80s\"", t->config.provider);
        return err_hint(e, "there are %s and MODULE:ATTR", text_str(&names));
    }
    return triage_check(t, &warnings, e);
}

static int read_input(const char *path, struct triage *t, struct err *e)
{
    own_text struct text in = {0};
    bool standard = strcmp(path, "-") == 0;
    const char *what = standard ? "standard input" : path;
    if (fdio_read_file(standard ? "/dev/stdin" : path, INPUT_MOST, &in, e) < 0)
        return -1;
    const char *s = text_str(&in);
    if (text_starts(s, "\xef\xbb\xbf"))
        s += 3;
    while (isspace((unsigned char)*s))
        s++;
    if (in.len >= INPUT_MOST)
        return err_set(e, ERR_STALE, "%s: more than %d MiB", what, INPUT_MOST >> 20);
    if (*s == '<')
        return junit_read(s, in.len - (size_t)(s - text_str(&in)), what, &t->failures, e);
    return failed_read(s, what, &t->failures, e);
}

/* evidence_plan.before */
static int ran_before(void *of, size_t i, struct argv *out, struct err *e)
{
    const struct triage_run *r = of;
    return order_read(r->o->order_file, r->all->failures.at[i].nodeid, out, e);
}

static int gather(const struct options *o, const struct term *t, struct triage *all, struct err *e)
{
    struct triage_run run = {o, all};
    const struct evidence_plan plan = {
        .python = o->python,
        .args = &o->pytest_args,
        .budget_ns = o->budget_given ? o->budget_ns : EVIDENCE_BUDGET_DEFAULT * NS_PER_S,
        .allow_side_effects = o->allow_side_effects,
        .term = o->quiet ? NULL : t,
        .before = o->order_file ? ran_before : NULL,
        .of = &run};
    if (!o->ai_evidence || all->failures.n == 0)
        return 0;
    return evidence_gather(all, &plan, e);
}

static int print(const struct options *o, const struct triage *t, struct err *e)
{
    own_text struct text out = {0}, json = {0}, summary = {0};
    bool json_alone = o->json && strcmp(o->json, "-") == 0;
    if (triage_report(t, NULL, &json, e) < 0)
        return -1;
    if (o->format == FORMAT_MARKDOWN)
        triage_markdown(t, &out);
    else if (o->format == FORMAT_HUMAN)
        triage_human(t, &out);
    triage_summary(t, &summary);
    if (json_alone)
        say_text(&out);
    if (!o->quiet)
        say_text(&summary);
    if (say_result(json_alone || o->format == FORMAT_JSON ? &json : &out, e) < 0)
        return -1;
    return o->json && !json_alone ? failed_write(o->json, &json, e) : 0;
}

enum status cmd_triage(const struct options *o, const struct term *t)
{
    struct err e = {0};
    own_triage struct triage all = {0};
    if (!o->target) {
        err_set(&e, ERR_USAGE, "triage needs a report");
        err_hint(&e, "one of pytest --ai-report, JUnit's XML of any runner of tests, or - for "
                     "standard input");
        return say_error(&e);
    }
    if (o->pytest_args.n > 0 && !o->ai_evidence) {
        err_set(&e, ERR_USAGE, "triage runs no test, so it takes no arguments for pytest");
        err_hint(&e, "with --ai-evidence it runs what failed again, and they go to these runs");
        return say_error(&e);
    }
    if (configure(o, &all, &e) < 0 || read_input(o->target, &all, &e) < 0)
        return say_error(&e);
    failures_merge(&all.failures);
    bool stopped = gather(o, t, &all, &e) < 0;
    if (stopped && e.kind != ERR_INTERRUPT)
        return say_error(&e);
    if (stopped)
        all.config.triage = false;
    if (triage_run(&all, &e) < 0 || print(o, &all, &e) < 0)
        return say_error(&e);
    if (stopped)
        say_note("interrupted; the report holds what is known so far");
    return stopped ? STATUS_INTERRUPTED : STATUS_NOTHING_SHOWN;
}
