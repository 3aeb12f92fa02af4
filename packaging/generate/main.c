/* fr_generate FILE man TEMPLATE DATE   the man page: the template with its @SECTIONS@ filled in
 * fr_generate FILE WHAT                bash, zsh or fish: a completion script;
 *                                      variables or statuses: a table of README.md
 * FILE is written whole or not at all. */
#include "generate.h"

#include "base/err.h"
#include "base/fdio.h"

#include <stdio.h>
#include <string.h>

#define TEMPLATE_MAX ((size_t)1 << 20)

struct part {
    const char *name;
    void (*write)(struct text *out);
};

static const struct part documents[] = {
    {"bash", complete_bash},           {"zsh", complete_zsh},           {"fish", complete_fish},
    {"variables", markdown_variables}, {"statuses", markdown_statuses}, {NULL, NULL},
};

static const struct part sections[] = {
    {"SYNOPSIS", man_synopsis},
    {"COMMANDS", man_commands},
    {"OPTIONS", man_options},
    {"AXES", man_axes},
    {"OPTION_VARIABLES", man_option_variables},
    {"VARIABLES", man_variables},
    {"STATUSES", man_statuses},
    {NULL, NULL},
};

/* Writes the part of that name, of n bytes; false: there is none. */
static bool write_part(const struct part *p, const char *name, size_t n, struct text *out)
{
    while (p->name && (strlen(p->name) != n || strncmp(p->name, name, n) != 0))
        p++;
    if (p->name)
        p->write(out);
    return p->name != NULL;
}

/* Adds the template with @NAME@ replaced; returns NULL, or the place that is not understood. */
static const char *fill(const char *at, const char *date, struct text *out)
{
    while (*at) {
        size_t n = strcspn(at, "@");
        text_addn(out, at, n);
        at += n;
        if (!*at)
            return NULL;
        const char *name = at + 1;
        size_t length = strcspn(name, "@\n");
        if (length == 4 && strncmp(name, "DATE", 4) == 0)
            text_add(out, date);
        else if (length == 7 && strncmp(name, "VERSION", 7) == 0)
            text_add(out, FR_VERSION);
        else if (name[length] != '@' || !write_part(sections, name, length, out))
            return at;
        at = name + length + 1;
        /* A section ends in a newline, and so does the line that asked for it. */
        if (*at == '\n' && out->len && out->at[out->len - 1] == '\n')
            at++;
    }
    return NULL;
}

static int man(const char *template, const char *date, struct text *out, struct err *e)
{
    own_text struct text all = {0};
    if (fdio_read_file(template, TEMPLATE_MAX, &all, e) < 0)
        return -1;
    const char *wrong = fill(text_str(&all), date, out);
    return wrong ? err_set(e, ERR_USAGE, "%s: not understood: %.40s", template, wrong) : 0;
}

static int document(int argc, char **argv, struct text *out, struct err *e)
{
    if (argc == 5 && strcmp(argv[2], "man") == 0)
        return man(argv[3], argv[4], out, e);
    if (argc == 3 && write_part(documents, argv[2], strlen(argv[2]), out))
        return 0;
    return err_set(e, ERR_USAGE,
                   "usage: fr_generate FILE man TEMPLATE DATE, or fr_generate FILE "
                   "bash | zsh | fish | variables | statuses");
}

int main(int argc, char **argv)
{
    own_text struct text out = {0};
    struct err e = {0};
    if (document(argc, argv, &out, &e) == 0 &&
        fdio_write_atomic(argv[1], text_str(&out), out.len, &e) == 0)
        return 0;
    fprintf(stderr, "fr_generate: %s\n", e.what);
    return 1;
}
