#include "triage/weigh.h"

#include "triage/gate.h"

#include <stdlib.h>
#include <string.h>

#define FEW_RUNS  4   /* a test that fails every other time does so in one of eight cases */
#define MANY_RUNS 100 /* so many passes bound the rate below 3 % */

static bool among(const char *s, const char *const *list, size_t n)
{
    for (size_t i = 0; s && i < n; i++)
        if (strcmp(s, list[i]) == 0)
            return true;
    return false;
}
#define AMONG(s, list) among(s, list, sizeof(list) / sizeof *(list))

static bool begins(const char *s, const char *const *list, size_t n)
{
    for (size_t i = 0; s && i < n; i++)
        if (text_starts(s, list[i]))
            return true;
    return false;
}
#define BEGINS(s, list) begins(s, list, sizeof(list) / sizeof *(list))

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

bool weigh_missing_module(const struct failure *f, struct text *out)
{
    static const char words[] = "No module named '";
    const char *at = strstr(or_empty(f->exc_message), words);
    if (!f->exc_type || strcmp(f->exc_type, "ModuleNotFoundError") != 0 || !at)
        return false;
    at += strlen(words);
    text_addn(out, at, strcspn(at, "'"));
    return true;
}

bool weigh_missing_file(const struct failure *f, struct text *out)
{
    static const char *const types[] = {"FileNotFoundError", "PermissionError"};
    const char *at = strstr(or_empty(f->exc_message), ": '"), *end = at ? strrchr(at, '\'') : NULL;
    if (!AMONG(f->exc_type, types) || !at || end < at + 4)
        return false;
    at += 3;
    size_t n = (size_t)(end - at);
    /* A name alone is looked for in PATH if a process was to be started, else in the project. */
    bool program = !memchr(at, '/', n) && strstr(or_empty(f->traceback), "subprocess.py");
    if (*at != '/' && !program)
        return false;
    text_addn(out, at, n);
    return true;
}

/* "file:line" where it failed, of the last line of a traceback that begins so; false: none does. */
static bool told_site(const struct failure *f, struct text *out)
{
    const char *s = or_empty(f->traceback);
    text_clear(out);
    for (; *s; s += strcspn(s, "\n"), s += *s == '\n') {
        size_t file = strcspn(s, ": \n");
        if (file == 0 || s[file] != ':')
            continue;
        size_t line = strspn(s + file + 1, "0123456789");
        if (line == 0 || s[file + 1 + line] != ':')
            continue;
        text_clear(out);
        text_addn(out, s, file + 1 + line);
    }
    return out->len > 0;
}

/* Whether the traceback has the line "file:line", its last one or one on the way there. */
static bool tells_site(const struct failure *f, const char *site)
{
    size_t n = strlen(site);
    const char *s = or_empty(f->traceback);
    for (; *s; s += strcspn(s, "\n"), s += *s == '\n')
        if (strncmp(s, site, n) == 0 && s[n] == ':')
            return true;
    return false;
}

/* The kind of failure among the reruns that is the reported one; without a type, the first. */
static const struct rerun_kind *same_kind(const struct failure *f)
{
    const struct rerun *r = &f->rerun;
    for (size_t i = 0; i < r->kinds; i++)
        if (!f->exc_type || !r->kind[i].type || strcmp(r->kind[i].type, f->exc_type) == 0)
            return &r->kind[i];
    return NULL;
}

/* Whether one path is the other, or its end. */
static bool same_file(const char *a, size_t n, const char *b, size_t m)
{
    if (n > m)
        return same_file(b, m, a, n);
    return n > 0 && memcmp(a, b + m - n, n) == 0 && (n == m || b[m - n - 1] == '/');
}

static size_t file_length(const char *nodeid)
{
    const char *end = strstr(nodeid, "::");
    return end ? (size_t)(end - nodeid) : strlen(nodeid);
}

static bool in_test_file(const struct failure *f)
{
    own_text struct text told = {0};
    const char *id = or_empty(f->nodeid);
    const struct rerun_kind *k = same_kind(f);
    const char *site = k && k->site ? k->site : told_site(f, &told) ? text_str(&told) : "";
    const char *line = strrchr(site, ':');
    return line && same_file(id, file_length(id), site, (size_t)(line - site));
}

/* "invalid syntax (test_a.py, line 3)" */
static bool names_test_file(const struct failure *f)
{
    own_text struct text words = {0};
    const char *id = or_empty(f->nodeid);
    size_t n = file_length(id), from = n;
    while (from > 0 && id[from - 1] != '/')
        from--;
    text_addc(&words, '(');
    text_addn(&words, id + from, n - from);
    text_add(&words, ", line ");
    return strstr(or_empty(f->exc_message), text_str(&words)) != NULL;
}

