/* JUnit's XML: whose failures are read, under which node ids, and what is refused. */
#include "../check.h"

#include "base/fdio.h"
#include "triage/junit.h"

#include <unistd.h>

static struct failures read_all(const char *xml)
{
    struct failures f = {0};
    struct err e = {0};
    if (junit_read(xml, strlen(xml), "r.xml", &f, &e) < 0)
        CHECK_SAY("%s", e.what);
    return f;
}

static void refused(const char *xml, const char *want)
{
    own_failures struct failures f = {0};
    struct err e = {0};
    CHECK_EQ(junit_read(xml, strlen(xml), "r.xml", &f, &e), -1);
    CHECK_EQ(e.kind, ERR_STALE);
    CHECK_STR(e.what, want);
    CHECK_EQ(f.n, 0);
}

TEST(failures_and_errors_are_read)
{
    own_failures struct failures f = read_all(
        "<?xml version='1.0'?><testsuites><testsuite>"
        "<testcase classname='test_a' name='passes'/>"
        "<testcase file='test_a.py' classname='test_a.TestX' name='test_one' time='0.5'>"
        "<failure message='pkg.MyError: a &lt;b&gt;'>line 1\nline <![CDATA[2]]></failure>"
        "<system-out>out</system-out><system-err>err</system-err></testcase>"
        "<testcase classname='com.x.Cart' name='total'><error type='java.lang.IOError' "
        "message='no disk'>at x</error></testcase>"
        "<testcase classname='test_a' name='t'><skipped message='no'/></testcase>"
        "</testsuite></testsuites>");
    CHECK_EQ(f.n, 2);
    CHECK_STR(f.at[0].nodeid, "test_a.py::TestX::test_one");
    CHECK_STR(f.at[0].exc_type, "MyError");
    CHECK_STR(f.at[0].exc_message, "a <b>");
    CHECK_STR(f.at[0].traceback, "line 1\nline 2");
    CHECK_STR(f.at[0].out, "out");
    CHECK_STR(f.at[0].err, "err");
    CHECK_STR(f.at[0].phase, "call");
    CHECK_NEAR(f.at[0].duration, .5, 0);
    CHECK_STR(f.at[0].select.at[0], "test_a.py::TestX::test_one");
    CHECK_STR(f.at[1].nodeid, "com.x.Cart::total");
    CHECK_STR(f.at[1].exc_type, "IOError");
    CHECK_STR(f.at[1].exc_message, "no disk");
    CHECK_STR(f.at[1].phase, "setup");
}

TEST(a_file_that_is_there_makes_a_node_id)
{
    char folder[] = "/tmp/fr-junit-XXXXXX", before[4096];
    struct err e = {0};
    CHECK(mkdtemp(folder) && getcwd(before, sizeof before) && chdir(folder) == 0);
    CHECK_EQ(fdio_make_parents("tests/unit/x", &e), 0);
    CHECK_EQ(fdio_write_atomic("tests/unit/test_a.py", "", 0, &e), 0);
    own_failures struct failures f = read_all(
        "<testsuite><testcase classname='tests.unit.test_a.TestX.TestY' name='t[a.b]'><failure "
        "message='assert 1 == 2'>x\n\ntest_a.py:3: AssertionError\n</failure></testcase>"
        "<testcase classname='tests.unit.test_b' name='t'><failure/></testcase>"
        "<testcase classname='' name='tests.unit.test_a'><error message='collection failure'>"
        "SyntaxError</error></testcase>"
        "<testcase classname='tests.unit.test_a' name='t'><failure message='x'/>"
        "<error message='failed on teardown with &quot;OSError: gone&quot;'/></testcase>"
        "</testsuite>");
    CHECK_EQ(f.n, 5);
    CHECK_STR(f.at[0].nodeid, "tests/unit/test_a.py::TestX::TestY::t[a.b]");
    CHECK_STR(f.at[0].exc_type, "AssertionError");
    CHECK_STR(f.at[0].exc_message, "assert 1 == 2");
    CHECK_STR(f.at[1].nodeid, "tests.unit.test_b::t");
    CHECK_STR(f.at[2].nodeid, "tests/unit/test_a.py");
    CHECK_STR(f.at[2].phase, "collect");
    CHECK_STR(f.at[3].nodeid, "tests/unit/test_a.py::t");
    CHECK_STR(f.at[4].phase, "teardown");
    CHECK_STR(f.at[4].exc_type, "OSError");
    CHECK_STR(f.at[4].exc_message, "gone");
    CHECK_EQ(chdir(before), 0);
    fdio_remove_tree(folder);
}

