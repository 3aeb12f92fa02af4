/* What failures become for services that run tests: what counts, where each is shown, in which
 * words, as annotations and as a code quality report. */
#include "../check.h"

#include "triage/gate.h"
#include "triage/github.h"
#include "triage/headline.h"
#include "triage/quality.h"
#include "triage/rerun_words.h"
#include "triage/spot.h"

static const struct folder here = {"/srv/shop", ""};

static char *copy(const char *s)
{
    return s ? str_or_die(s) : NULL;
}

static struct failure *add(struct failures *f, const char *nodeid, const char *type,
                           const char *message)
{
    struct failure *new = failures_add(f);
    new->nodeid = copy(nodeid);
    new->exc_type = copy(type);
    new->exc_message = copy(message);
    argv_add(&new->select, nodeid);
    return new;
}

static void judge(struct failure *f, enum category category, bool by_evidence, const char *why)
{
    f->judged = true;
    f->by_evidence = by_evidence;
    f->verdict.category = category;
    opinion_say(&f->verdict, why, NULL);
}

static void cause(struct rerun *r, const char *axis, const char *value, const char *passes)
{
    struct rerun_cause *c = &r->cause[r->causes++];
    c->axis = copy(axis);
    c->value = copy(value);
    c->passes = copy(passes);
}

static void kind(struct rerun *r, const char *type, const char *site, const char *message)
{
    struct rerun_kind *k = &r->kind[r->kinds++];
    *k = (struct rerun_kind){copy(type), copy(site), copy(message), 3};
}

TEST(only_reruns_clear_a_failure)
{
    own_failures struct failures f = {0};
    CHECK_EQ(gate_stops(GATE_REGRESSIONS, &f), 0);
    judge(add(&f, "t.py::a", "E", NULL), CATEGORY_FLAKY, true, "");
    CHECK_EQ(gate_stops(GATE_REGRESSIONS, &f), 0);
    CHECK_EQ(gate_stops(GATE_FLAKY, &f), 1);
    judge(add(&f, "t.py::b", "E", NULL), CATEGORY_FLAKY, false, "a model says so");
    judge(add(&f, "t.py::c", "E", NULL), CATEGORY_ENV, true, "");
    judge(add(&f, "t.py::d", "E", NULL), CATEGORY_UNKNOWN, true, "");
    judge(add(&f, "t.py::e", "E", NULL), CATEGORY_TEST_BUG, true, "");
    judge(add(&f, "t.py::f", "E", NULL), CATEGORY_REGRESSION, true, "");
    add(&f, "t.py::g", "E", NULL);
    CHECK_EQ(gate_stops(GATE_REGRESSIONS, &f), 6);
    CHECK_EQ(gate_stops(GATE_FLAKY, &f), 7);
    CHECK_EQ(gate_stops(GATE_NONE, &f), 0);
}

TEST(evidence_in_words)
{
    struct rerun r = {.runs = 8, .failed = 3};
    own_text struct text t = {0};
    rerun_words(&r, &t);
    CHECK_STR(text_str(&t), "8 runs, 3 failed");
    cause(&r, "hashseed", "1260", "1092");
    cause(&r, "gc", NULL, NULL);
    r.verify_runs = r.verify_failed = r.passing_runs = 10;
    r.reason = copy("the budget was spent");
    text_clear(&t);
    rerun_words(&r, &t);
    CHECK_STR(text_str(&t), "8 runs, 3 failed; fails with hashseed=1260, passes with hashseed=1092, "
                            "fails with gc= (10 of 10 failed, against 0 of 10); the budget was spent");
    r.runs = 0;
    text_clear(&t);
    rerun_words(&r, &t);
    CHECK_STR(text_str(&t), "the budget was spent");
    rerun_done(&r);
    r = (struct rerun){0};
    text_clear(&t);
    rerun_words(&r, &t);
    CHECK_STR(text_str(&t), "nothing was run");
}

static void spotted(const char *traceback, const char *want, unsigned line)
{
    own_failures struct failures f = {0};
    own_spot struct spot s = {0};
    add(&f, "tests/test_a.py::t", "E", NULL)->traceback = copy(traceback);
    spot_of(&f.at[0], &here, &s);
    CHECK_STR(text_str(&s.file), want);
    CHECK_EQ(s.line, line);
}

