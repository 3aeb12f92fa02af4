#include "cli/options.h"

#include <string.h>
#include <unistd.h>

#define ON(ID) (1u << COMMAND_##ID)
#define ON_ALL ((1u << COMMAND_COUNT) - 1)
#define PREFIX "FLAKY_REPRO_"

const struct option_row option_rows[OPT_COUNT] = {
#define OPT(ID, name, letter, argument, group, commands, variable, help)                           \
    [OPT_##ID] = {name, letter, argument, GROUP_##group, commands, variable, help},
#include "cli/options.def"
#undef OPT
};

const char *const option_group_titles[GROUP_COUNT] = {
    [GROUP_RESULT] = "the result",
    [GROUP_SEARCH] = "the search",
    [GROUP_TESTS] = "the tests",
    [GROUP_TRIAGE] = "triage",
    [GROUP_SERVICE] = "services that run tests",
    [GROUP_GENERAL] = "general",
};

const struct command_row command_rows[COMMAND_COUNT] = {
#define COMMAND(ID, word, arguments, summary) [COMMAND_##ID] = {word, arguments, summary},
#include "cli/commands.def"
#undef COMMAND
};

struct parse {
    struct options o;
    uint64_t given;    /* bit per option seen on the command line */
    struct argv words; /* what is neither an option nor its value */
};
_Static_assert(OPT_COUNT <= 64, "struct parse.given has a bit per option");

void options_done(struct options *o)
{
    argv_done(&o->pytest_args);
    *o = (struct options){0};
}

/* Where the value goes of an option that is kept as it was typed; NULL: it is none of those. */
static const char **kept_at(struct options *o, enum option id)
{
    const struct {
        enum option id;
        const char **at;
    } kept[] = {
        {OPT_JSON, &o->json},       {OPT_LOG, &o->log},
        {OPT_PYTHON, &o->python},   {OPT_ORDER_FILE, &o->order_file},
        {OPT_JUNIT, &o->junit},     {OPT_JUNIT_FROM, &o->junit_from},
        {OPT_SUMMARY, &o->summary}, {OPT_CODE_QUALITY, &o->quality},
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (kept[i].id == id)
            return kept[i].at;
    return id >= OPT_AI_PROVIDER && id <= OPT_AI_REDACT ? &o->ai[id - OPT_AI_PROVIDER] : NULL;
}

/* Stores one option. `from` is how the user wrote it: "--budget" or "FLAKY_REPRO_BUDGET". */
static int take(struct options *o, enum option id, const char *value, const char *from,
                struct err *e)
{
    const char **kept = kept_at(o, id);
    if (kept)
        *kept = value;
    switch (id) {
    case OPT_FORMAT:
        return value_format(value, from, &o->format, e);
    case OPT_EXIT_ZERO:
        o->exit_zero = true;
        break;
    case OPT_BUDGET:
        o->budget_given = true;
        return value_budget(value, from, &o->budget_ns, e);
    case OPT_AXES:
        return value_axes(value, from, &o->axes, e);
    case OPT_PROFILE:
        return value_profile(value, from, &o->concurrency, e);
    case OPT_SEED:
        o->seed_given = true;
        return value_seed(value, from, &o->seed, e);
    case OPT_COMMAND:
        o->program = true;
        break;
    case OPT_RESUME:
        o->resume = true;
        break;
    case OPT_RUNS:
        return value_runs(value, from, &o->runs, e);
    case OPT_SANDBOX:
        return value_sandbox(value, from, &o->no_sandbox, e);
    case OPT_SIDE_EFFECTS:
        o->allow_side_effects = true;
        break;
    case OPT_ANNOTATIONS:
        return value_annotations(value, from, &o->annotations, e);
    case OPT_GATE:
        return value_gate(value, from, &o->gate, e);
    case OPT_FAIL_ON_FLAKY:
        o->fail_on_flaky = true;
        break;
    case OPT_AI_EVIDENCE:
        o->ai_evidence = true;
        break;
    case OPT_COLOR:
        return value_color(value, from, &o->color, e);
    case OPT_VERBOSE:
        o->verbose = true;
        break;
    case OPT_QUIET:
        o->quiet = true;
        break;
    case OPT_HELP_SHORT:
        o->wish = WISH_HELP_SHORT;
        break;
    case OPT_HELP:
        o->wish = WISH_HELP;
        break;
    case OPT_VERSION:
        o->wish = WISH_VERSION;
        break;
    case OPT_JSON:
    case OPT_LOG:
    case OPT_ORDER_FILE:
    case OPT_PYTHON:
    case OPT_AI_PROVIDER:
    case OPT_AI_BUDGET:
    case OPT_AI_TIMEOUT:
    case OPT_AI_REDACT:
    case OPT_JUNIT:
    case OPT_JUNIT_FROM:
    case OPT_SUMMARY:
    case OPT_CODE_QUALITY:
    case OPT_COUNT:
        break;
    }
    return 0;
}

/* The option most like `name`, or one that it abbreviates; NULL if none is near. */
static const char *nearest_option(const char *name)
{
    const char *best = NULL;
    unsigned least = 3; /* edits; more is another word */
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const char *known = option_rows[i].name;
        if (!known)
            continue;
        unsigned d = text_distance(name, known);
        if (strlen(name) >= 3 && text_starts(known, name))
            d = 1;
        if (d < least && d < strlen(name)) {
            best = known;
            least = d;
        }
    }
    return best;
}

static int unknown_option(const char *arg, struct err *e)
{
    own_text struct text name = {0};
    text_addn(&name, arg, strcspn(arg, "="));
    const char *near = text_starts(arg, "--") ? nearest_option(text_str(&name) + 2) : NULL;
    err_set(e, ERR_USAGE, "no option is called \"%s\"", text_str(&name));
    if (near)
        return err_hint(e, "did you mean --%s?", near);
    return err_hint(e, "options of pytest go after \"--\"; flaky-repro --help lists ours");
}

static int find_option(const char *arg)
{
    bool is_long = text_starts(arg, "--");
    size_t n = strcspn(arg + 2, "=");
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_row *r = &option_rows[i];
        if (is_long && r->name && strlen(r->name) == n && strncmp(arg + 2, r->name, n) == 0)
            return i;
        if (!is_long && r->letter && arg[1] == r->letter && !arg[2])
            return i;
    }
    return -1;
}