/* What no change of the code under test can bring about. An AssertionError is none of this: who is
 * right, the test or the code, no rerun can tell. Neither is an import that fails, nor a call with
 * wrong arguments: what the test names may have been there before. */
static bool is_tests_fault(const struct failure *f)
{
    static const char *const names[] = {"NameError", "UnboundLocalError"};
    static const char *const syntax[] = {"SyntaxError", "IndentationError", "TabError"};
    const char *message = or_empty(f->exc_message);
    if (!f->exc_type)
        return false;
    if (strcmp(f->exc_type, "FixtureLookupError") == 0)
        return true;
    if (strcmp(f->exc_type, "Failed") == 0)
        return text_starts(message, "Fixture \"") && strstr(message, "called directly");
    if (AMONG(f->exc_type, syntax))
        return names_test_file(f);
    return AMONG(f->exc_type, names) && in_test_file(f);
}

static bool is_of_network(const struct failure *f, const char *type)
{
    static const char *const types[] = {"ConnectionError",
                                        "ConnectionRefusedError",
                                        "ConnectionResetError",
                                        "gaierror",
                                        "herror",
                                        "URLError",
                                        "ConnectTimeout",
                                        "ConnectTimeoutError",
                                        "ConnectError",
                                        "NewConnectionError",
                                        "MaxRetryError",
                                        "NameResolutionError",
                                        "ProxyError",
                                        "ClientConnectorError",
                                        "ClientConnectorDNSError"};
    static const char *const late[] = {"TimeoutError", "timeout", "ReadTimeout"};
    if (f->rerun.network_untouched)
        return false;
    return AMONG(type, types) || (AMONG(type, late) && strstr(or_empty(f->traceback), "connect"));
}

static void all_runs(const struct failure *f, struct text *out)
{
    const struct rerun *r = &f->rerun;
    if (r->runs == 1)
        text_add(out, "It failed again when it was run once more");
    else
        text_addf(out, "It failed again in all %u runs", r->runs);
}

static void sure(const struct failure *f, struct opinion *ret)
{
    static const char *const decided[] = {"deterministic-failure", "hang"};
    /* What chance has no part in. */
    static const char *const plain[] = {"SyntaxError", "IndentationError",   "TabError",
                                        "NameError",   "UnboundLocalError",  "FixtureLookupError",
                                        "ImportError", "ModuleNotFoundError"};
    bool few = f->rerun.runs < FEW_RUNS && !AMONG(f->exc_type, plain);
    ret->confidence = AMONG(f->rerun.status, decided) ? CONFIDENCE_HIGH
                      : few                           ? CONFIDENCE_LOW
                                                      : CONFIDENCE_MEDIUM;
}

static void missing(const struct failure *f, const char *module, struct opinion *ret)
{
    own_text struct text why = {0}, fix = {0};
    all_runs(f, &why);
    text_addf(&why, ": the module \"%s\" is not installed, and the project has none of that name.",
              module);
    text_addf(&fix,
              "Install what holds %s for the interpreter that runs the tests, or skip the test "
              "where it is missing.",
              module);
    ret->category = CATEGORY_ENV;
    ret->confidence = CONFIDENCE_MEDIUM;
    opinion_say(ret, text_str(&why), text_str(&fix));
}

static void not_there(const struct failure *f, const char *path, struct opinion *ret)
{
    own_text struct text why = {0};
    all_runs(f, &why);
    text_addf(&why, " with %s: %s %s, which is not of the project.", f->exc_type,
              *path == '/' ? "it wants the file" : "it wants the program", path);
    ret->category = CATEGORY_ENV;
    ret->confidence = CONFIDENCE_MEDIUM;
    opinion_say(ret, text_str(&why),
                "Let the test bring along what it needs, or skip it where that is missing.");
}

static void no_answer(const struct failure *f, const char *type, struct opinion *ret)
{
    own_text struct text why = {0};
    all_runs(f, &why);
    text_addf(&why, " with %s: %s", type,
              f->rerun.network_cut ? "it needs the network, which these runs did not have."
                                   : "what it reaches for over the network does not answer.");
    ret->category = CATEGORY_ENV;
    ret->confidence = CONFIDENCE_MEDIUM;
    opinion_say(ret, text_str(&why), NULL);
}

