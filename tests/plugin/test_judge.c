/* exec/judge.c over files written by hand: what a trial left behind, whole, torn or foreign. */
#include "check.h"

#include "base/fdio.h"
#include "exec/judge.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define P(when, outcome)                                                                           \
    "{\"v\":1,\"event\":\"phase\",\"id\":\"a.py::t\",\"when\":\"" when "\",\"outcome\":\"" outcome \
    "\"}\n"
#define F(when, type)                                                                              \
    "{\"v\":1,\"event\":\"phase\",\"id\":\"a.py::t\",\"when\":\"" when                             \
    "\",\"outcome\":\"failed\",\"type\":\"" type "\",\"site\":\"a.py:3\",\"message\":\"m\"}\n"
#define COLLECTED(id)                                                                              \
    "{\"v\":1,\"event\":\"collected\",\"plugin\":\"" FR_VERSION "\",\"ids\":[\"" id                \
    "\"],\"errors\":0}\n"
#define EXITED(n) ((n) << 8) /* as waitpid gives it */

static struct err e;

static struct outcome judge(const char *r, struct ending how, int want)
{
    char folder[] = "/tmp/jXXXXXX", path[64];
    struct outcome o = {0};
    e = (struct err){0};
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/r", folder);
    if (r) {
        FILE *f = fopen(path, "w");
        fputs(r, f);
        fclose(f);
    }
    CHECK_EQ(judge_trial(folder, "a.py::t", &how, &o, &e), want);
    fdio_remove_tree(folder);
    return o;
}

#define PASSED P("setup", "passed") P("call", "passed") P("teardown", "passed")

static void put(const char *folder, const char *name, const char *bytes, size_t n)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    fwrite(bytes, 1, n, f);
    fclose(f);
}

/* Three copies; `status` of each as its supervisor wrote it down, -1: it had not ended. */
static struct outcome judge_copies(const char *const r[3], const int status[3], struct ending how)
{
    char folder[] = "/tmp/jXXXXXX", sub[64];
    struct outcome o = {0};
    e = (struct err){0};
    if (!mkdtemp(folder))
        abort();
    put(folder, "r", r[0], strlen(r[0]));
    put(folder, "e", (const char *)status, 3 * sizeof *status);
    for (int i = 1; i < 3; i++) {
        snprintf(sub, sizeof sub, "%s/c%d", folder, i);
        mkdir(sub, 0700);
        put(sub, "r", r[i], strlen(r[i]));
    }
    CHECK_EQ(judge_trial(folder, "a.py::t", &how, &o, &e), 0);
    fdio_remove_tree(folder);
    return o;
}

static struct outcome judge_spread(const char *r, const char *nodeid, struct ending how)
{
    char folder[] = "/tmp/jXXXXXX";
    struct outcome o = {0};
    e = (struct err){0};
    if (!mkdtemp(folder))
        abort();
    put(folder, "r", r, strlen(r));
    put(folder, "x", "", 0);
    CHECK_EQ(judge_trial(folder, nodeid, &how, &o, &e), 0);
    fdio_remove_tree(folder);
    return o;
}

static void is(struct outcome o, enum outcome_kind kind, const char *phase, const char *type)
{
    CHECK_STR(outcome_word(o.kind), outcome_word(kind));
    CHECK_STR(o.print.phase, phase);
    CHECK_STR(o.print.type, type);
}

static const struct ending ok = {0};

TEST(whole)
{
    is(judge(P("setup", "passed") P("call", "passed") P("teardown", "passed"), ok, 0), OUTCOME_PASS,
       "", "");
    is(judge(P("setup", "passed") F("call", "E") P("teardown", "passed"), ok, 0), OUTCOME_FAIL,
       "call", "E");
    is(judge(F("setup", "E") P("teardown", "passed"), ok, 0), OUTCOME_ERROR, "setup", "E");
    is(judge(P("setup", "passed") P("call", "passed") F("teardown", "E"), ok, 0), OUTCOME_ERROR,
       "teardown", "E");
    is(judge(P("setup", "skipped") P("teardown", "passed"), ok, 0), OUTCOME_SKIPPED, "", "");
}

TEST(the_first_failure_is_the_failure)
{
    struct outcome o = judge(P("setup", "passed") F("call", "A") F("teardown", "B"), ok, 0);
    is(o, OUTCOME_FAIL, "call", "A");
    CHECK_STR(o.print.site, "a.py:3");
    CHECK_STR(o.message, "m");
}

