#ifndef FR_CLI_OPTIONS_H
#define FR_CLI_OPTIONS_H
/* What the user asked for, from argv and the environment by the tables options.def and
 * commands.def. Flags win over FLAKY_REPRO_* variables, those over defaults; names are never
 * abbreviated. Strings are borrowed from argv and the environment. */
#include <stdbool.h>
#include <stdint.h>

#include "base/argv.h"
#include "base/err.h"
#include "cli/values.h"
#include "triage/gate.h"

enum command {
#define COMMAND(ID, word, arguments, summary) COMMAND_##ID,
#include "cli/commands.def"
#undef COMMAND
    COMMAND_COUNT
};

enum option {
#define OPT(ID, name, letter, argument, group, commands, variable, help) OPT_##ID,
#include "cli/options.def"
#undef OPT
    OPT_COUNT
};

enum option_group {
    GROUP_RESULT,
    GROUP_SEARCH,
    GROUP_TESTS,
    GROUP_TRIAGE,
    GROUP_SERVICE,
    GROUP_GENERAL,
    GROUP_COUNT
};

struct option_row {
    const char *name;     /* without dashes, or NULL */
    char letter;          /* or 0 */
    const char *argument; /* "PATH", or NULL for a switch */
    enum option_group group;
    unsigned commands;    /* bit per command it applies to */
    const char *variable; /* or NULL */
    const char *help;
};
struct command_row {
    const char *word, *arguments, *summary;
};
extern const struct option_row option_rows[OPT_COUNT];
extern const char *const option_group_titles[GROUP_COUNT];
extern const struct command_row command_rows[COMMAND_COUNT];

enum wish { WISH_WORK, WISH_HELP_SHORT, WISH_HELP, WISH_VERSION };

struct options {
    enum command command;
    enum wish wish;
    const char *target; /* test or blob; NULL: none was given */
    struct argv pytest_args;
    const char *json; /* path, "-", or NULL */
    enum format format;
    const char *ai[4]; /* from OPT_AI_PROVIDER on, as typed; NULL: not given */
    bool ai_evidence;
    int64_t budget_ns;
    bool budget_given;
    uint32_t axes;
    bool concurrency; /* --profile concurrency */
    uint64_t seed;
    bool seed_given;
    unsigned runs; /* 0: not given */
    const char *order_file;
    const char *python;
    const char *log; /* path, "none", or NULL */
    bool resume;
    bool program; /* --command: what follows "--" is the target, and no arguments of pytest's */
    const char *junit, *junit_from, *summary, *quality;
    enum annotations annotations;
    enum gate gate;
    bool fail_on_flaky;
    bool no_sandbox, allow_side_effects, exit_zero, verbose, quiet;
    enum color_when color;
};

void options_done(struct options *o);
#define own_options __attribute__((cleanup(options_done)))

/* args: NULL-terminated, without the program's name; env: as environ. When help or the version is
 * asked for, nothing else is checked. */
int options_parse(char *const *args, char *const *env, struct options *ret, struct err *e);

#endif
