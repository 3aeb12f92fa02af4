#include "generate.h"

#include "axes/axis.h"
#include "cli/status.h"
#include "shim/wire.h"

#include <ctype.h>
#include <string.h>

/* Adds words as roff shows them as they are: a hyphen that can be copied, a backslash that is one.
 * `like this` is bold. */
static void words(const char *s, struct text *out)
{
    bool bold = false;
    if (*s == '.' || *s == '\'')
        text_add(out, "\\&");
    for (; *s; s++) {
        if (*s == '`') {
            bold = !bold;
            text_add(out, bold ? "\\fB" : "\\fR");
        } else if (*s == '\\') {
            text_add(out, "\\e");
        } else if (*s == '-') {
            text_add(out, "\\-");
        } else {
            text_addc(out, *s);
        }
    }
}

static void bold(const char *s, struct text *out)
{
    text_add(out, "\\fB");
    words(s, out);
    text_add(out, "\\fR");
}

/* "TARGET [-- PYTEST ARGS]": what stands for something else is in capitals, and in italics. */
static void arguments(const char *s, struct text *out)
{
    while (*s) {
        size_t n = isupper((unsigned char)*s) ? strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") : 1;
        own_text struct text part = {0};
        text_addn(&part, s, n);
        if (n > 1 || isupper((unsigned char)*s))
            text_add(out, "\\fI");
        words(text_str(&part), out);
        if (n > 1 || isupper((unsigned char)*s))
            text_add(out, "\\fR");
        s += n;
    }
}

/* A sentence of its own: tables hold them without the capital and the full stop. */
static void sentence(const char *s, struct text *out)
{
    own_text struct text t = {0};
    text_add(&t, s);
    if (t.len)
        t.at[0] = (char)toupper((unsigned char)t.at[0]);
    words(text_str(&t), out);
    text_add(out, ".\n");
}

static void command(const struct command_row *r, struct text *out)
{
    bold("flaky-repro", out);
    if (r->word) {
        text_addc(out, ' ');
        bold(r->word, out);
    }
    if (*r->arguments) {
        text_addc(out, ' ');
        arguments(r->arguments, out);
    }
    text_addc(out, '\n');
}

void man_synopsis(struct text *out)
{
    for (int c = 0; c < COMMAND_COUNT; c++) {
        if (c > 0)
            text_add(out, ".br\n");
        command(&command_rows[c], out);
    }
}

void man_commands(struct text *out)
{
    for (int c = 0; c < COMMAND_COUNT; c++) {
        text_add(out, ".TP\n");
        command(&command_rows[c], out);
        sentence(command_rows[c].summary, out);
    }
}

static void option_name(const struct option_row *r, struct text *out)
{
    if (r->letter)
        text_addf(out, "\\fB\\-%c\\fR%s", r->letter, r->name ? ", " : "");
    if (r->name) {
        text_add(out, "\\fB\\-\\-");
        words(r->name, out);
        text_add(out, "\\fR");
    }
    if (r->argument)
        text_addf(out, " \\fI%s\\fR", r->argument);
    text_addc(out, '\n');
}

/* Where an option belongs to some commands only, which; the first has no word of its own. */
static void option_commands(const struct option_row *r, struct text *out)
{
    const char *join = "With ";
    if (r->commands == (1u << COMMAND_COUNT) - 1)
        return;
    for (int c = 0; c < COMMAND_COUNT; c++) {
        if (!(r->commands >> c & 1))
            continue;
        text_add(out, join);
        if (command_rows[c].word)
            bold(command_rows[c].word, out);
        else
            arguments("TARGET", out);
        join = ", ";
    }
    text_add(out, ".\n");
}

void man_options(struct text *out)
{
    for (int g = 0; g < GROUP_COUNT; g++) {
        own_text struct text title = {0};
        text_add(&title, option_group_titles[g]);
        title.at[0] = (char)toupper((unsigned char)title.at[0]);
        text_addf(out, ".SS %s\n", text_str(&title));
        for (int i = 0; i < OPT_COUNT; i++) {
            const struct option_row *r = &option_rows[i];
            if (r->group != (enum option_group)g)
                continue;
            text_add(out, ".TP\n");
            option_name(r, out);
            sentence(r->help, out);
            option_commands(r, out);
        }
    }
}

static void said(const char *what, const char *words_said, struct text *out)
{
    if (!words_said)
        return;
    text_add(out, what);
    words(words_said, out);
    text_add(out, ".\n");
}

void man_axes(struct text *out)
{
    for (enum fd_axis a = 0; a < FD_AXIS_COUNT; a++) {
        text_add(out, ".TP\n");
        bold(axis_word(a), out);
        text_addc(out, '\n');
        said("Catches: ", axes[a]->catches, out);
        said("Held by: ", axes[a]->held_by, out);
        said("By hand: ", axes[a]->by_hand, out);
    }
}

void man_option_variables(struct text *out)
{
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_row *r = &option_rows[i];
        if (!r->variable)
            continue;
        text_add(out, ".TP\n");
        bold(r->variable, out);
        text_add(out, "\nAs ");
        option_name(r, out);
    }
}

void man_variables(struct text *out)
{
    static const struct {
        const char *name, *holds, *values;
    } rows[] = {
#define VARIABLE(name, holds, values) {name, holds, values},
#define FOREIGN                       VARIABLE
#include "shim/variables.def"
#undef VARIABLE
#undef FOREIGN
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_add(out, ".TP\n");
        bold(rows[i].name, out);
        text_addc(out, '\n');
        sentence(rows[i].holds, out);
        said("Values: ", rows[i].values, out);
    }
}

void man_statuses(struct text *out)
{
    for (const struct status_row *r = status_rows; r->meaning; r++) {
        text_addf(out, ".TP\n\\fB%d\\fR\n", r->number);
        sentence(r->meaning, out);
    }
}
