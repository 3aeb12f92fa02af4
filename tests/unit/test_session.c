/* What the pytest plugin asks and is answered; which of pytest's arguments go on; --order-file. */
#include "../check.h"

#include "base/own.h"
#include "cli/order_file.h"
#include "cli/session.h"

#include <stdlib.h>
#include <unistd.h>

static void goes_on(const char *from, enum forward to, const char *want)
{
    own_argv struct argv args = {0}, got = {0};
    own_text struct text line = {0};
    own_mem char *copy = str_or_die(from);
    char *rest = copy;
    for (char *w = strsep(&rest, " "); w; w = strsep(&rest, " "))
        if (*w)
            argv_add(&args, w);
    session_forward(&args, to, &got);
    for (size_t i = 0; i < got.n; i++)
        text_addf(&line, "%s%s", i ? " " : "", got.at[i]);
    CHECK_STR(text_str(&line), want);
}

TEST(our_own_options_stay_behind)
{
    goes_on("--doctor --doctor-runs 5 --doctor-json=x --doctor-allow-side-effects --mine",
            FORWARD_ASKED, "--mine");
    goes_on("-p flaky_repro.plugin -p other -pflakedoctor -p no:terminal", FORWARD_ASKED,
            "-p other");
    goes_on("-n 4 -n4 --dist load --numprocesses=auto -d", FORWARD_SEEN, "");
    goes_on("--doctor-repro fd1:abc --doctor", FORWARD_SEEN, "");
    goes_on("--prob-runs 5 --prob-tests --prob-no-intervals --prob-metric=pass^3 --prob-plan "
            "--prob-plan-assume .9 --mine", FORWARD_SEEN, "--mine");
    goes_on("--ai-evidence --mine --ai-evidence-budget 5 --ai-report=r --ai-triage on", FORWARD_CHOSEN,
            "--mine");
}

TEST(what_only_shows_stays_behind_unless_it_is_seen)
{
    goes_on("-q -vv -x --tb=short --tb no -ra -r A --pdb --color yes", FORWARD_ASKED, "");
    goes_on("-q -vv -x --tb=short --pdb", FORWARD_SEEN, "-q -vv -x --tb=short --pdb");
    goes_on("-xvs -s -l", FORWARD_CHOSEN, "-s -s");
}

TEST(what_selects_goes_on_while_pytest_has_to_select)
{
    goes_on("-k one -m slow --deselect a.py::x --ignore=b", FORWARD_ASKED,
            "-k one -m slow --deselect a.py::x --ignore=b");
    goes_on("-k one -m slow --deselect a.py::x --ignore=b", FORWARD_CHOSEN, "");
}

TEST(other_options_and_their_values_go_on)
{
    goes_on("-c my.ini -o xfail_strict=1 --rootdir=/x -W error --server -n", FORWARD_CHOSEN,
            "-c my.ini -o xfail_strict=1 --rootdir=/x -W error --server");
    goes_on("-o -q -c -x", FORWARD_CHOSEN, "-o -q -c -x"); /* values, whatever they look like */
    goes_on("--nodes 3 --tbx --doctorate", FORWARD_CHOSEN, "--nodes 3 --tbx --doctorate");
}

TEST(a_question_is_read)
{
    own_question struct question q = {0};
    struct err e = {0};
    CHECK_EQ(question_parse("{\"v\": 1, \"ask\": \"doctor\", \"python\": \"py\", \"cwd\": \"/\","
                            "\"runs\": [\"7\", \"--doctor-runs\"], \"json\": null,"
                            "\"tests\": [{\"id\": \"a.py::x\", \"before\": [\"a.py::v\", "
                            "\"a.py::w\"]}], \"args\": [\"-s\"], \"color\": true}",
                            &q, &e), 0);
    CHECK_STR(q.ask, "doctor");
    CHECK_STR(q.runs.value, "7");
    CHECK_STR(q.runs.from, "--doctor-runs");
    CHECK(q.path.value == NULL && q.rootdir == NULL);
    CHECK_EQ(q.tests, 1);
    CHECK_STR(q.test[0].id, "a.py::x");
    CHECK_EQ(q.test[0].before.n, 2);
    CHECK_STR(q.test[0].before.at[1], "a.py::w");
    CHECK(q.colour && !q.quiet);
}

static void no_question(const char *line, const char *why)
{
    own_question struct question q = {0};
    struct err e = {0};
    CHECK_EQ(question_parse(line, &q, &e), -1);
    CHECK_STR(e.what, why);
}

TEST(what_is_no_question_is_refused)
{
    no_question("hello", "session: \"hello\" is no question");
    no_question("[1]", "session: \"[1]\" is no question");
    no_question("{\"v\": 1}", "session: \"{\"v\": 1}\" is no question");
    no_question("{\"v\": 2, \"ask\": \"doctor\"}",
                "session: the plugin speaks version 2, this program 1");
}

TEST(an_answer_is_one_line)
{
    own_answer struct answer a = {.status = 3};
    own_text struct text line = {0};
    struct err e = {.what = "no \"x\"", .hint = "try\ny"};
    text_add(&a.text, "one\ntwo");
    answer_line(&a, &line);
    CHECK_STR(text_str(&line), "{\"status\":3,\"diagnosed\":0,\"none\":false,\"text\":\"one\\ntwo\","
                               "\"become\":[],\"v\":1}\n");
    text_clear(&line);
    answer_refusal(&e, &line);
    CHECK_STR(text_str(&line), "{\"refused\":\"no \\\"x\\\"\",\"hint\":\"try\\ny\",\"v\":1}\n");
}

/* What is before `target` in a file with these bytes, joined by blanks, or what is wrong. */
static void order_is(const char *bytes, size_t n, const char *target, const char *want)
{
    char path[] = "/tmp/fr-order-XXXXXX";
    own_fd int fd = mkstemp(path);
    own_argv struct argv got = {0};
    own_text struct text line = {0};
    struct err e = {0};
    CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    if (order_read(path, target, &got, &e) < 0)
        text_add(&line, strchr(e.what, ',') ? strchr(e.what, ',') + 2 : e.what);
    for (size_t i = 0; i < got.n; i++)
        text_addf(&line, "%s%s", i ? " " : "", got.at[i]);
    unlink(path);
    CHECK_STR(text_str(&line), want);
}
#define ORDER_IS(bytes, target, want) order_is(bytes, sizeof(bytes) - 1, target, want)

TEST(an_order_is_what_ran_before)
{
    ORDER_IS("a.py::x\na.py::y\nb.py::z\n", "b.py::z", "a.py::x a.py::y");
    ORDER_IS("a.py::x\n\na.py::y\nb.py::z", "a.py::y", "a.py::x");
    ORDER_IS("a.py::x\na.py::y", "c.py::z", "a.py::x a.py::y");
    ORDER_IS("", "c.py::z", "");
}

TEST(an_order_that_is_none_is_refused)
{
    ORDER_IS("a.py::x\n--co\n", "b.py::z", "line 2: that is no node id");
    ORDER_IS("hello\n", "b.py::z", "line 1: that is no node id");
    ORDER_IS("a.py::x\r\n", "b.py::z", "line 1: there is a control character in it");
    ORDER_IS("a.py::\0x\n", "b.py::z", "line 1: it is no text: there is a NUL byte in it");
    own_argv struct argv got = {0};
    struct err e = {0};
    CHECK_EQ(order_read("/nowhere/at/all", "b.py::z", &got, &e), -1);
    CHECK(e.hint[0]);
}
