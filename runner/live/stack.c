#include "live/stack.h"

#include <string.h>

static bool is_pytest(const char *line)
{
    static const char *const parts[] = {"/_pytest/",
                                        "/pluggy/",
                                        "/bin/pytest\"",
                                        "/runpy.py\"",
                                        "/pytest/__main__.py\"",
                                        "/flaky_repro/",
                                        "\"<frozen runpy>\""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(line, parts[i]))
            return true;
    return false;
}

void stack_tidy(const char *raw, const char *rootdir, struct text *out)
{
    while (*raw) {
        size_t n = strcspn(raw, "\n");
        own_text struct text line = {0};
        text_addn(&line, raw, n);
        raw += n + (raw[n] != 0);
        const char *file = strstr(text_str(&line), "File \"");
        if (is_pytest(text_str(&line)) || line.len == 0)
            continue;
        size_t root = rootdir ? strlen(rootdir) : 0;
        if (file && root && text_starts(file + 6, rootdir) && file[6 + root] == '/')
            text_addf(out, "File \"%s\n", file + 6 + root + 1);
        else
            text_addf(out, "%s\n", file ? file : text_str(&line));
    }
}