TEST(no_file)
{
    is(judge(NULL, ok, 0), OUTCOME_NOT_RUN, "", "");
    is(judge("", (struct ending){.status = EXITED(4)}, 0), OUTCOME_NOT_RUN, "", "");
    /* Before the test had its turn a signal is a crash all the same: nothing else would send it. */
    is(judge(NULL, (struct ending){.status = SIGSEGV}, 0), OUTCOME_CRASH, "setup", "<SIGSEGV>");
}

TEST(torn_line)
{
    is(judge(P("setup", "passed") "{\"v\":1,\"event\":\"pha", (struct ending){.status = SIGKILL},
             0),
       OUTCOME_CRASH, "call", "<SIGKILL>");
    /* A whole line that is none is not torn but foreign. */
    judge(P("setup", "passed") "{\"v\":1,\"ev\n", ok, -1);
    CHECK_EQ(e.kind, ERR_BUG);
}

TEST(other_version)
{
    judge("{\"v\":2,\"event\":\"phase\"}\n", ok, -1);
    CHECK_EQ(e.kind, ERR_SETUP);
    CHECK(strstr(e.hint, "one installation"));
    judge("{\"event\":\"phase\"}\n", ok, -1);
    CHECK_EQ(e.kind, ERR_SETUP);
}

TEST(other_release)
{
    judge("{\"v\":1,\"event\":\"collected\",\"plugin\":\"0.0.9\",\"plugin_path\":\"/p\"}\n", ok,
          -1);
    CHECK_EQ(e.kind, ERR_SETUP);
    CHECK(strstr(e.what, "0.0.9") && strstr(e.what, FR_VERSION) && strstr(e.what, "(/p; "));
    CHECK(strstr(e.hint, "one release"));
    judge("{\"v\":1,\"event\":\"collected\"}\n", ok, -1);
    CHECK_EQ(e.kind, ERR_SETUP);
}

TEST(unknown_event)
{
    judge("{\"v\":1,\"event\":\"surprise\"}\n", ok, -1);
    CHECK_EQ(e.kind, ERR_BUG);
    judge("[1]\n", ok, -1);
    CHECK_EQ(e.kind, ERR_BUG);
    judge("null\n", ok, -1);
    CHECK_EQ(e.kind, ERR_BUG);
}

TEST(fields_of_another_type)
{
    const char *odd = "{\"v\":1,\"event\":\"phase\",\"id\":7,\"when\":[],\"outcome\":null}\n"
                      "{\"v\":1,\"event\":\"phase\",\"id\":\"a.py::t\",\"when\":[]}\n"
                      "{\"v\":1,\"event\":\"collected\",\"plugin\":\"" FR_VERSION "\","
                      "\"ids\":[1,null,{}],\"errors\":\"x\"}\n"
                      "{\"v\":1,\"event\":\"end\",\"id\":\"a.py::t\",\"changed\":\"rng\"}\n";
    is(judge(odd, ok, 0), OUTCOME_NOT_RUN, "", "");
}

TEST(another_test)
{
    is(judge("{\"v\":1,\"event\":\"phase\",\"id\":\"b.py::t\",\"when\":\"call\",\"outcome\":"
             "\"failed\"}\n",
             ok, 0),
       OUTCOME_NOT_RUN, "", "");
    /* Something was collected, but not what is judged: it did not crash, it was not there. */
    is(judge(COLLECTED("b.py::t"), (struct ending){.status = EXITED(1)}, 0), OUTCOME_NOT_RUN, "",
       "");
    is(judge(COLLECTED("a.py::t"), (struct ending){.status = EXITED(1)}, 0), OUTCOME_CRASH, "setup",
       "<exit 1>");
}

TEST(phase_of_an_end)
{
    const struct ending late = {.by_deadline = true, .stack = "", .status = SIGKILL};
    is(judge(COLLECTED("a.py::t"), late, 0), OUTCOME_HANG, "setup", "<hang>");
    is(judge(P("setup", "passed"), late, 0), OUTCOME_HANG, "call", "<hang>");
    is(judge(P("setup", "passed") P("call", "passed"), late, 0), OUTCOME_HANG, "teardown",
       "<hang>");
    is(judge(P("setup", "passed") P("call", "passed") P("teardown", "passed"), late, 0),
       OUTCOME_PASS, "", "");
    is(judge(P("setup", "passed"), (struct ending){.status = EXITED(3)}, 0), OUTCOME_CRASH, "call",
       "<exit 3>");
    is(judge(P("setup", "passed"), (struct ending){.status = SIGRTMIN + 1}, 0), OUTCOME_CRASH,
       "call", "<signal 35>");
}

