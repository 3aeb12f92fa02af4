/* The command line is what the tables say: parsing, refusals, suggestions, variables. */
#include "../check.h"

#include "cli/help.h"
#include "cli/options.h"
#include "cli/status.h"
#include "report/columns.h"

#define ARGS(...) ((char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
static char *const no_env[] = {NULL};

/* String literals as argv gives them. */
#define W(s) ((char[]){s})

static void refused(char *const *args, char *const *env, const char *what, const char *hint)
{
    own_options struct options o = {0};
    struct err e = {0};
    CHECK_EQ(options_parse(args, env, &o, &e), -1);
    CHECK_EQ(e.kind, ERR_USAGE);
    CHECK_STR(e.what, what);
    CHECK_STR(e.hint, hint);
}

static struct options taken(char *const *args, char *const *env)
{
    struct options o = {0};
    struct err e = {0};
    CHECK_EQ(options_parse(args, env, &o, &e), 0);
    CHECK_STR(e.what, "");
    return o;
}

TEST(defaults)
{
    own_options struct options o = taken(ARGS(W("test_a.py")), no_env);
    CHECK_EQ(o.command, COMMAND_DIAGNOSE);
    CHECK_EQ(o.wish, WISH_WORK);
    CHECK_STR(o.target, "test_a.py");
    CHECK_EQ(o.budget_ns, 300 * NS_PER_S);
    CHECK_EQ(o.axes, AXES_ALL);
    CHECK_EQ(o.seed_given, false);
    CHECK_EQ(o.json == NULL && o.python == NULL, 1);
    own_options struct options none = taken(ARGS(), no_env);
    CHECK_EQ(none.target == NULL, 1);
}

TEST(everything_at_once)
{
    own_options struct options o =
        taken(ARGS(W("--json=a b/r.json"), W("--format"), W("json"), W("--budget=2.5"), W("-v"),
                   W("--axes"), W("-time"), W("t.py::x y[1]"), W("--seed"),
                   W("18446744073709551615"), W("--python"), W("/usr/bin/python3"), W("-q"),
                   W("--allow-side-effects"), W("--exit-zero"), W("--color=never"), W("--"),
                   W("-k"), W("a or b"), W("--"), W("--budget")),
              no_env);
    CHECK_STR(o.json, "a b/r.json");
    CHECK_EQ(o.format, FORMAT_JSON);
    CHECK_EQ(o.budget_ns, 5 * NS_PER_S / 2);
    CHECK_EQ(o.axes, AXES_ALL & ~axis_bit(FD_AXIS_TIME));
    CHECK_STR(o.target, "t.py::x y[1]");
    CHECK_EQ(o.seed == UINT64_MAX, 1);
    CHECK_STR(o.python, "/usr/bin/python3");
    CHECK_EQ(o.verbose && o.quiet && o.allow_side_effects && o.exit_zero, 1);
    CHECK_EQ(o.color, COLOR_NEVER);
    CHECK_EQ((int64_t)o.pytest_args.n, 4);
    CHECK_STR(o.pytest_args.at[1], "a or b");
    CHECK_STR(o.pytest_args.at[2], "--");
    CHECK_STR(o.pytest_args.at[3], "--budget");
}

TEST(commands_are_first_words)
{
    own_options struct options a = taken(ARGS(W("axes")), no_env);
    CHECK_EQ(a.command, COMMAND_AXES);
    own_options struct options b = taken(ARGS(W("--verbose"), W("env")), no_env);
    CHECK_EQ(b.command, COMMAND_ENV);
    own_options struct options c = taken(ARGS(W("replay"), W("fd1:abc")), no_env);
    CHECK_EQ(c.command, COMMAND_REPLAY);
    CHECK_STR(c.target, "fd1:abc");
    own_options struct options d = taken(ARGS(W("./env")), no_env);
    CHECK_EQ(d.command, COMMAND_DIAGNOSE);
    CHECK_STR(d.target, "./env");
    refused(ARGS(W("replya")), no_env, "\"replya\" is neither a command nor a file or folder here",
            "did you mean the command replay?");
    refused(ARGS(W("axes"), W("time")), no_env, "axes: \"time\" is one argument too many", "");
    refused(ARGS(W("axes"), W("--"), W("-x")), no_env, "axes takes no arguments for pytest", "");
    refused(ARGS(W("env"), W("--json"), W("x")), no_env, "env has no option --json", "");
    refused(ARGS(W("a.py"), W("b.py")), no_env, "one target at a time: \"b.py\" is one too many",
            "name a file or folder that holds both; arguments of pytest go after \"--\"");
}

