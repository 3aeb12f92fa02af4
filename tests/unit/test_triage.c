/* The parts of triage that need no process and no network: texts, options, the chain before a
 * provider, prompts, the summary, the report. */
#include "../check.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "triage/chain.h"
#include "triage/failed.h"
#include "triage/prompt.h"
#include "triage/triage.h"

#include <sys/stat.h>

static void cleaned(const char *s, size_t max, const char *want)
{
    own_text struct text t = {0};
    opinion_clean(s, max, &t);
    CHECK_STR(text_str(&t), want);
}

TEST(words_of_a_model_are_cleaned)
{
    cleaned("plain words", 100, "plain words");
    cleaned(" two\n\tlines \r\n", 100, "two lines");
    cleaned("\033[31mred\033[0m", 100, "red");
    cleaned("\033]0;title\aafter", 100, "after");
    cleaned("\033]8;;http://x\033\\link\033]8;;\033\\", 100, "link");
    cleaned("\033P+q\033\\x", 100, "x");
    cleaned("\033]never ends", 100, "");
    cleaned("\033", 100, "");
    cleaned("a\x01\x7f\xc2\x9b" "31mb", 100, "a31mb"); /* C1's CSI */
    cleaned("a\xe2\x80\xae" "b\xe2\x81\xa6" "c\xef\xbb\xbf" "d\xf3\xa0\x80\xa1" "e", 100, "abcde");
    cleaned("\xff\xc0\xaf\xed\xa0\x80", 100,
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    cleaned("Тест упал", 100, "Тест упал");
    cleaned("0123456789", 10, "0123456789");
    cleaned("0123456789a", 10, "0123456...");
    cleaned("Тестовый", 8, "Те...");
    cleaned("\xd0", 100, "\xef\xbf\xbd");
}

TEST(an_unknown_word_is_unknown_and_low)
{
    CHECK_EQ(category_of("env"), CATEGORY_ENV);
    CHECK_EQ(category_of("test_bug"), CATEGORY_TEST_BUG);
    CHECK_EQ(category_of("Env"), CATEGORY_UNKNOWN);
    CHECK_EQ(category_of(NULL), CATEGORY_UNKNOWN);
    CHECK_EQ(confidence_of("high"), CONFIDENCE_HIGH);
    CHECK_EQ(confidence_of("certain"), CONFIDENCE_LOW);
}

static void clipped(const char *s, struct clip how, const char *want)
{
    own_text struct text t = {0};
    failure_clip(s, &how, &t);
    CHECK_STR(text_str(&t), want);
}

TEST(texts_are_cut_at_bytes_with_a_mark)
{
    clipped("abcdef", (struct clip){6, true, 0}, "abcdef");
    clipped("abcdef", (struct clip){4, true, 0}, "...[truncated 2 bytes]...\ncdef");
    clipped("abcdef", (struct clip){4, false, 0}, "abcd...[truncated 2 bytes]...");
    clipped("abcdef", (struct clip){6, true, 100}, "...[truncated 100 bytes]...\nabcdef");
    clipped("дада", (struct clip){3, true, 0}, "...[truncated 6 bytes]...\nа");
    clipped("дада", (struct clip){3, false, 0}, "д...[truncated 6 bytes]...");
    clipped("", (struct clip){3, false, 0}, "");
}

static struct failure *add(struct failures *f, const char *id, const char *type, const char *trace)
{
    struct failure *new = failures_add(f);
    new->nodeid = str_or_die(id);
    new->exc_type = str_or_die(type);
    new->exc_message = str_or_die("words");
    new->traceback = str_or_die(trace);
    argv_add(&new->select, id);
    return new;
}

TEST(addresses_and_space_do_not_tell_failures_apart)
{
    own_failures struct failures f = {0};
    add(&f, "a", "E", "at 0x7f01  in\nx");
    add(&f, "b", "E", "at 0x7FFE in x");
    add(&f, "c", "E", "at 0x7f01 in y");
    add(&f, "d", "F", "at 0x7f01 in x");
    add(&f, "e", "E", "");
    add(&f, "f", "E", "");
    add(&f, "b", "E", "at 0x1 in x");
    failures_merge(&f);
    CHECK_EQ(f.n, 5);
    CHECK_STR(f.at[0].nodeid, "a");
    CHECK_EQ(f.at[0].count, 3);
    CHECK_EQ(f.at[0].select.n, 3);
    CHECK_STR(f.at[0].select.at[1], "b");
    CHECK(f.at[1].count == 1 && f.at[2].count == 1 && f.at[3].count == 1 && f.at[4].count == 1);
    CHECK_STR(f.at[3].nodeid, "e"); /* without a traceback the id tells them apart */
    CHECK_STR(f.at[4].nodeid, "f");
}

#define OPTION(n, v) {n, v, "--ai-" n}
#define READ(c, e, ...)                                                                            \
    triage_config_read((const struct triage_option[]){__VA_ARGS__},                                \
                       sizeof((const struct triage_option[]){__VA_ARGS__}) /                       \
                           sizeof(struct triage_option),                                           \
                       c, e)

TEST(options_have_their_defaults_and_the_last_one_wins)
{
    struct triage_config c = {0};
    struct err e = {0};
    CHECK_EQ(triage_config_read(NULL, 0, &c, &e), 0);
    CHECK(!c.triage && c.redact && !c.provider && !c.report && c.budget == 10);
    CHECK_EQ(c.timeout_ns, 30 * NS_PER_S);
    CHECK_EQ(READ(&c, &e, OPTION("triage", "on"), OPTION("budget", "0"), OPTION("redact", "off"),
                  OPTION("timeout", "0.5"), {"provider", "a", "ai_provider"},
                  OPTION("provider", "b"), OPTION("other", "x")),
             0);
    CHECK(c.triage && !c.redact && c.budget == 0 && c.timeout_ns == NS_PER_S / 2);
    CHECK_STR(c.provider, "b");
    CHECK_STR(c.report, ".triage.json"); /* as triage is on */
    CHECK(!c.report_from);
    CHECK(!c.evidence && c.evidence_ns == 60 * NS_PER_S);
    CHECK_EQ(READ(&c, &e, OPTION("evidence", "on"), OPTION("evidence-budget", "0.5")), 0);
    CHECK(c.evidence && !c.triage && c.evidence_ns == NS_PER_S / 2);
    CHECK_STR(c.report, ".triage.json"); /* as there may be verdicts */
    CHECK_EQ(READ(&c, &e, OPTION("triage", "false"), OPTION("report", "x.json")), 0);
    CHECK_STR(c.report, "x.json");
}

static void refused(const char *name, const char *value, const char *want)
{
    struct triage_config c;
    struct err e = {0};
    own_text struct text from = {0};
    text_addf(&from, "--ai-%s", name);
    CHECK_EQ(READ(&c, &e, {name, value, text_str(&from)}), -1);
    CHECK_EQ(e.kind, ERR_USAGE);
    CHECK_STR(e.what, want);
}

TEST(options_that_cannot_be_are_refused)
{
    refused("triage", "maybe", "--ai-triage: \"maybe\" is neither on nor off");
    refused("redact", "lax", "--ai-redact: \"lax\" is neither strict nor off");
    refused("budget", "-1", "--ai-budget must be 0 or more, not -1");
    refused("budget", "1.5", "--ai-budget: \"1.5\" is no whole number");
    refused("budget", "", "--ai-budget: \"\" is no whole number");
    refused("budget", "99999999999999999999", "--ai-budget: \"99999999999999999999\" is no whole "
                                              "number");
    refused("timeout", "0", "--ai-timeout must be more than 0 and at most 86400, not 0");
    refused("timeout", "inf", "--ai-timeout must be more than 0 and at most 86400, not inf");
    refused("timeout", "nan", "--ai-timeout: \"nan\" is no number");
    refused("evidence", "yes", "--ai-evidence: \"yes\" is neither on nor off");
    refused("evidence-budget", "-1", "--ai-evidence-budget must be between 0 and 86400, not -1");
    refused("evidence-budget", "1m", "--ai-evidence-budget: \"1m\" is no number");
    refused("timeout", "soon", "--ai-timeout: \"soon\" is no number");
}

/* A provider that answers by a script: A answers, F fails, L is late. */
struct script {
    const char *next;
    unsigned asked;
};

static enum asked ask_script(struct provider *p, const struct inquiry *q, struct opinion *ret,
                             struct err *e)
{
    struct script *s = p->state;
    own_text struct text words = {0};
    s->asked++;
    CHECK(q->deadline_ns > clock_mono_ns());
    switch (*s->next ? *s->next++ : 'A') {
    case 'F':
        err_set(e, ERR_SYSTEM, "no luck with password=hunter2 %0500d", 7);
        return ASKED_FAILED;
    case 'L':
        return ASKED_LATE;
    default:
        text_addf(&words, "broken in %s with token=abc123", q->nodeid);
        ret->category = CATEGORY_ENV;
        ret->confidence = CONFIDENCE_HIGH;
        opinion_say(ret, text_str(&words), NULL);
        return ASKED_ANSWERED;
    }
}
static const struct provider_kind scripted = {"scripted", NULL, ask_script, NULL};

struct world {
    struct script script;
    struct provider provider;
    struct redactor *redactor;
    struct chain chain;
    struct failures failures;
};

static void world_init(struct world *w, const char *script, int64_t budget)
{
    struct err e = {0};
    *w = (struct world){.script = {script, 0}};
    w->provider = (struct provider){.kind = &scripted, .state = &w->script};
    CHECK_EQ(redactor_new(NULL, &w->redactor, &e), 0);
    w->chain = (struct chain){.provider = &w->provider,
                              .redactor = w->redactor,
                              .budget = budget,
                              .timeout_ns = NS_PER_S};
}

static void world_done(struct world *w)
{
    chain_done(&w->chain);
    redactor_free(w->redactor);
    failures_done(&w->failures);
}

static void says(struct world *w, const char *id, const char *trace, const char *want)
{
    struct opinion v = {0};
    chain_ask(&w->chain, add(&w->failures, id, "E", trace), id, &v);
    CHECK_STR(v.hypothesis, want);
    opinion_done(&v);
}

#define BROKEN(id) "broken in " id " with token=[REDACTED]"
#define STOPPED    "triage stopped: the provider kept failing"

TEST(identical_failures_are_asked_about_once)
{
    struct world w;
    world_init(&w, "", 10);
    says(&w, "a", "at 0x1 x", BROKEN("a"));
    says(&w, "b", "at  0x2 x", BROKEN("b")); /* a verdict of its own test's name */
    says(&w, "c", "other", BROKEN("c"));
    CHECK(w.script.asked == 2 && w.chain.calls == 2 && w.chain.cached == 1);
    world_done(&w);
}

TEST(the_budget_is_a_number_of_calls)
{
    struct world w;
    world_init(&w, "", 1);
    says(&w, "a", "1", BROKEN("a"));
    says(&w, "b", "2", "triage budget exhausted");
    says(&w, "c", "1", BROKEN("c")); /* the cache costs nothing */
    CHECK_EQ(w.script.asked, 1);
    world_done(&w);
    world_init(&w, "", 0);
    says(&w, "a", "1", "triage budget exhausted");
    CHECK_EQ(w.script.asked, 0);
    world_done(&w);
}

TEST(one_late_answer_opens_the_breaker)
{
    struct world w;
    world_init(&w, "AL", 10);
    says(&w, "a", "1", BROKEN("a"));
    says(&w, "b", "2", "triage timed out");
    says(&w, "c", "3", STOPPED);
    says(&w, "d", "1", BROKEN("d"));
    CHECK(w.script.asked == 2 && w.chain.open);
    world_done(&w);
}

TEST(two_errors_in_a_row_open_the_breaker)
{
    struct world w;
    struct opinion v = {.confidence = CONFIDENCE_HIGH};
    world_init(&w, "FAFFA", 10);
    chain_ask(&w.chain, add(&w.failures, "a", "E", "1"), "a", &v);
    CHECK(text_starts(v.hypothesis, "triage provider error: no luck with password=[REDACTED] 00"));
    CHECK(text_ends(v.hypothesis, "..."));
    CHECK_EQ(strlen(v.hypothesis), strlen("triage provider error: ") + 200);
    CHECK(v.category == CATEGORY_UNKNOWN && v.confidence == CONFIDENCE_LOW && !v.fix);
    opinion_done(&v);
    says(&w, "b", "2", BROKEN("b"));
    CHECK(!w.chain.open);
    chain_ask(&w.chain, add(&w.failures, "c", "E", "3"), "c", &v);
    chain_ask(&w.chain, add(&w.failures, "d", "E", "4"), "d", &v);
    CHECK(w.chain.open);
    opinion_done(&v);
    says(&w, "e", "5", STOPPED);
    CHECK_EQ(w.script.asked, 4);
    world_done(&w);
}

TEST(a_prompt_leaves_empty_sections_out)
{
    own_failures struct failures f = {0};
    own_text struct text user = {0}, whole = {0}, russian = {0};
    struct failure *one = add(&f, "t.py::x", "E", "trace\n");
    one->out = str_or_die(" \n");
    one->err = str_or_die("on stderr");
    struct inquiry q = {one, "t.py::x", 0};
    prompt_user(&q, LANGUAGE_ENGLISH, &user);
    CHECK(strstr(text_str(&user), "nodeid: t.py::x\nexception type: E\nexception message: words\n"
                                  "traceback:\ntrace\nstderr tail:\non stderr\n"));
    CHECK(!strstr(text_str(&user), "stdout") && !strstr(text_str(&user), "phase"));
    prompt_whole(&q, LANGUAGE_ENGLISH, &whole);
    CHECK(strstr(text_str(&whole), "one JSON object") && strstr(text_str(&whole), "test_bug"));
    prompt_user(&q, LANGUAGE_RUSSIAN, &russian);
    CHECK(strstr(text_str(&russian), "трассировка:\ntrace\n"));
}

static void triage_of(struct triage *t, const char *provider)
{
    struct err e = {0};
    t->config = (struct triage_config){.triage = provider != NULL,
                                       .redact = true,
                                       .provider = provider,
                                       .budget = 10,
                                       .timeout_ns = NS_PER_S};
    CHECK_EQ(triage_run(t, &e), 0);
}

TEST(the_fake_provider_goes_by_the_type)
{
    static const char *const types[] = {"AssertionError", "ConnectionError", "TimeoutError",
                                        "OSError", "ValueError"};
    static const enum category want[] = {CATEGORY_TEST_BUG, CATEGORY_ENV, CATEGORY_ENV,
                                         CATEGORY_ENV, CATEGORY_REGRESSION};
    for (int k = 0; k < 2; k++) {
        own_triage struct triage t = {0};
        own_text struct text summary = {0};
        for (size_t i = 0; i < 5; i++)
            add(&t.failures, "t.py::x[sk-live-abcdef1]", types[i], types[i]);
        triage_of(&t, k == 0 ? "fake" : "oauth-fake");
        for (size_t i = 0; i < 5; i++)
            CHECK_EQ(t.failures.at[i].verdict.category, want[i]);
        CHECK_STR(t.failures.at[4].verdict.hypothesis, "ValueError in t.py::x[[REDACTED]]");
        triage_summary(&t, &summary);
        CHECK_STR(text_str(&summary), "pytest-triage: 3 env, 1 regression, 1 test_bug\n"
                                      "pytest-triage: 5 provider call(s), 0 from cache\n");
    }
}

TEST(a_small_budget_goes_to_what_most_tests_share)
{
    own_triage struct triage t = {0};
    struct err e = {0};
    add(&t.failures, "a", "ValueError", "rare");
    add(&t.failures, "b", "OSError", "common");
    add(&t.failures, "c", "OSError", "common");
    t.config = (struct triage_config){
        .triage = true, .provider = "fake", .budget = 1, .timeout_ns = NS_PER_S};
    CHECK_EQ(triage_run(&t, &e), 0);
    CHECK_STR(t.failures.at[0].verdict.hypothesis, "triage budget exhausted");
    CHECK_STR(t.failures.at[1].verdict.hypothesis, "OSError in b");
    CHECK_STR(t.failures.at[2].verdict.hypothesis, "OSError in c");
    CHECK(t.failures.at[1].count == 2 && t.calls == 1 && t.cached == 1);
}

TEST(a_secret_at_a_cut_is_not_told_by_half)
{
    own_triage struct triage t = {0};
    own_text struct text out = {0}, message = {0};
    struct failure *f = add(&t.failures, "a", "E", "x");
    text_add(&out, "password=");
    for (int i = 0; i < 3000; i++)
        text_addc(&out, 'z');
    f->out = text_take(&out);
    for (int i = 0; i < 990; i++)
        text_addc(&message, '.');
    text_add(&message, " ghp_0123456789abcdefghijklmn");
    free(f->exc_message);
    f->exc_message = text_take(&message);
    triage_of(&t, NULL);
    CHECK_STR(t.failures.at[0].out, "password=[REDACTED]");
    CHECK(!strstr(t.failures.at[0].exc_message, "ghp"));
    CHECK(!t.failures.at[0].judged);
}

TEST(a_report_is_for_its_owner_and_reads_back)
{
    own_failures struct failures f = {0}, back = {0};
    own_text struct text json = {0}, path = {0}, read = {0};
    struct err e = {0};
    struct stat st;
    char folder[] = "/tmp/fr-triage-XXXXXX";
    CHECK(mkdtemp(folder));
    struct failure *one = add(&f, "t.py::x", "E", "trace \"quoted\" \033[31m");
    add(&f, "t.py::x", "E", "teardown");
    one->judged = true;
    one->duration = 4e-5;
    one->verdict.category = CATEGORY_FLAKY;
    one->verdict.confidence = CONFIDENCE_HIGH;
    opinion_say(&one->verdict, "why", "how");
    struct failed_report r = {
        .failures = &f, .created_ns = 1784819010 * NS_PER_S, .model = "m", .seconds = 4.12};
    failed_json(&r, &json);
    CHECK(strstr(text_str(&json), "\"created_at\": \"2026-07-23T15:03:30Z\""));
    CHECK(strstr(text_str(&json), "\"triage_duration\": 4.12,"));
    CHECK(strstr(text_str(&json), "\"duration\": 0.00004,"));
    CHECK(strstr(text_str(&json), "\"total_failures\": 2,"));
    CHECK(strstr(text_str(&json), "\"total_verdicts\": 1"));
    CHECK(strstr(text_str(&json), "\"pytest_args\": [\n    \"t.py::x\"\n  ],\n  \"failures\""));
    text_addf(&path, "%s/new/er/r.json", folder);
    CHECK_EQ(failed_write(text_str(&path), &json, &e), 0);
    CHECK_EQ(failed_write(text_str(&path), &json, &e), 0);
    CHECK(stat(text_str(&path), &st) == 0 && (st.st_mode & 0777) == 0600);
    CHECK_EQ(fdio_read_file(text_str(&path), 1 << 20, &read, &e), 0);
    CHECK_STR(text_str(&read), text_str(&json));
    CHECK_EQ(failed_read(text_str(&read), "r", &back, &e), 0);
    CHECK_EQ(back.n, 2);
    CHECK_STR(back.at[0].traceback, "trace \"quoted\" \033[31m");
    CHECK(back.at[0].judged && back.at[0].verdict.category == CATEGORY_FLAKY);
    CHECK_STR(back.at[0].verdict.fix, "how");
    CHECK(!back.at[1].judged);
    CHECK_EQ(failed_write("/proc/none/r.json", &json, &e), -1);
    fdio_remove_tree(folder);
}

TEST(what_is_no_report_is_refused)
{
    static const char *const bad[] = {"", "[]", "{}", "{\"schema_version\": 0, \"failures\": []}",
                                      "{\"schema_version\": 1}", "{\"schema_version\": 1,",
                                      "{\"schema_version\": \"1\", \"failures\": []}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        own_failures struct failures f = {0};
        struct err e = {0};
        CHECK_EQ(failed_read(bad[i], "it", &f, &e), -1);
        CHECK_STR(e.what, "it: this is no report of failures");
    }
    own_failures struct failures f = {0};
    struct err e = {0};
    CHECK_EQ(failed_read("{\"schema_version\": 2, \"failures\": [1, {\"nodeid\": 3}, {\"nodeid\": "
                         "\"a\", \"new\": {}}]}", "it", &f, &e), 0);
    CHECK_EQ(f.n, 1);
}
