/* Triage after the run: of a report of failures, or of the JUnit report of any runner of tests. */
#include "cli/cli.h"
#include "cli/evidence.h"
#include "cli/order_file.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/session_triage.h"
#include "cli/triage_outputs.h"
#include "cli/triage_words.h"
#include "triage/failed.h"
#include "triage/gate.h"
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

static int read_text(const char *path, struct text *in, struct err *e)
{
    bool standard = strcmp(path, "-") == 0;
    const char *what = standard ? "standard input" : path;
    if (fdio_read_file(standard ? "/dev/stdin" : path, INPUT_MOST, in, e) < 0)
        return -1;
    if (in->len >= INPUT_MOST)
        return err_set(e, ERR_STALE, "%s: more than %d MiB", what, INPUT_MOST >> 20);
    return 0;
}

/* What writes UTF-16 puts its mark before it. */
static bool is_utf16(const char *s)
{
    return text_starts(s, "\xff\xfe") || text_starts(s, "\xfe\xff");
}

static int read_failures(const struct text *in, const char *path, struct triage *ret,
                         struct err *e)
{
    const char *what = strcmp(path, "-") == 0 ? "standard input" : path;
    const char *s = text_str(in);
    if (is_utf16(s))
        return junit_read_counted(s, in->len, what, &ret->failures, &ret->counts, e);
    if (text_starts(s, "\xef\xbb\xbf"))
        s += 3;
    while (isspace((unsigned char)*s))
        s++;
    if (*s == '<')
        return junit_read_counted(s, in->len - (size_t)(s - text_str(in)), what, &ret->failures,
                                  &ret->counts, e);
    return failed_read_counted(s, what, &ret->failures, &ret->counts, e);
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

static int check_use(const struct options *o, struct err *e)
{
    if (!o->target) {
        err_set(e, ERR_USAGE, "triage needs a report");
        return err_hint(e, "one of pytest --ai-report, JUnit's XML of any runner of tests, or - "
                           "for standard input");
    }
    if (o->pytest_args.n > 0 && !o->ai_evidence) {
        err_set(e, ERR_USAGE, "triage runs no test, so it takes no arguments for pytest");
        return err_hint(e, "with --ai-evidence it runs what failed again, and they go to these "
                           "runs");
    }
    if (o->junit && !o->junit_from) {
        err_set(e, ERR_USAGE, "--junit needs --junit-from, the XML that the run wrote");
        return err_hint(e, "pytest --junitxml=FILE writes it");
    }
    if (o->junit_from && !o->junit)
        return err_set(e, ERR_USAGE, "--junit-from needs --junit, where the XML goes");
    bool json = o->format == FORMAT_JSON || (o->json && strcmp(o->json, "-") == 0);
    if (json && o->annotations == ANNOTATIONS_GITHUB) {
        err_set(e, ERR_USAGE, "--annotations and JSON cannot both go to stdout");
        return err_hint(e, "write the JSON to a file: --json FILE");
    }
    return 0;
}

/* The failures as they were reported, twice: what each test failed of is judged by itself, and
 * identical ones are shown once. */
static int read_both(const char *path, struct triage *each, struct triage *all, struct err *e)
{
    own_text struct text in = {0};
    if (read_text(path, &in, e) < 0 || read_failures(&in, path, each, e) < 0)
        return -1;
    return read_failures(&in, path, all, e);
}

/* What reruns have shown, to the same failures in the same order. */
static void share(const struct triage *each, struct triage *all)
{
    all->evidenced = each->evidenced;
    for (size_t i = 0; i < all->failures.n; i++) {
        const struct failure *from = &each->failures.at[i];
        struct failure *to = &all->failures.at[i];
        rerun_done(&to->rerun);
        rerun_copy(&to->rerun, &from->rerun);
        to->looked_into = from->looked_into;
        to->judged = from->judged;
        to->by_evidence = from->by_evidence;
        if (from->judged)
            opinion_copy(&to->verdict, &from->verdict);
    }
}

/* As flaky-ci: what is not in the report is cleared by nothing. */
static bool is_let_by(enum gate gate, const struct triage *each)
{
    const struct failed_counts *c = &each->counts;
    if (gate == GATE_NONE)
        return true;
    if (c->others)
        say_note("the report counts failures that it does not show: the gate stops it");
    if (c->unrun)
        say_note("the run was stopped, %zu test%s not run: the gate stops it", c->unrun,
                 c->unrun == 1 ? " was" : "s were");
    return !c->others && !c->unrun && gate_stops(gate, &each->failures) == 0;
}

enum status cmd_triage(const struct options *o, const struct term *t)
{
    struct err e = {0};
    own_triage struct triage all = {0}, each = {0};
    struct outputs to = {.junit = o->junit,
                         .junit_from = o->junit_from,
                         .summary = o->summary,
                         .quality = o->quality,
                         .github = o->annotations == ANNOTATIONS_GITHUB};
    if (check_use(o, &e) < 0 || outputs_check(&to, &e) < 0 || configure(o, &all, &e) < 0 ||
        configure(o, &each, &e) < 0 || read_both(o->target, &each, &all, &e) < 0)
        return say_error(&e);
    bool stopped = gather(o, t, &each, &e) < 0;
    if (stopped && e.kind != ERR_INTERRUPT)
        return say_error(&e);
    if (stopped)
        all.config.triage = false;
    each.config.triage = false; /* a model is asked about distinct ones */
    share(&each, &all);
    failures_merge(&all.failures);
    if (triage_run(&each, &e) < 0 || triage_run(&all, &e) < 0 || print(o, &all, &e) < 0)
        return say_error(&e);
    unsigned unwritten = outputs_write(&to, &each.failures, &all);
    if (stopped)
        say_note("interrupted; the report holds what is known so far");
    if (stopped)
        return STATUS_INTERRUPTED;
    if (!is_let_by(o->gate, &each))
        return STATUS_FLAKY;
    return unwritten ? STATUS_NO_WORK : STATUS_NOTHING_SHOWN;
}
