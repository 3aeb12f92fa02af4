/* JUnit's XML with evidence in it: what changes, what does not, and what is left alone. */
#include "../check.h"

#include "triage/gate.h"
#include "triage/junit.h"
#include "triage/junit_rewrite.h"
#include "triage/xml_edit.h"

#define NONE "<system-out>Reruns: nothing was run.</system-out>"

static char *copy(const char *s)
{
    return s ? str_or_die(s) : NULL;
}

static struct failure *add(struct failures *f, const char *nodeid, const char *phase,
                           enum category category)
{
    struct failure *new = failures_add(f);
    new->nodeid = copy(nodeid);
    new->phase = copy(phase);
    new->exc_type = copy("AssertionError");
    new->judged = new->by_evidence = new->looked_into = true;
    new->verdict.category = category;
    opinion_say(&new->verdict, "", NULL);
    return new;
}

static void kind(struct failure *f, const char *type, const char *site, const char *message)
{
    f->rerun.kind[f->rerun.kinds++] =
        (struct rerun_kind){copy(type), copy(site), copy(message), 9};
}

static void becomes(const char *xml, const struct failures *f, const char *want)
{
    own_text struct text in = {0}, out = {0};
    struct err e = {0};
    text_add(&in, xml);
    if (junit_rewrite(&in, "r.xml", f, &out, &e) < 0)
        CHECK_SAY("%s", e.what);
    CHECK_STR(text_str(&out), want);
}

TEST(a_flake_counts_as_passed)
{
    own_failures struct failures f = {0};
    struct failure *a = add(&f, "tests/test_a.py::TestX::t[a/b.c]", "call", CATEGORY_FLAKY);
    a->rerun.runs = 8;
    a->rerun.failed = 3;
    a->rerun.command = copy("PYTHONHASHSEED=1 pytest \"<x>\"");
    becomes("<?xml version=\"1.0\" encoding=\"utf-8\"?><testsuites name='all' failures='2'>\n"
            "<testsuite  name=\"pytest\" errors=\"0\" failures = \"2\" tests='3' time='0.1' >"
            "<testcase time='1' name='t[a/b.c]' classname='tests.test_a.TestX'>"
            "<failure  message='a &lt;b&gt; &#10;'>x &amp; <![CDATA[<y>]]>\n</failure >"
            "<system-out>out</system-out></testcase><!-- c --><?p i?>"
            "<testcase classname=\"tests.test_a\" name=\"other\"><failure message=\"m\"/></testcase>"
            "</testsuite></testsuites>\n",
            &f,
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><testsuites name='all' failures='1'>\n"
            "<testsuite  name=\"pytest\" errors=\"0\" failures = \"1\" tests='3' time='0.1' >"
            "<testcase time='1' name='t[a/b.c]' classname='tests.test_a.TestX'>"
            "<flakyFailure  message='a &lt;b&gt; &#10;' type=\"AssertionError\"><stackTrace>"
            "x &amp; <![CDATA[<y>]]>\n</stackTrace><system-out>Reruns: 8 runs, 3 failed.\n"
            "Fails every time: PYTHONHASHSEED=1 pytest \"&lt;x&gt;\"</system-out>"
            "</flakyFailure><system-out>out</system-out></testcase><!-- c --><?p i?>"
            "<testcase classname=\"tests.test_a\" name=\"other\"><failure message=\"m\"/></testcase>"
            "</testsuite></testsuites>\n");
}

TEST(an_empty_element_is_one_too)
{
    own_failures struct failures f = {0};
    add(&f, "test_a.py::t", "teardown", CATEGORY_FLAKY);
    becomes("<testsuite errors='1'><testcase classname='test_a' name='t'>"
            "<error message='failed on teardown with \"x\"' type='T' /></testcase></testsuite>",
            &f,
            "<testsuite errors='0'><testcase classname='test_a' name='t'>"
            "<flakyError message='failed on teardown with \"x\"' type='T'><stackTrace></stackTrace>" NONE "</flakyError></testcase></testsuite>");
}