static void always(const struct failure *f, bool ours, struct opinion *ret)
{
    own_text struct text module = {0}, file = {0}, why = {0};
    const struct rerun *r = &f->rerun;
    const struct rerun_kind *k = same_kind(f);
    bool other = !k && r->kinds > 0; /* it fails, but not as it did */
    k = k ? k : r->kinds ? &r->kind[0] : NULL;
    const char *type = k && k->type ? k->type : f->exc_type;
    if (!other && weigh_missing_module(f, &module) && !ours) {
        missing(f, text_str(&module), ret);
        return;
    }
    if (!other && weigh_missing_file(f, &file) && !ours) {
        not_there(f, text_str(&file), ret);
        return;
    }
    if (is_of_network(f, type)) {
        no_answer(f, type, ret);
        return;
    }
    bool tests = !other && is_tests_fault(f);
    sure(f, ret);
    ret->category = tests ? CATEGORY_TEST_BUG : CATEGORY_REGRESSION;
    all_runs(f, &why);
    if (type)
        text_addf(&why, " with %s%s%s", type, k && k->site ? " at " : "",
                  k && k->site ? k->site : "");
    text_add(&why, tests ? ": what is wrong stands in the test itself." : ".");
    if (other) {
        ret->confidence = CONFIDENCE_LOW;
        text_addf(&why, " The run that was reported ended with %s, so something else may be meant.",
                  f->exc_type);
    }
    opinion_say(ret, text_str(&why), NULL);
}

static void mixed(const struct failure *f, struct opinion *ret)
{
    own_text struct text why = {0};
    const struct rerun *r = &f->rerun;
    text_addf(&why,
              "It failed in %u of %u runs after the one reported, without any change; what "
              "decides it was not found.",
              r->failed, r->runs);
    ret->category = CATEGORY_FLAKY;
    ret->confidence = CONFIDENCE_MEDIUM;
    opinion_say(ret, text_str(&why), NULL);
}

/* A value of the surroundings that makes just this failure, or NULL. */
static const struct rerun_need *need_of(const struct failure *f)
{
    own_text struct text site = {0};
    const struct rerun *r = &f->rerun;
    bool told = told_site(f, &site);
    for (size_t i = 0; f->exc_type && i < r->needs; i++) {
        const struct rerun_need *n = &r->need[i];
        if (n->type && strcmp(n->type, f->exc_type) == 0 &&
            (!told || !n->site || tells_site(f, n->site)))
            return n;
    }
    return NULL;
}

static void passes(const struct failure *f, struct opinion *ret)
{
    own_text struct text why = {0};
    const struct rerun *r = &f->rerun;
    const struct rerun_need *need = need_of(f);
    if (r->after_failed) {
        text_addf(&why,
                  "It passed in all %u runs by itself and failed in %u of %u after the tests that "
                  "may run before it; which of them it is was not found.",
                  r->runs, r->after_failed, r->after_runs);
        ret->category = CATEGORY_FLAKY;
        ret->confidence = CONFIDENCE_MEDIUM;
        opinion_say(ret, text_str(&why), NULL);
        return;
    }
    if (r->runs == 1)
        text_add(&why, "It failed in the run and passed when it was run once more");
    else
        text_addf(&why, "It failed in the run and passed in all %u runs after it", r->runs);
    if (need)
        text_addf(&why,
                  ", and fails like this with %s=%s: it lacked something of its surroundings.",
                  need->axis, or_empty(need->value));
    else
        text_add(&why, "; what made it fail was not met again.");
    ret->category = need ? CATEGORY_ENV : CATEGORY_FLAKY;
    ret->confidence = need || r->runs >= MANY_RUNS ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
    opinion_say(ret, text_str(&why), NULL);
}

/* Not how the code takes what the surroundings give it, but that they lack it. */
static bool is_lack(const struct rerun_cause *c)
{
    static const char *const network[] = {"block", "refuse", "nxdomain", "nohost"};
    static const char *const fs[] = {"plant:", "private", "ro", "full:"};
    const char *axis = or_empty(c->axis);
    return strcmp(axis, "network") == 0 ? BEGINS(c->value, network)
                                        : strcmp(axis, "fs") == 0 && BEGINS(c->value, fs);
}

static void add_tests(const struct argv *tests, struct text *out)
{
    enum { NAMED = 2 };
    for (size_t i = 0; i < tests->n && i < NAMED; i++)
        text_addf(out, "%s%s", i ? ", " : "", tests->at[i]);
    if (tests->n > NAMED)
        text_addf(out, " and %zu more", tests->n - NAMED);
}

static void add_cause(const struct rerun_cause *c, struct text *out)
{
    const char *axis = or_empty(c->axis), *value = or_empty(c->value);
    if (c->tests.n && strcmp(value, "alone") == 0) {
        text_add(out, "it fails alone and passes after ");
        add_tests(&c->tests, out);
        return;
    }
    if (c->tests.n) {
        text_add(out, "it fails after ");
        add_tests(&c->tests, out);
        text_addf(out, " and passes %s", c->passes ? c->passes : "without");
        return;
    }
    text_addf(out, "it fails with %s=%s", axis, value);
    if (c->passes)
        text_addf(out, " and passes with %s=%s", axis, c->passes);
}