TEST(unknown_options)
{
    refused(ARGS(W("--bugdet=3")), no_env, "no option is called \"--bugdet\"",
            "did you mean --budget?");
    refused(ARGS(W("--verb")), no_env, "no option is called \"--verb\"", "did you mean --verbose?");
    refused(ARGS(W("-x")), no_env, "no option is called \"-x\"",
            "options of pytest go after \"--\"; flaky-repro --help lists ours");
    refused(ARGS(W("-vq")), no_env, "no option is called \"-vq\"",
            "options of pytest go after \"--\"; flaky-repro --help lists ours");
    refused(ARGS(W("--quiet=yes")), no_env, "--quiet takes no value", "");
    refused(ARGS(W("--json")), no_env, "--json needs PATH", "");
    refused(ARGS(W("--json=")), no_env, "--json needs PATH", "");
    refused(ARGS(W("--json"), W("--seed"), W("1")), no_env, "--json needs PATH", "");
}

TEST(values_of_budget_and_seed)
{
    static const char *const bad[] = {"60s", "nan", "inf", "-1",  "0x10",
                                      " 5",  "",    ".",   "1e3", "1.2.3"};
    struct err e = {0};
    int64_t ns = 7;
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQ(value_budget(bad[i], "--budget", &ns, &e), -1);
        CHECK_EQ(value_seed(bad[i], "--seed", &seed, &e), -1);
    }
    CHECK_EQ(value_budget("99999999", "--budget", &ns, &e), -1);
    CHECK_EQ(ns, 7);
    CHECK_EQ(value_budget("0", "--budget", &ns, &e), 0);
    CHECK_EQ(ns, 0);
    CHECK_EQ(value_budget("0.25", "--budget", &ns, &e), 0);
    CHECK_EQ(ns, NS_PER_S / 4);
    CHECK_EQ(value_seed("18446744073709551616", "--seed", &seed, &e), -1);
    CHECK_EQ((int64_t)seed, 7);
    CHECK_EQ(value_seed("007", "--seed", &seed, &e), 0);
}

TEST(lists_of_axes)
{
    struct err e = {0};
    uint32_t mask = 0;
    CHECK_EQ(value_axes("all", "--axes", &mask, &e), 0);
    CHECK_EQ(mask, AXES_ALL);
    CHECK_EQ(value_axes("rng,time", "--axes", &mask, &e), 0);
    CHECK_EQ(mask, axis_bit(FD_AXIS_RNG) | axis_bit(FD_AXIS_TIME));
    CHECK_EQ(value_axes("all,-rng", "--axes", &mask, &e), 0);
    CHECK_EQ(mask, AXES_ALL & ~axis_bit(FD_AXIS_RNG));
    CHECK_EQ(value_axes("rng,-rng", "--axes", &mask, &e), -1);
    CHECK_STR(e.what, "--axes: \"rng,-rng\" leaves no axis to search");
    CHECK_EQ(value_axes("rng,,time", "--axes", &mask, &e), -1);
    CHECK_EQ(value_axes("tiem", "--axes", &mask, &e), -1);
    CHECK_STR(e.what, "--axes: no axis is called \"tiem\"");
    CHECK_STR(e.hint, "did you mean time? `flaky-repro axes` lists them");
    CHECK_EQ(value_axes("-phase-of-moon", "--axes", &mask, &e), -1);
    CHECK_STR(e.hint, "`flaky-repro axes` lists them");
}