TEST(a_failure_is_shown_at_its_innermost_line_of_the_project)
{
    spotted("x\n\ntests/test_a.py:3: AssertionError\n", "tests/test_a.py", 3);
    spotted("tests/test_a.py:3: \n_ _ _\n\n    def f():\n>       raise E\n\nshop/cart.py:40: E",
            "shop/cart.py", 40);
    spotted("tests/test_a.py:3: in t\n    f()\n/usr/lib/python3/json.py:9: in f\nE   x", /* short */
            "tests/test_a.py", 3);
    spotted("tests/test_a.py:3: \n../venv/lib/x.py:9: E", "tests/test_a.py", 3);
    spotted("tests/test_a.py:3: \n.venv/lib/python3/site-packages/x.py:9: E", "tests/test_a.py", 3);
    spotted("Traceback:\n  File \"/srv/shop/tests/test_a.py\", line 12, in t\n    f()\n"
            "  File \"/usr/lib/python3.11/json.py\", line 5, in f\n",
            "tests/test_a.py", 12); /* native */
    spotted("/srv/shop/./tests/test_a.py:3: E", "tests/test_a.py", 3); /* line */
    spotted("/srv/shopping/test_a.py:3: E", "tests/test_a.py", 0);
    spotted("E   x: 3: y\nat 12:30: later\n<string>:3: E\n a.py:1: E\na.py:0: E\na.py:12x: E\n"
            "a.py:99999999999999999999: E\nFile \"a.py, line 3\nFile \"b.py\", line x",
            "tests/test_a.py", 0);
    spotted("", "tests/test_a.py", 0);
    spotted(NULL, "tests/test_a.py", 0);
}

TEST(a_failure_above_where_the_tests_ran_is_shown_from_the_root)
{
    static const char *const want[] = {"svc/test_a.py", "test_a.py", "svc/deep/tests/test_a.py"};
    static const char *const told[] = {"../test_a.py:3: E", "../../test_a.py:3: E",
                                       "../../../test_a.py:3: E"};
    const struct folder at = {"/srv/shop/svc/deep", "svc/deep/"};
    for (size_t i = 0; i < 3; i++) {
        own_failures struct failures f = {0};
        own_spot struct spot s = {0};
        add(&f, "tests/test_a.py::t", "E", NULL)->traceback = copy(told[i]);
        spot_of(&f.at[0], &at, &s);
        CHECK_STR(text_str(&s.file), want[i]);
    }
}

TEST(a_flake_is_shown_where_its_cause_is_read)
{
    own_failures struct failures f = {0};
    own_spot struct spot s = {0}, other = {0}, none = {0}, prefixed = {0};
    struct failure *a = add(&f, "tests/test_a.py::t", "E", NULL);
    a->traceback = copy("tests/test_a.py:3: E");
    a->rerun.look_at = copy("shop/names.py:7");
    judge(a, CATEGORY_FLAKY, true, "");
    spot_of(a, &here, &s);
    CHECK_STR(text_str(&s.file), "shop/names.py");
    CHECK_EQ(s.line, 7);
    judge(a, CATEGORY_REGRESSION, true, "");
    spot_of(a, &(struct folder){"/srv/shop", "services/shop/"}, &prefixed);
    CHECK_STR(text_str(&prefixed.file), "services/shop/tests/test_a.py");
    struct failure *b = add(&f, "com.x.Cart::total", "E", NULL);
    spot_of(b, &here, &none);
    CHECK_STR(text_str(&none.file), "");
    kind(&b->rerun, "E", "src/cart.py:9", "x");
    spot_of(b, &here, &other);
    CHECK_STR(text_str(&other.file), "src/cart.py");
    CHECK_EQ(other.line, 9);
}

static void below(const char *root, const char *cwd, const char *want)
{
    own_text struct text t = {0};
    folder_below(root, cwd, &t);
    CHECK_STR(text_str(&t), want);
}

TEST(the_root_of_the_repository_may_be_above)
{
    below("/r", "/r", "");
    below("/r/", "/r/a/b", "a/b/");
    below("/r", "/ra", "");
    below("/r/a", "/r", "");
    below("", "/r", "");
}

/* Two failures as a suite has them. */
static void fill(struct failures *f)
{
    struct failure *flake = add(f, "tests/test_a.py::test_first[x,y]", "AssertionError",
                                "assert 'b' == 'a'\n  - a");
    flake->traceback = copy("tests/test_a.py:3: AssertionError");
    judge(flake, CATEGORY_FLAKY, true, "failed in 3 of 8 runs");
    flake->looked_into = true;
    flake->rerun.runs = 8;
    flake->rerun.failed = 3;
    flake->rerun.verify_runs = flake->rerun.verify_failed = flake->rerun.passing_runs = 10;
    cause(&flake->rerun, "hashseed", "1", "2");
    flake->rerun.command = copy("PYTHONHASHSEED=1 pytest 'tests/test_a.py::test_first[x,y]'");
    flake->rerun.look_at = copy("shop/names.py:7");
    struct failure *bad = add(f, "tests/test_b.py::test_total", "ValueError",
                              "100%\r\n::warning::x\033[31m");
    bad->traceback = copy("tests/test_b.py:9: ValueError");
    bad->count = 3;
    judge(bad, CATEGORY_REGRESSION, true, "");
    bad->looked_into = true;
    bad->rerun.runs = bad->rerun.failed = 12;
    add(f, "com.x.Cart::total", NULL, NULL);
}