/* "Look at a.py:3. Change the code …" */
static void add_advice(const struct rerun *r, struct text *out)
{
    if (r->look_at)
        text_addf(out, "Look at %s.", r->look_at);
    if (r->advice)
        text_addf(out, "%s%s", out->len ? " " : "", r->advice);
}

static void caused(const struct failure *f, struct opinion *ret)
{
    own_text struct text why = {0}, fix = {0};
    const struct rerun *r = &f->rerun;
    bool lack = false, other = f->exc_type && r->provoked && strcmp(f->exc_type, r->provoked) != 0;
    if (r->headline)
        text_addf(&why, "It %s: ", r->headline);
    else
        text_addf(&why, "It depends on %s: ", or_empty(r->cause[0].axis));
    for (size_t i = 0; i < r->causes; i++) {
        text_add(&why, i ? ", and " : "");
        add_cause(&r->cause[i], &why);
        lack |= is_lack(&r->cause[i]);
    }
    if (r->verify_runs)
        text_addf(&why, " (%u of %u runs failed, against %u of %u)", r->verify_failed,
                  r->verify_runs, r->passing_failed, r->passing_runs);
    if (other)
        text_addf(&why, ", but with %s, not with %s as in the run", r->provoked, f->exc_type);
    text_addc(&why, '.');
    add_advice(r, &fix);
    bool stands = r->verify_runs >= 10 && r->verify_failed == r->verify_runs && r->passing_runs &&
                  r->passing_failed == 0;
    ret->category = lack ? CATEGORY_ENV : CATEGORY_FLAKY;
    ret->confidence = stands && !other ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
    opinion_say(ret, text_str(&why), text_str(&fix));
}

/* Seen to reach for another machine, and the error is one of the network: there is no need to do it
 * again. */
static bool reached_out(const struct failure *f, struct opinion *ret)
{
    own_text struct text why = {0};
    const struct rerun *r = &f->rerun;
    if (!r->reached || !is_of_network(f, f->exc_type))
        return false;
    text_addf(&why, "It reaches for another machine (%s) and ended with %s.", r->reached,
              f->exc_type);
    ret->category = CATEGORY_ENV;
    ret->confidence = CONFIDENCE_MEDIUM;
    opinion_say(ret, text_str(&why), NULL);
    return true;
}

/* It never came to the test: nothing is known of it. */
static bool pytest_broke(const struct failure *f)
{
    const struct rerun *r = &f->rerun;
    return r->failed == r->runs && r->kinds == 1 && r->kind[0].type &&
           strcmp(r->kind[0].type, "<exit 3>") == 0;
}

bool weigh(const struct failure *f, bool ours, struct opinion *ret)
{
    const struct rerun *r = &f->rerun;
    if (!f->looked_into || !r->status)
        return false;
    if (strcmp(r->status, "held-side-effects") == 0)
        return reached_out(f, ret);
    if (r->causes > 0 && text_starts(r->status, "flaky-")) {
        caused(f, ret);
        return true;
    }
    if (r->runs == 0 || pytest_broke(f))
        return false;
    if (r->failed == r->runs)
        always(f, ours, ret);
    else if (r->failed > 0)
        mixed(f, ret);
    else
        passes(f, ret);
    return true;
}

bool weigh_passes_now(const struct failure *f)
{
    const struct rerun *r = &f->rerun;
    return failure_is_flake(f) && r->runs > 0 && r->failed == 0 && r->causes == 0 &&
           r->after_failed == 0;
}

void weigh_again(struct failure *f, enum again what, const char *why)
{
    own_text struct text said = {0};
    switch (what) {
    case AGAIN_PASSED:
        text_addf(&said, "%s It passed once more when pytest was run as it was.",
                  or_empty(f->verdict.hypothesis));
        opinion_say(&f->verdict, text_str(&said), f->verdict.fix);
        return;
    case AGAIN_FAILED:
        if (f->rerun.runs == 1)
            text_add(&said, "It passed when it was run again");
        else
            text_addf(&said, "It passed in all %u reruns", f->rerun.runs);
        text_add(&said, ", but failed again when pytest was run as it was: reruns leave out some "
                        "of its options, its timeouts and those of the interpreter.");
        f->verdict.category = CATEGORY_REGRESSION;
        f->verdict.confidence = CONFIDENCE_LOW;
        opinion_say(&f->verdict, text_str(&said), NULL);
        return;
    case AGAIN_UNKNOWN:
        text_addf(&said,
                  "it passes now, but whether it does when pytest is run as it was is not known: "
                  "%s",
                  or_empty(why));
        opinion_done(&f->verdict);
        f->judged = f->by_evidence = false;
        free(f->rerun.reason);
        f->rerun.reason = text_take(&said);
        return;
    }
}