TEST(place_of_a_hang)
{
    const struct ending how = {
        .by_deadline = true,
        .rootdir = "/p",
        .stack = "Thread 0x1 (most recent call first):\n"
                 "  File \"/usr/lib/python3.11/threading.py\", line 9 in wait\n"
                 "  File \"<frozen x>\", line 4 in y\n"
                 "  File \"/p/src/a.py\", line 12 in name\n  File \"/p/b.py\", line 1 in c\n"};
    CHECK_STR(judge(P("setup", "passed"), how, 0).print.site, "src/a.py:12");
}

TEST(xfail_and_drawn)
{
    const char *r =
        P("setup",
          "passed") "{\"v\":1,\"event\":\"phase\",\"id\":\"a.py::t\",\"when\":"
                    "\"call\",\"outcome\":\"skipped\",\"xfail\":true}\n" P(
                        "teardown",
                        "passed") "{\"v\":1,\"event\":\"end\",\"id\":\"a.py::t\",\"changed\":"
                                  "[\"rng\"]}\n";
    struct outcome o = judge(r, ok, 0);
    is(o, OUTCOME_PASS, "", "");
    CHECK_EQ(o.changed, axis_bit(FD_AXIS_RNG));
}

static void counted(struct outcome o, unsigned passed, unsigned failed, unsigned unknown)
{
    CHECK_EQ(o.passed, passed);
    CHECK_EQ(o.failed, failed);
    CHECK_EQ(o.unknown, unknown);
}

TEST(one_copy_that_fails_is_what_the_trial_came_to)
{
    static const int fine[3] = {0, 0, EXITED(1)};
    static const char *const r[3] = {PASSED, PASSED,
                                     P("setup", "passed") F("call", "E") P("teardown", "passed")};
    struct outcome o = judge_copies(r, fine, ok);
    is(o, OUTCOME_FAIL, "call", "E");
    counted(o, 2, 1, 0);
}

/* Acceptance 35: what was ended by the limit, or did not come to the test, is no failure. */
TEST(copies_that_hang_or_never_begin_are_unknown)
{
    static const int status[3] = {0, -1, EXITED(2)};
    static const char *const r[3] = {PASSED, P("setup", "passed"), ""};
    struct outcome o = judge_copies(r, status, (struct ending){.by_deadline = true});
    is(o, OUTCOME_HANG, "call", "<hang>");
    counted(o, 1, 0, 2);
}

TEST(a_copy_that_died_is_told_from_one_that_we_ended)
{
    const int status[3] = {0, SIGKILL, SIGRTMAX - 1}; /* the last by our question */
    static const char *const r[3] = {PASSED, P("setup", "passed"), P("setup", "passed")};
    struct outcome o = judge_copies(r, status, (struct ending){.by_deadline = true});
    is(o, OUTCOME_CRASH, "call", "<SIGKILL>");
    counted(o, 1, 1, 1);
}

#define CASE(id, outcome)                                                                          \
    "{\"v\":1,\"event\":\"phase\",\"id\":\"" id "\",\"when\":\"call\",\"outcome\":\"" outcome      \
    "\",\"type\":\"E\"}\n"

/* Among the tests of its file: its function's other cases count, another function does not. */
TEST(spread_over_workers_the_cases_of_a_function_are_one)
{
    is(judge_spread(PASSED CASE("a.py::t[2]", "failed"), "a.py::t", ok), OUTCOME_FAIL, "call", "E");
    is(judge_spread(PASSED CASE("a.py::t2", "failed"), "a.py::t", ok), OUTCOME_PASS, "", "");
    is(judge_spread(CASE("a.py::t2", "passed"), "a.py::t", (struct ending){.by_deadline = true}),
       OUTCOME_NOT_RUN, "", "");
}

TEST(a_whole_file_is_all_of_its_tests)
{
    is(judge_spread(PASSED CASE("a.py::t2", "failed"), "a.py", ok), OUTCOME_FAIL, "call", "E");
    is(judge_spread(PASSED CASE("b.py::t2", "failed"), "a.py", ok), OUTCOME_PASS, "", "");
    is(judge_spread(PASSED, "a.py", (struct ending){.by_deadline = true}), OUTCOME_HANG, "teardown",
       "<hang>");
}