TEST(variables_fill_in)
{
    char *const env[] = {W("HOME=/root"), W("FLAKY_REPRO_BUDGET=7"), W("FLAKY_REPRO_PYTHON="),
                         W("FLAKY_REPRO_LIBDIR=/x"), NULL};
    own_options struct options a = taken(ARGS(W("t.py")), env);
    CHECK_EQ(a.budget_ns, 7 * NS_PER_S);
    CHECK_EQ(a.python == NULL, 1);
    own_options struct options b = taken(ARGS(W("t.py"), W("--budget=1")), env);
    CHECK_EQ(b.budget_ns, NS_PER_S);
    refused(ARGS(W("t.py")), ARGS(W("FLAKY_REPRO_BUDGET=soon")),
            "FLAKY_REPRO_BUDGET: \"soon\" is not a number of seconds",
            "write seconds without a unit, such as 60 or 2.5");
    refused(ARGS(W("t.py")), ARGS(W("FLAKY_REPRO_BUGDET=1")),
            "the environment sets FLAKY_REPRO_BUGDET, which means nothing to flaky-repro",
            "did you mean FLAKY_REPRO_BUDGET?");
    refused(ARGS(W("t.py")), ARGS(W("FLAKY_REPRO_MOON=full")),
            "the environment sets FLAKY_REPRO_MOON, which means nothing to flaky-repro",
            "names that begin with FLAKY_REPRO_ are reserved; unset it");
}

TEST(help_asks_for_nothing_else)
{
    own_options struct options a = taken(ARGS(W("a"), W("b"), W("-h")), no_env);
    CHECK_EQ(a.wish, WISH_HELP_SHORT);
    own_options struct options b = taken(ARGS(W("--help")), ARGS(W("FLAKY_REPRO_MOON=full")));
    CHECK_EQ(b.wish, WISH_HELP);
    own_options struct options c = taken(ARGS(W("-V")), no_env);
    CHECK_EQ(c.wish, WISH_VERSION);
    /* After "--" it is pytest's. */
    own_options struct options d = taken(ARGS(W("t.py"), W("--"), W("-h")), no_env);
    CHECK_EQ(d.wish, WISH_WORK);
}

TEST(help_fits_and_names_every_option)
{
    own_text struct text small = {0}, all = {0};
    help_short(&small);
    help_all(&all);
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_rows[i].name && !strstr(text_str(&all), option_rows[i].name))
            CHECK_STR(option_rows[i].name, "named in --help");
    int lines = 0;
    char *rest = small.at;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        lines++;
        CHECK_EQ(columns_width(line) <= COLUMNS, 1);
    }
    CHECK_EQ(lines <= 24, 1);
}

TEST(statuses)
{
    CHECK_EQ(status_of_verdict(VERDICT_FLAKY), 1);
    CHECK_EQ(status_of_verdict(VERDICT_UNATTRIBUTED), 1);
    CHECK_EQ(status_of_verdict(VERDICT_NOT_FLAKY), 0);
    CHECK_EQ(status_of_verdict(VERDICT_SKIPPED), 0);
    CHECK_EQ(status_of_verdict(VERDICT_USAGE), 2);
    CHECK_EQ(status_of_verdict(VERDICT_HELD), 3);
    CHECK_EQ(status_of_verdict(VERDICT_INCOMPLETE), 3);
    CHECK_EQ(status_of_verdict(VERDICT_DETERMINISTIC), 4);
    CHECK_EQ(status_of_verdict(VERDICT_HANG), 4);
    CHECK_EQ(status_of_verdict(VERDICT_NO_TESTS), 5);
    CHECK_EQ(status_of_error(ERR_SETUP), 2);
    CHECK_EQ(status_of_error(ERR_BUG), 70);
    CHECK_EQ(status_of_error(ERR_INTERRUPT), 130);
    CHECK_EQ(status_worse(STATUS_FLAKY, STATUS_BROKEN), 1);
    CHECK_EQ(status_worse(STATUS_NOTHING_SHOWN, STATUS_OPEN), 3);
    CHECK_EQ(status_worse(STATUS_NO_WORK, STATUS_FLAKY), 2);
    CHECK_EQ(status_exit_zero(STATUS_FLAKY) + status_exit_zero(STATUS_OPEN) +
                 status_exit_zero(STATUS_BROKEN), 0);
    CHECK_EQ(status_exit_zero(STATUS_NO_WORK), 2);
    CHECK_EQ(status_exit_zero(STATUS_NO_TESTS), 5);
}
