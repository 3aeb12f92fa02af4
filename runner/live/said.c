#include "live/said.h"

#include <string.h>

#define LINES_MAX 16

/* Where the account begins, the most telling kind first: stderr may come before stdout. NULL: there
 * is none. */
static const char *account(const char *output)
{
    static const char *const starts[] = {"ImportError while loading", "ConftestImportFailure",
                                         "ERROR collecting", "ERROR: ", "Error: "};
    const char *at = NULL;
    for (size_t i = 0; i < sizeof starts / sizeof *starts && !at; i++)
        at = strstr(output, starts[i]);
    return at;
}

static const char *next_line(const char *at)
{
    size_t n = strcspn(at, "\n");
    return at + n + (at[n] != 0);
}

static bool ends_account(const char *line)
{
    return text_starts(line, "=====") || text_starts(line, "!!!!!");
}

/* Lines that begin with "E" carry the exception in pytest's way to render a traceback. */
static bool has_exception(const char *at)
{
    for (; *at && !ends_account(at); at = next_line(at))
        if (text_starts(at, "E  "))
            return true;
    return false;
}

static void trim(struct text *out)
{
    while (out->len && strchr("\n_= ", out->at[out->len - 1]))
        text_cut(out, out->len - 1);
}

static void add_line(const char *line, struct text *out)
{
    text_addn(out, line, strcspn(line, "\n"));
    trim(out);
    text_addc(out, '\n');
}

void said_last_line(const char *output, struct text *out)
{
    own_text struct text all = {0};
    text_add(&all, output);
    trim(&all);
    const char *last = all.len ? strrchr(all.at, '\n') : NULL;
    last = last ? last + 1 : text_str(&all);
    text_add(out, last + strspn(last, "= "));
}

void said_by_pytest(const char *output, struct text *out)
{
    const char *internal = NULL;
    for (const char *at = strstr(output, "INTERNALERROR> "); at;
         at = strstr(at + 1, "INTERNALERROR> "))
        internal = at; /* the last line of the traceback names the exception */
    const char *at = internal ? NULL : account(output);
    if (internal) {
        text_add(out, "pytest's own error: ");
        add_line(internal + strlen("INTERNALERROR> "), out);
    }
    bool only_exception = at && has_exception(at);
    for (int lines = 0; at && *at && !ends_account(at) && lines < LINES_MAX; at = next_line(at)) {
        bool exception = text_starts(at, "E  ");
        if (lines > 0 && only_exception && !exception)
            continue;
        add_line(at + (exception ? 1 + strspn(at + 1, " ") : 0), out);
        lines++;
    }
    trim(out);
    if (out->len == 0)
        said_last_line(output, out);
}