TEST(other_failures_get_their_reruns)
{
    own_failures struct failures f = {0};
    struct failure *a = add(&f, "test_a.py::t", "call", CATEGORY_REGRESSION);
    a->rerun.runs = a->rerun.failed = 12;
    kind(a, "ValueError", "test_a.py:3", "a \"b\"\x01\033");
    kind(a, NULL, NULL, NULL);
    const char *xml = "<testsuite failures='1'><testcase classname='test_a' name='t'>"
                      "<failure message='m'>x</failure></testcase></testsuite>";
    becomes(xml, &f,
            "<testsuite failures='1'><testcase classname='test_a' name='t'>"
            "<failure message='m'>x</failure>"
            "<rerunFailure message=\"a &quot;b&quot;\xef\xbf\xbd\xef\xbf\xbd\" type=\"ValueError\">"
            "<stackTrace>ValueError: a \"b\"\xef\xbf\xbd\xef\xbf\xbd\nat test_a.py:3"
            "\n9 of 12 reruns</stackTrace><system-out>Reruns: 12 runs, 12 failed.</system-out>"
            "</rerunFailure><rerunFailure message=\"\" type=\"failure\"><stackTrace>failure\n9 of "
            "12 reruns</stackTrace><system-out>Reruns: 12 runs, 12 failed.</system-out></rerunFailure>"
            "</testcase></testsuite>");
    a->looked_into = false;
    becomes(xml, &f, xml);
}

TEST(call_and_teardown_are_two)
{
    own_failures struct failures f = {0};
    add(&f, "test_a.py::t", "call", CATEGORY_REGRESSION);
    add(&f, "test_a.py::t", "teardown", CATEGORY_FLAKY);
    add(&f, "test_b.py", "collect", CATEGORY_FLAKY);
    becomes("<testsuites><testsuite errors='2' failures='1' skipped='errors=\"7\"'>"
            "<testcase classname='test_a' name='t'><failure/></testcase>"
            "<testcase classname='test_a' name='t'><error message='failed on teardown'/></testcase>"
            "<testcase classname='' name='test_b'><error message='collection failure'/></testcase>"
            "</testsuite><testsuite errors='0' failures='x'/></testsuites>",
            &f,
            "<testsuites><testsuite errors='1' failures='1' skipped='errors=\"7\"'>"
            "<testcase classname='test_a' name='t'><failure/></testcase>"
            "<testcase classname='test_a' name='t'><flakyError message='failed on teardown' "
            "type=\"AssertionError\"><stackTrace></stackTrace>" NONE "</flakyError></testcase>"
            "<testcase classname='' name='test_b'><error message='collection failure'/></testcase>"
            "</testsuite><testsuite errors='0' failures='x'/></testsuites>");
}

TEST(a_test_is_a_flake_only_if_each_failure_of_it_is)
{
    own_failures struct failures f = {0};
    add(&f, "test_a.py::t", "call", CATEGORY_FLAKY);
    add(&f, "test_a.py::t", "call", CATEGORY_UNKNOWN);
    const char *xml = "<testsuite failures='1'><testcase classname='test_a' name='t'><failure/>"
                      "</testcase></testsuite>";
    becomes(xml, &f, xml);
    f.at[0].by_evidence = false; /* a model's word alone changes nothing */
    free(f.at[1].nodeid);
    f.at[1].nodeid = copy("x");
    becomes(xml, &f, xml);
}

TEST(a_prefix_of_classes_is_looked_through)
{
    own_failures struct failures f = {0};
    add(&f, "a/test_a.py::t", NULL, CATEGORY_FLAKY);
    becomes("<testsuite><testcase classname='py.311.a.test_a' name='t'><failure type='T'/>"
            "</testcase><testcase classname='test_a' name='t'><failure/></testcase></testsuite>",
            &f,
            "<testsuite><testcase classname='py.311.a.test_a' name='t'><flakyFailure type='T'>"
            "<stackTrace></stackTrace>" NONE "</flakyFailure></testcase>"
            "<testcase classname='test_a' name='t'><failure/></testcase></testsuite>");
}

static void named(const char *nodeid, const char *want)
{
    own_text struct text t = {0};
    junit_name(nodeid, &t);
    CHECK_STR(text_str(&t), want);
}

TEST(names_are_those_of_pytest)
{
    named("tests/a/test_b.py::TestX::TestY::t[a/b::c.py]", "tests.a.test_b.TestX.TestY\nt[a/b::c.py]");
    named("test_b.py", "\ntest_b");
    named("tests/dir", "\ntests.dir");
    named("x.py.py::t", "x.py\nt");
    named("t.py::t[\x07\x7f]", "t\nt[#x07#x7F]");
    named("t.py::t[\xf0\x9f\x98\x80]", "t\nt[#x1F600]");
    named("com.x.Cart::total", "com.x.Cart\ntotal");
    named("", "\n");
}