TEST(what_is_no_report_is_refused)
{
    refused("", "r.xml: it is empty");
    refused("<html/>", "r.xml: this is XML, but no report of JUnit's form");
    refused("<testsuite><testcase name='x'><failure/>", "r.xml:1: no element found");
    refused("<testsuite>\n<a></b></testsuite>", "r.xml:2: mismatched tag");
    refused("<testsuite/>x", "r.xml:1: junk after document element");
    refused("<!DOCTYPE t [<!ENTITY a 'b'>]><testsuite>&a;</testsuite>",
            "r.xml: it declares a document type, which no such report needs");
    refused("<!DOCTYPE t SYSTEM 'file:///etc/passwd'><testsuite/>",
            "r.xml: it declares a document type, which no such report needs");
    refused("<testsuite>&a;</testsuite>", "r.xml:1: undefined entity");
    own_text struct text deep = {0};
    text_add(&deep, "<testsuite>");
    for (int i = 0; i < 100; i++)
        text_add(&deep, "<a>");
    refused(text_str(&deep), "r.xml: it is nested too deep");
}

TEST(odd_places_of_elements_do_no_harm)
{
    own_failures struct failures f = read_all(
        "<testsuite><failure message='x'>y</failure><system-out>z</system-out>"
        "<testcase><failure><b>bold</b> text<failure>inner</failure></failure></testcase>"
        "<testcase name='n'><failure/><testcase name='m'><error/></testcase></testcase>"
        "</testsuite>");
    CHECK_EQ(f.n, 4);
    for (size_t i = 0; i < f.n; i++)
        CHECK(f.at[i].nodeid && f.at[i].traceback && f.at[i].select.n == 1);
    CHECK_STR(f.at[1].traceback, "bold textinner");
    CHECK_STR(f.at[2].nodeid, "n");
}

TEST(failures_of_a_suite_are_none_of_a_test)
{
    own_failures struct failures f = read_all(
        "<testsuites><testsuite name='com.x.CartTest' errors='1'>"
        "<properties><property><error message='no'/></property></properties>"
        "<testcase classname='c' name='a'/><error message='IOError: no container'>at x</error>"
        "<testcase classname='c' name='b'><failure message='m'/></testcase>"
        "</testsuite></testsuites>");
    CHECK_EQ(f.n, 2);
    CHECK_STR(f.at[0].nodeid, "com.x.CartTest");
    CHECK_STR(f.at[0].phase, "collect");
    CHECK_STR(f.at[0].exc_type, "IOError");
    CHECK_STR(f.at[0].traceback, "at x");
    CHECK_STR(f.at[1].nodeid, "c::b");
}

static size_t missing(const char *xml)
{
    own_failures struct failures f = {0};
    struct failed_counts counts = {0};
    struct err e = {0};
    CHECK_EQ(junit_read_counted(xml, strlen(xml), "r.xml", &f, &counts, &e), 0);
    return counts.others;
}

TEST(what_a_suite_counts_and_does_not_show)
{
    const char *failed = "<testcase name='a'><failure/></testcase>";
    own_text struct text both = {0};
    text_addf(&both, "<testsuites failures='3'><testsuite failures='1'>%s</testsuite>"
                     "<testsuite failures='1' errors='1'/></testsuites>", failed);
    CHECK_EQ(missing("<testsuite failures='2' errors='1'/>"), 3);
    CHECK_EQ(missing("<testsuite failures='0' errors=''/>"), 0);
    CHECK_EQ(missing("<testsuite failures='many' errors='-1'/>"), 0);
    CHECK_EQ(missing("<testsuite><testcase name='a'><failure/></testcase></testsuite>"), 0);
    CHECK_EQ(missing(text_str(&both)), 2); /* and not once more for all of them */
    CHECK_EQ(missing("<testsuites><testsuite failures='1'><testsuite failures='1'/></testsuite>"
                     "<testsuite errors='1'/></testsuites>"), 2);
}

TEST(the_first_line_is_a_message_where_there_is_none)
{
    own_failures struct failures f = read_all(
        "<testsuite><testcase name='a'><failure type='java.lang.AssertionError'>\n"
        "  java.lang.AssertionError: 3 is not 4\r\n\tat x</failure></testcase>"
        "<testcase name='b'><failure message=''>cart_test.go:12: got 3  \nmore</failure></testcase>"
        "<testcase name='c'><failure type='x.NoDisk'>x.NoDisk\n\tat y</failure></testcase>"
        "<testcase name='d'><failure message='told'>other</failure></testcase>"
        "<testcase name='e'><failure> \n </failure></testcase></testsuite>");
    CHECK_STR(f.at[0].exc_type, "AssertionError");
    CHECK_STR(f.at[0].exc_message, "3 is not 4");
    CHECK(!f.at[1].exc_type);
    CHECK_STR(f.at[1].exc_message, "cart_test.go:12: got 3");
    CHECK_STR(f.at[2].exc_type, "NoDisk");
    CHECK_STR(f.at[2].exc_message, "");
    CHECK_STR(f.at[3].exc_message, "told");
    CHECK_STR(f.at[4].exc_message, "");
}