/* Takes the option at args[0]; returns how many words it used, or -1. */
static int parse_option(struct parse *p, char *const *args, struct err *e)
{
    int id = find_option(args[0]);
    if (id < 0)
        return unknown_option(args[0], e);
    const struct option_row *r = &option_rows[id];
    const char *value = strchr(args[0], '=');
    int used = 1;
    own_text struct text from = {0};
    text_addn(&from, args[0], strcspn(args[0], "="));
    if (!r->argument && value)
        return err_set(e, ERR_USAGE, "%s takes no value", text_str(&from));
    if (r->argument && value) {
        value++;
    } else if (r->argument) {
        value = args[1];
        used = 2;
    }
    /* "--json --seed 1" forgot the path; "--axes -time" did not. */
    if (r->argument && (!value || !*value || (used == 2 && text_starts(value, "--"))))
        return err_set(e, ERR_USAGE, "%s needs %s", text_str(&from), r->argument);
    p->given |= UINT64_C(1) << id;
    return take(&p->o, (enum option)id, value, text_str(&from), e) < 0 ? -1 : used;
}

static int parse_args(struct parse *p, char *const *args, struct err *e)
{
    while (*args) {
        if (strcmp(*args, "--") == 0) {
            while (*++args)
                argv_add(&p->o.pytest_args, *args);
            return 0;
        }
        if (args[0][0] == '-' && args[0][1]) {
            int used = parse_option(p, args, e);
            if (used < 0)
                return -1;
            args += used;
        } else {
            argv_add(&p->words, *args++);
        }
    }
    return 0;
}

static enum command command_of(const char *word)
{
    for (int c = 0; c < COMMAND_COUNT; c++)
        if (command_rows[c].word && strcmp(command_rows[c].word, word) == 0)
            return (enum command)c;
    return COMMAND_DIAGNOSE;
}

/* A first word that is no path here but nearly a command is a slip, not a target. */
static int check_slip(const char *word, struct err *e)
{
    if (access(word, F_OK) == 0 || strpbrk(word, "/.:"))
        return 0;
    for (int c = 0; c < COMMAND_COUNT; c++) {
        const char *known = command_rows[c].word;
        if (!known || text_distance(word, known) > 1 + (strlen(known) > 4))
            continue;
        err_set(e, ERR_USAGE, "\"%s\" is neither a command nor a file or folder here", word);
        return err_hint(e, "did you mean the command %s?", known);
    }
    return 0;
}

/* What is left of the words is the target; its string is borrowed from args. */
static int choose(struct parse *p, char *const *args, struct err *e)
{
    size_t at = 0;
    if (p->words.n > 0) {
        p->o.command = command_of(p->words.at[0]);
        at = p->o.command != COMMAND_DIAGNOSE;
    }
    const struct command_row *c = &command_rows[p->o.command];
    size_t allowed = *c->arguments ? 1 : 0;
    if (p->o.command == COMMAND_DIAGNOSE && p->words.n == 1 && check_slip(p->words.at[0], e) < 0)
        return -1;
    if (p->words.n > at + allowed) {
        const char *extra = p->words.at[at + allowed];
        if (p->o.command != COMMAND_DIAGNOSE)
            return err_set(e, ERR_USAGE, "%s: \"%s\" is one argument too many", c->word, extra);
        err_set(e, ERR_USAGE, "one target at a time: \"%s\" is one too many", extra);
        return err_hint(e, "name a file or folder that holds both; arguments of pytest go after "
                           "\"--\"");
    }
    if (p->o.pytest_args.n > 0 && allowed == 0)
        return err_set(e, ERR_USAGE, "%s takes no arguments for pytest", c->word);
    for (; p->words.n > at && *args; args++)
        if (strcmp(*args, p->words.at[at]) == 0) {
            p->o.target = *args;
            break;
        }
    return 0;
}

