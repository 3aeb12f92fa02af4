#include "cli/help.h"

#include "cli/options.h"
#include "cli/status.h"
#include "report/columns.h"

#include <string.h>

enum { HELP_AT = 28, SHORT_MAX = 8 }; /* column of the help texts */

/* The options of the short help: those that somebody needs in the first week. */
static const enum option daily[] = {OPT_JSON, OPT_BUDGET,  OPT_AXES,  OPT_PYTHON,
                                    OPT_SEED, OPT_VERBOSE, OPT_QUIET, OPT_VERSION};
_Static_assert(sizeof daily / sizeof *daily <= SHORT_MAX, "the short help must fit 24 lines");

static void two_columns(const char *left, const char *right, struct text *out)
{
    size_t width = columns_width(left);
    text_add(out, left);
    if (width + 2 > HELP_AT) {
        text_addc(out, '\n');
        width = 0;
    }
    columns_pad(HELP_AT - width, out);
    columns_wrap(right, HELP_AT, HELP_AT, out);
}

/* Brief: the help up to its first "; ", ": " or " [", which say more than a first reader needs. */
static void option(const struct option_row *r, bool brief, struct text *out)
{
    own_text struct text left = {0}, right = {0};
    if (r->letter)
        text_addf(&left, "  -%c%s", r->letter, r->name ? ", " : "");
    else
        text_add(&left, "      ");
    if (r->name)
        text_addf(&left, "--%s", r->name);
    if (r->argument)
        text_addf(&left, " %s", r->argument);
    text_add(&right, r->help);
    if (brief)
        text_cut(&right, strcspn(r->help, ";:["));
    else if (r->variable)
        text_addf(&right, " ($%s)", r->variable);
    two_columns(text_str(&left), text_str(&right), out);
}

static void commands(struct text *out)
{
    for (int c = 0; c < COMMAND_COUNT; c++) {
        const struct command_row *r = &command_rows[c];
        own_text struct text left = {0};
        text_addf(&left, "  flaky-repro%s%s%s%s", r->word ? " " : "", r->word ? r->word : "",
                  *r->arguments ? " " : "", r->arguments);
        two_columns(text_str(&left), r->summary, out);
    }
}

void help_usage(struct text *out)
{
    text_add(out, "usage: flaky-repro TARGET [-- PYTEST ARGS]\n"
                  "hint: TARGET is a test file or id, such as tests/test_cart.py::test_total; "
                  "flaky-repro -h says more\n");
}

void help_version(struct text *out)
{
    text_add(out, "flaky-repro " FR_VERSION "\n");
}

void help_short(struct text *out)
{
    text_add(out, "Finds out why a test is flaky, and prints a command that makes it fail.\n\n"
                  "  flaky-repro tests/test_cart.py::test_total\n"
                  "  flaky-repro tests/test_cart.py --budget 60 --json out.json -- -m slow\n\n"
                  "usage: flaky-repro TARGET [OPTIONS] [-- PYTEST ARGS]\n"
                  "       flaky-repro axes | env | replay BLOB | report JOURNAL |\n"
                  "                   triage REPORT | ci -- PYTEST ARGS\n\n");
    for (size_t i = 0; i < sizeof daily / sizeof *daily; i++)
        option(&option_rows[daily[i]], true, out);
    text_add(out, "\n--help lists everything.\n");
}

static void exit_statuses(struct text *out)
{
    text_add(out, "\nexit status\n");
    for (const struct status_row *r = status_rows; r->meaning; r++) {
        text_addf(out, "  %-6d", r->number);
        columns_wrap(r->meaning, 8, 8, out);
    }
}

void help_all(struct text *out)
{
    text_add(out, "Finds out why a test is flaky, and prints a command that makes it fail.\n\n");
    commands(out);
    text_addc(out, '\n');
    columns_wrap("TARGET is a test file, a folder or a pytest id. A file or folder that is called "
                 "like a command is written ./env. The result goes to stdout, everything else to "
                 "stderr.",
                 0, 0, out);
    for (int g = 0; g < GROUP_COUNT; g++) {
        text_addf(out, "\n%s\n", option_group_titles[g]);
        for (int i = 0; i < OPT_COUNT; i++)
            if (option_rows[i].group == (enum option_group)g)
                option(&option_rows[i], false, out);
    }
    exit_statuses(out);
}

/* flaky-ci is how it is called; the names of options are ours, and so are their texts. */
void help_ci(struct text *out)
{
    text_add(out, "Runs a suite once as it is, runs again what failed, and fails for regressions "
                  "but not\nfor flakes.\n\n"
                  "  flaky-ci -- pytest -q tests\n"
                  "  flaky-ci --budget 120 --junit report.xml -- python -m pytest tests\n\n"
                  "usage: flaky-ci [OPTIONS] -- pytest ARGS\n"
                  "       flaky-ci [OPTIONS] -- ARGS of pytest\n\n");
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_rows[i].commands >> COMMAND_CI & 1)
            option(&option_rows[i], false, out);
    text_add(out, "\nexit status\n"
                  "  0     all passed, or nothing failed but flakes\n"
                  "  1     a failure that reruns have not shown to be a flake\n"
                  "  2     a file that was asked for could not be written, or an option is wrong\n"
                  "  else  what pytest said: 2 interrupted or not collected, 3 an error in it,\n"
                  "        4 an option of its own is wrong, 5 no tests; 128 + N: signal N\n");
}