TEST(annotations_of_github)
{
    own_failures struct failures f = {0};
    own_text struct text t = {0};
    fill(&f);
    github_annotations(&f, &here, &t);
    CHECK_STR(
        text_str(&t),
        "::error file=tests/test_b.py,line=9,title=regression%3A tests/test_b.py%3A%3Atest_total::"
        "ValueError: 100%25 ::warning::x (and 2 more like it)%0AReruns: 12 runs, "
        "12 failed.\n"
        "::error title=failure%3A com.x.Cart%3A%3Atotal::failure\n"
        "::warning file=shop/names.py,line=7,title=flaky%3A tests/test_a.py%3A%3Atest_first[x%2Cy]"
        "::AssertionError: assert 'b' == 'a' - a%0AFailed in 3 of 8 runs.%0AFails every time: "
        "PYTHONHASHSEED=1 pytest 'tests/test_a.py::test_first[x,y]'\n");
}

TEST(no_text_of_a_test_begins_a_command)
{
    own_failures struct failures f = {0};
    own_text struct text t = {0};
    struct failure *x = add(&f, "a/t.py::x\n::error::y", "E\n::set-output name=a::b", "\r\n::z");
    judge(x, CATEGORY_ENV, true, "why\n::stop-commands::abc");
    x->rerun.command = copy("pytest 'a\n::error::q'");
    x->traceback = copy("a,b:c/\x01t.py:3: E\nx%0A::y.py:4: E");
    github_annotations(&f, &here, &t);
    CHECK(!strstr(text_str(&t), "\n::") && strchr(text_str(&t), '\n') == t.at + t.len - 1);
    CHECK(!strchr(text_str(&t), '\r'));
    CHECK(text_starts(text_str(&t), "::error file=a/t.py,line=1,title=surroundings%3A"));
}

TEST(code_quality_of_gitlab)
{
    own_failures struct failures f = {0};
    own_text struct text t = {0};
    fill(&f);
    quality_json(&f, &here, &t);
    CHECK_STR(
        text_str(&t),
        "[\n"
        "  {\n"
        "    \"description\": \"flaky: tests/test_a.py::test_first[x,y]: AssertionError: assert "
        "'b' == 'a' - a. Failed in 3 of 8 runs.\",\n"
        "    \"check_name\": \"flaky\",\n"
        "    \"fingerprint\": \"706e7ebab7660bc227eaaf2c768f33a7\",\n"
        "    \"severity\": \"minor\",\n"
        "    \"location\": {\n"
        "      \"path\": \"shop/names.py\",\n"
        "      \"lines\": {\n"
        "        \"begin\": 7\n"
        "      }\n"
        "    }\n"
        "  },\n"
        "  {\n"
        "    \"description\": \"regression: tests/test_b.py::test_total: ValueError: 100% "
        "::warning::x. Reruns: 12 runs, 12 failed.\",\n"
        "    \"check_name\": \"regression\",\n"
        "    \"fingerprint\": \"31365e2b478a0a2335c2be3a9844a294\",\n"
        "    \"severity\": \"critical\",\n"
        "    \"location\": {\n"
        "      \"path\": \"tests/test_b.py\",\n"
        "      \"lines\": {\n"
        "        \"begin\": 9\n"
        "      }\n"
        "    }\n"
        "  },\n"
        "  {\n"
        "    \"description\": \"failure: com.x.Cart::total: failure\",\n"
        "    \"check_name\": \"failure\",\n"
        "    \"fingerprint\": \"56caa3601a117deae0ca113e0cf7c535\",\n"
        "    \"severity\": \"major\",\n"
        "    \"location\": {\n"
        "      \"path\": \"com.x.Cart::total\",\n"
        "      \"lines\": {\n"
        "        \"begin\": 1\n"
        "      }\n"
        "    }\n"
        "  }\n"
        "]\n");
}

/* The `nth` fingerprint in the text. */
static const char *print_at(const struct text *t, int nth, char ret[33])
{
    const char *s = text_str(t);
    while (nth-- >= 0 && s)
        s = (s = strstr(s, "\"fingerprint\": \"")) ? s + 16 : NULL;
    snprintf(ret, 33, "%s", s ? s : "");
    return ret;
}

TEST(a_fingerprint_outlives_counts_and_verdicts)
{
    own_failures struct failures f = {0}, g = {0};
    own_text struct text t = {0}, u = {0};
    char a[33], b[33];
    fill(&f);
    fill(&g);
    g.at[0].rerun.runs = 70;
    g.at[0].rerun.failed = 31;
    judge(&g.at[0], CATEGORY_UNKNOWN, true, "the budget was spent");
    free(g.at[0].exc_message);
    g.at[0].exc_message = copy("another");
    struct failure *twin = add(&g, "tests/test_b.py::test_total", "ValueError", "of a subtest");
    CHECK(twin);
    quality_json(&f, &here, &t);
    quality_json(&g, &here, &u);
    for (int i = 0; i < 3; i++)
        CHECK_STR(print_at(&t, i, a), print_at(&u, i, b));
    CHECK(strcmp(print_at(&t, 0, a), print_at(&t, 1, b)) != 0);
    CHECK(strcmp(print_at(&u, 1, a), print_at(&u, 3, b)) != 0 && *b);
}