/* Options that say how tests are run, where none is. */
static int check_triage(const struct parse *p, struct err *e)
{
    static const enum option of_runs[] = {OPT_BUDGET, OPT_ORDER_FILE, OPT_SIDE_EFFECTS};
    if (p->o.command != COMMAND_TRIAGE || p->o.ai_evidence)
        return 0;
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++)
        if (p->given >> of_runs[i] & 1) {
            err_set(e, ERR_USAGE, "triage runs no test, so --%s says nothing",
                    option_rows[of_runs[i]].name);
            return err_hint(e, "with --ai-evidence it runs what failed again");
        }
    return 0;
}

/* Each result is written whole: the second of two with one name would replace the first. */
static int check_outputs(const struct parse *p, struct err *e)
{
    const struct {
        enum option id;
        const char *path;
    } out[] = {{OPT_JSON, p->o.json},
               {OPT_LOG, p->o.log},
               {OPT_JUNIT, p->o.junit},
               {OPT_SUMMARY, p->o.summary},
               {OPT_CODE_QUALITY, p->o.quality}};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        for (size_t k = 0; out[i].path && k < i; k++) {
            if (!out[k].path || strcmp(out[i].path, out[k].path) != 0 ||
                strcmp(out[i].path, "none") == 0)
                continue;
            err_set(e, ERR_USAGE, "--%s and --%s both name %s", option_rows[out[k].id].name,
                    option_rows[out[i].id].name, out[i].path);
            return err_hint(e, "give each a name of its own");
        }
    return 0;
}

static int check_use(const struct parse *p, struct err *e)
{
    if (p->o.format == FORMAT_MARKDOWN && p->o.command != COMMAND_TRIAGE)
        return err_set(e, ERR_USAGE, "--format markdown is for the command triage");
    if (p->o.program && p->o.pytest_args.n == 0) {
        err_set(e, ERR_USAGE, "--command needs the command, after \"--\"");
        return err_hint(e, "flaky-repro --command -- ./my_test --its-option");
    }
    if (p->o.program && p->o.command == COMMAND_DIAGNOSE && p->o.target)
        return err_set(e, ERR_USAGE, "\"%s\": the target is a test or a --command, not both",
                       p->o.target);
    for (size_t i = 0; i < OPT_COUNT; i++) {
        if (!(p->given >> i & 1) || option_rows[i].commands >> p->o.command & 1)
            continue;
        const char *word = command_rows[p->o.command].word;
        return err_set(e, ERR_USAGE, "%s has no option --%s", word ? word : "a diagnosis",
                       option_rows[i].name);
    }
    if (check_outputs(p, e) < 0)
        return -1;
    return check_triage(p, e);
}

static int unknown_variable(const char *name, struct err *e)
{
    const char *best = NULL;
    unsigned least = 4;
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const char *known = option_rows[i].variable;
        unsigned d = known ? text_distance(name, known) : least;
        if (d < least) {
            best = known;
            least = d;
        }
    }
    err_set(e, ERR_USAGE, "the environment sets %s, which means nothing to flaky-repro", name);
    if (best)
        return err_hint(e, "did you mean %s?", best);
    return err_hint(e, "names that begin with " PREFIX " are reserved; unset it");
}

/* Variables fill in what no flag said; an empty one counts as absent. */
static int parse_env(struct parse *p, char *const *env, struct err *e)
{
    for (; *env; env++) {
        if (!text_starts(*env, PREFIX))
            continue;
        own_text struct text name = {0};
        text_addn(&name, *env, strcspn(*env, "="));
        const char *value = *env + name.len + (*(*env + name.len) == '=');
        size_t i = 0;
        while (i < OPT_COUNT &&
               (!option_rows[i].variable || strcmp(option_rows[i].variable, text_str(&name)) != 0))
            i++;
        if (i == OPT_COUNT && strcmp(text_str(&name), PREFIX "LIBDIR") != 0)
            return unknown_variable(text_str(&name), e);
        if (i == OPT_COUNT || !*value || p->given >> i & 1 ||
            !(option_rows[i].commands >> p->o.command & 1))
            continue;
        if (take(&p->o, (enum option)i, value, text_str(&name), e) < 0)
            return -1;
    }
    return 0;
}

static int parse_all(struct parse *p, char *const *args, char *const *env, struct err *e)
{
    if (parse_args(p, args, e) < 0)
        return -1;
    if (p->o.wish != WISH_WORK) {
        if (p->words.n > 0) /* whose help it is */
            p->o.command = command_of(p->words.at[0]);
        return 0;
    }
    return choose(p, args, e) < 0 || check_use(p, e) < 0 || parse_env(p, env, e) < 0 ? -1 : 0;
}

int options_parse(char *const *args, char *const *env, struct options *ret, struct err *e)
{
    struct parse p = {.o = {.budget_ns = BUDGET_DEFAULT_NS, .axes = AXES_ALL}};
    int bad = parse_all(&p, args, env, e);
    argv_done(&p.words);
    if (bad < 0) {
        options_done(&p.o);
        return -1;
    }
    *ret = p.o;
    return 0;
}