TEST(old_and_new_spellings_of_a_name_are_one)
{
    own_failures struct failures f = {0};
    add(&f, "t.py::t[\xf0\x9f\x98\x80]", "call", CATEGORY_FLAKY);
    becomes("<testsuite><testcase classname='t' name='t[\xf0\x9f\x98\x80]'><failure type='T'/>"
            "</testcase><testcase classname='t' name='t[#x1F600]'><failure type='T'/></testcase>"
            "</testsuite>",
            &f,
            "<testsuite><testcase classname='t' name='t[\xf0\x9f\x98\x80]'><flakyFailure "
            "type='T'><stackTrace></stackTrace>" NONE "</flakyFailure></testcase>"
            "<testcase classname='t' name='t[#x1F600]'><flakyFailure type='T'><stackTrace>"
            "</stackTrace>" NONE "</flakyFailure></testcase></testsuite>");
}

TEST(another_encoding_takes_references)
{
    own_failures struct failures f = {0};
    struct failure *a = add(&f, "test_a.py::t", "call", CATEGORY_REGRESSION);
    kind(a, "E", NULL, "\xc3\xa9\xf0\x9f\x98\x80");
    becomes("<?xml version='1.0' encoding='iso-8859-1'?><testsuite><testcase classname='test_a' "
            "name='t'><failure message='\xe9'/></testcase></testsuite>",
            &f,
            "<?xml version='1.0' encoding='iso-8859-1'?><testsuite><testcase classname='test_a' "
            "name='t'><failure message='\xe9'/><rerunFailure message=\"&#233;&#128512;\" type=\"E\">"
            "<stackTrace>E: &#233;&#128512;\n9 of 9 reruns</stackTrace><system-out>Reruns: nothing was run.</system-out></rerunFailure></testcase>"
            "</testsuite>");
}

static void refused(const char *xml, size_t n, const char *want)
{
    own_failures struct failures f = {0};
    own_text struct text in = {0}, out = {0};
    struct err e = {0};
    text_addn(&in, xml, n);
    CHECK_EQ(junit_rewrite(&in, "r.xml", &f, &out, &e), -1);
    CHECK_STR(e.what, want);
    CHECK_EQ(out.len, 0);
}

TEST(what_is_no_report_is_refused)
{
#define REFUSED(xml, want) refused(xml, sizeof xml - 1, want)
    REFUSED("", "r.xml: it is empty");
    REFUSED("<testsuite><testcase>", "r.xml:1: no element found");
    REFUSED("<testsuite>\n</testsuites>", "r.xml:2: mismatched tag");
    REFUSED("<html/>", "r.xml: this is XML, but no report of JUnit's form");
    REFUSED("<!DOCTYPE t [<!ENTITY a 'b'>]><testsuite/>",
            "r.xml: it declares a document type, which no such report needs");
    REFUSED("<testsuite>\x01</testsuite>", "r.xml:1: not well-formed (invalid token)");
    REFUSED("\xff\xfe<\0t\0e\0s\0t\0s\0u\0i\0t\0e\0/\0>\0", "r.xml: it is written in UTF-16");
}

TEST(ten_megabytes_in_no_time)
{
    own_failures struct failures f = {0}, left = {0};
    own_text struct text in = {0}, out = {0};
    struct err e = {0};
    text_add(&in, "\xef\xbb\xbf<testsuites><testsuite failures='20000' errors='0'>");
    for (int i = 0; i < 20000; i++) {
        char id[64];
        snprintf(id, sizeof id, "test_a.py::t[%d]", i);
        add(&f, id, "call", i % 2 ? CATEGORY_FLAKY : CATEGORY_REGRESSION);
        text_addf(&in, "<testcase classname='test_a' name='t[%d]'><failure message='m'>", i);
        for (int k = 0; k < 10; k++)
            text_add(&in, "tests/test_a.py:3: in a function that is called by another\n");
        text_add(&in, "</failure></testcase>\n");
    }
    text_add(&in, "</testsuite></testsuites>");
    CHECK(in.len > 10 << 20);
    CHECK_EQ(junit_rewrite(&in, "r.xml", &f, &out, &e), 0);
    CHECK(text_starts(text_str(&out), "\xef\xbb\xbf<testsuites><testsuite failures='10000' "));
    CHECK_EQ(junit_read(text_str(&out), out.len, "out", &left, &e), 0);
    CHECK_EQ(left.n, 10000);
    for (size_t i = 0; i < left.n && i < 3; i++)
        CHECK(!failure_is_flake(&left.at[i]) && strstr(left.at[i].nodeid, "::t["));
}
