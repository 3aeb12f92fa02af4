#include "generate.h"

#include "model/setting.h"

#include <string.h>

const char *option_words(enum option id)
{
    static const char axes[] =
#define AXIS(ID, word) word " "
#include "shim/axes.def"
#undef AXIS
        ;
    switch ((int)id) {
    case OPT_FORMAT:
        return "human json markdown";
    case OPT_AI_PROVIDER:
        return "fake oauth-fake anthropic gigachat openai";
    case OPT_AI_REDACT:
        return "strict off";
    case OPT_ANNOTATIONS:
        return "github none";
    case OPT_GATE:
        return "regressions flaky";
    case OPT_COLOR:
        return "auto always never";
    case OPT_AXES:
        return axes;
    default:
        return NULL;
    }
}

bool option_takes_path(enum option id)
{
    const char *argument = option_rows[id].argument;
    return argument && (strcmp(argument, "PATH") == 0 || strcmp(argument, "FILE") == 0);
}

/* What fits into a menu: words up to where they say more. In single quotes, which no shell may find
 * in it; `own` are the characters that a shell's own grammar would take for its own. */
static void brief(const char *words, const char *own, struct text *out)
{
    size_t n = strcspn(words, ";:[");
    while (n && words[n - 1] == ' ')
        n--;
    for (size_t i = 0; i < n; i++) {
        if (words[i] == '\'')
            continue;
        if (strchr(own, words[i]))
            text_addc(out, '\\');
        text_addc(out, words[i]);
    }
}

static void add_names(const struct option_row *r, const char *between, struct text *out)
{
    if (r->letter)
        text_addf(out, "-%c%s", r->letter, r->name ? between : "");
    if (r->name)
        text_addf(out, "--%s", r->name);
}

static void add_commands(const char *between, struct text *out)
{
    for (int c = COMMAND_DIAGNOSE + 1; c < COMMAND_COUNT; c++)
        text_addf(out, "%s%s", c > COMMAND_DIAGNOSE + 1 ? between : "", command_rows[c].word);
}

static void bash_values(struct text *out)
{
    text_add(out, "    case ${COMP_WORDS[COMP_CWORD - 1]} in\n");
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_row *r = &option_rows[i];
        const char *list = option_words((enum option)i);
        if (!r->argument)
            continue;
        text_add(out, "    ");
        add_names(r, " | ", out);
        if (i == OPT_AXES) /* joined by commas */
            text_addf(out,
                      ") words='%s' before=${cur%%\"${cur##*,}\"}\n"
                      "        mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$words\" -- "
                      "\"${cur##*,}\")\n        return ;;\n",
                      list);
        else if (list)
            text_addf(out,
                      ") mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n"
                      "        return ;;\n",
                      list);
        else
            text_add(out, ") return ;;\n"); /* a file, by default */
    }
    text_add(out, "    esac\n");
}

static void bash_options(struct text *out)
{
    text_add(out, "    case $command in\n");
    for (int c = 0; c < COMMAND_COUNT; c++) {
        const char *word = command_rows[c].word;
        text_addf(out, "    %s) words='", word ? word : "''");
        for (int i = 0; i < OPT_COUNT; i++) {
            if (!(option_rows[i].commands >> c & 1))
                continue;
            add_names(&option_rows[i], " ", out);
            text_addc(out, ' ');
        }
        text_add(out, "' ;;\n");
    }
    text_add(out, "    esac\n");
}

void complete_bash(struct text *out)
{
    text_add(out, "# bash completion for flaky-repro, made from its own tables\n"
                  "_flaky_repro() {\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]} command='' words='' before='' i\n"
                  "    COMPREPLY=()\n"
                  "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                  "        case ${COMP_WORDS[i]} in\n"
                  "        --) return ;; # pytest's\n"
                  "        ");
    add_commands(" | ", out);
    text_add(out, ") command=${COMP_WORDS[i]} && break ;;\n"
                  "        esac\n"
                  "    done\n");
    bash_values(out);
    bash_options(out);
    text_add(out, "    if [[ $cur == -* ]]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                  "    elif ((COMP_CWORD == 1)); then\n"
                  "        mapfile -t COMPREPLY < <(compgen -W '");
    add_commands(" ", out);
    text_add(out, "' -- \"$cur\"; compgen -f -- \"$cur\")\n"
                  "    fi\n"
                  "}\n"
                  "complete -o filenames -o default -F _flaky_repro flaky-repro\n");
}

void complete_zsh(struct text *out)
{
    text_add(out, "#compdef flaky-repro\n"
                  "# zsh completion for flaky-repro, made from its own tables\n"
                  "_arguments -S \\\n");
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_row *r = &option_rows[i];
        const char *list = option_words((enum option)i);
        bool both = r->letter && r->name;
        text_addf(out, "    %s", both ? "{" : "'");
        add_names(r, ",", out);
        text_addf(out, "%s[", both ? "}'" : r->argument ? "=" : "");
        brief(r->help, "[]:", out);
        text_addc(out, ']');
        if (r->argument)
            text_addf(out, ":%s:", r->argument);
        if (i == OPT_AXES)
            text_addf(out, "_values -s , axis %s", list);
        else if (list)
            text_addf(out, "(%s)", list);
        else if (option_takes_path((enum option)i))
            text_add(out, "_files");
        text_add(out, "' \\\n");
    }
    text_add(out, "    '1: :_alternative \"commands:command:(");
    add_commands(" ", out);
    text_add(out, ")\" \"targets:target:_files\"' \\\n"
                  "    '*: :_files'\n");
}

void complete_fish(struct text *out)
{
    text_add(out, "# fish completion for flaky-repro, made from its own tables\n");
    for (int c = COMMAND_DIAGNOSE + 1; c < COMMAND_COUNT; c++) {
        text_addf(out, "complete -c flaky-repro -n __fish_use_subcommand -a %s -d '",
                  command_rows[c].word);
        brief(command_rows[c].summary, "", out);
        text_add(out, "'\n");
    }
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_row *r = &option_rows[i];
        const char *list = option_words((enum option)i);
        text_add(out, "complete -c flaky-repro");
        if (r->letter)
            text_addf(out, " -s %c", r->letter);
        if (r->name)
            text_addf(out, " -l %s", r->name);
        if (list)
            text_addf(out, " -x -a '%s'", list);
        else if (r->argument)
            text_add(out, option_takes_path((enum option)i) ? " -r -F" : " -x");
        text_add(out, " -d '");
        brief(r->help, "", out);
        text_add(out, "'\n");
    }
}
